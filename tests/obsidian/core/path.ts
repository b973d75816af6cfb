/** The host's own cleaning of a path: one kind of slash, none at the ends, plain spaces, NFC; '/' for nothing. */
export function normalizePath(path: string): string {
  const cleaned = path.replace(/[\\/]+/g, '/').replace(/^\/+|\/+$/g, '');
  return (cleaned === '' ? '/' : cleaned).replace(/\u00A0|\u202F/g, ' ').normalize('NFC');
}

/** Inside the fake the root is the empty path; the public face says '/'. */
export function inner(path: string): string {
  return path === '/' ? '' : path.replace(/^\/+|\/+$/g, '');
}

export function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

export function joinPath(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`;
}

/** True for what the vault does not show: anything below a name that starts with a dot. */
export function isHidden(path: string): boolean {
  return path.split('/').some((segment) => segment.startsWith('.'));
}

/** True when `path` is `folder` or lies below it; the root holds everything. */
export function isWithin(path: string, folder: string): boolean {
  return folder === '' || path === folder || path.startsWith(`${folder}/`);
}

/** Name without its last extension, and that extension in the case it has; a leading dot starts no extension. */
export function splitExtension(name: string): { basename: string; extension: string } {
  const dot = name.lastIndexOf('.');
  if (dot <= 0) return { basename: name, extension: '' };
  return { basename: name.slice(0, dot), extension: name.slice(dot + 1) };
}
