/** The target of a resource URI. */
type Target =
  | { readonly kind: 'root' }
  | { readonly kind: 'wing'; readonly wing: string }
  | { readonly kind: 'note'; readonly path: string };

export const ROOT_URI = 'brain://root';

const WING = /^brain:\/\/wing\/([^/]+)\/index$/;
const NOTE = /^brain:\/\/note\/(.+)$/s;

/**
 * Parses a URI; null when it is no URI of this server. Escapes are decoded once; invalid ones stay as they are, and so do
 * `?` and `#`: the template allows reserved characters, and these URIs have neither query nor fragment. Existence and
 * rights are not checked.
 */
export function readUri(uri: string): Target | null {
  if (uri === ROOT_URI) return { kind: 'root' };
  const wing = WING.exec(uri)?.[1];
  if (wing !== undefined) {
    const name = decoded(wing);
    // An escaped slash would name a folder below the wing.
    return name.includes('/') ? null : { kind: 'wing', wing: name };
  }
  const path = NOTE.exec(uri)?.[1];
  return path === undefined ? null : { kind: 'note', path: decoded(path) };
}

/**
 * Returns the path of a note's URI without decoding it, as a name may contain what looks like an escape; null when decoding
 * changes nothing.
 */
export function literalPath(uri: string): string | null {
  const path = NOTE.exec(uri)?.[1];
  return path === undefined || decoded(path) === path ? null : path;
}

/** Decodes the escapes that are valid UTF-8, and keeps everything else. */
function decoded(text: string): string {
  return text.replace(/(?:%[\da-f]{2})+/gi, (escapes) => {
    try {
      return decodeURIComponent(escapes);
    } catch {
      return escapes;
    }
  });
}

/** Returns the path that a text names, which may be the URI of a note or of a wing's map. */
export function withoutUri(text: string): string {
  const target = text.includes('://') ? readUri(text.trim()) : null;
  if (target?.kind === 'note') return target.path;
  return target?.kind === 'wing' ? `wiki/${target.wing}/_index.md` : text;
}
