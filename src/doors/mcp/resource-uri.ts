/** What a resource of this server stands for. */
export type Named =
  | { readonly kind: 'root' }
  | { readonly kind: 'wing'; readonly wing: string }
  | { readonly kind: 'note'; readonly path: string };

export const ROOT_URI = 'brain://root';
export const WING_TEMPLATE = 'brain://wing/{wing}/index';
/** RFC 6570, level 2: slashes of the path stay as they are. */
export const NOTE_TEMPLATE = 'brain://note/{+path}';

const WING = /^brain:\/\/wing\/([^/?#]+)\/index$/;
const NOTE = /^brain:\/\/note\/([^?#]+)$/;

/** The address of a wing's map. */
export function wingUri(wing: string): string {
  return `brain://wing/${encodeURIComponent(wing)}/index`;
}

/**
 * What an address names, or null when it is none of ours. Every percent escape is decoded once; nothing is said of whether
 * it exists or may be read.
 */
export function readUri(uri: string): Named | null {
  if (uri === ROOT_URI) return { kind: 'root' };
  const wing = decoded(WING.exec(uri)?.[1]);
  // An escaped slash would name a folder inside the wing.
  if (wing !== null) return wing.includes('/') ? null : { kind: 'wing', wing };
  const path = decoded(NOTE.exec(uri)?.[1]);
  return path === null ? null : { kind: 'note', path };
}

function decoded(part: string | undefined): string | null {
  if (part === undefined) return null;
  try {
    return decodeURIComponent(part);
  } catch {
    return null; // not UTF-8 behind the escapes, so no name of ours
  }
}
