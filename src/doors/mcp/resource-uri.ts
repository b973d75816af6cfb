/** What a resource of this server stands for. */
export type Named =
  | { readonly kind: 'root' }
  | { readonly kind: 'wing'; readonly wing: string }
  | { readonly kind: 'note'; readonly path: string };

export const ROOT_URI = 'brain://root';
export const WING_TEMPLATE = 'brain://wing/{wing}/index';
/** RFC 6570, level 2: slashes of the path stay as they are. */
export const NOTE_TEMPLATE = 'brain://note/{+path}';

const WING = /^brain:\/\/wing\/([^/]+)\/index$/;
const NOTE = /^brain:\/\/note\/(.+)$/s;

/** The address of a wing's map. */
export function wingUri(wing: string): string {
  return `brain://wing/${encodeURIComponent(wing)}/index`;
}

/**
 * What an address names, or null when it is none of ours. Escapes are decoded once; what is none stands for itself, as do `?` and
 * `#`: a template with reserved characters lets them through, and an address of ours has neither query nor fragment. Nothing is
 * said of whether it exists or may be read.
 */
export function readUri(uri: string): Named | null {
  if (uri === ROOT_URI) return { kind: 'root' };
  const wing = WING.exec(uri)?.[1];
  if (wing !== undefined) {
    const name = decoded(wing);
    // An escaped slash would name a folder inside the wing.
    return name.includes('/') ? null : { kind: 'wing', wing: name };
  }
  const path = NOTE.exec(uri)?.[1];
  return path === undefined ? null : { kind: 'note', path: decoded(path) };
}

/** The path in the address of a note as it stands there: a name may hold what reads like an escape. Null when it is the same. */
export function literalPath(uri: string): string | null {
  const path = NOTE.exec(uri)?.[1];
  return path === undefined || decoded(path) === path ? null : path;
}

/** Escapes that are UTF-8 as what they stand for, and everything else as it is. */
function decoded(text: string): string {
  return text.replace(/(?:%[\da-f]{2})+/gi, (escapes) => {
    try {
      return decodeURIComponent(escapes);
    } catch {
      return escapes;
    }
  });
}
