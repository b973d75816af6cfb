import { decodeEntities } from './html';

/** What an address in a link, an image or an attribute leads to. */
export type Address =
  /** `http`, `https` or `mailto`. */
  | { readonly kind: 'web'; readonly scheme: string }
  /** `//host/path`: another machine, by a scheme that the page it stands on decides. */
  | { readonly kind: 'host' }
  /** Any other scheme, or an address that is too long to be one. */
  | { readonly kind: 'unsafe'; readonly scheme: string }
  /** Something in the vault. `name` is '' for a place in the same note. */
  | { readonly kind: 'internal'; readonly name: string; readonly fragment: string | null };

/** No real address is longer. */
const MAX_ADDRESS = 8192;
const SCHEME = /^([a-z][a-z0-9+.-]*):/i;
const INVISIBLE = /[\s\p{Cc}\p{Default_Ignorable_Code_Point}]+/gu;

/** Reads an address as written in Markdown or in an attribute: entities, escapes and pointed brackets included. */
export function readAddress(raw: string): Address {
  if (/^https?:\/\/[!-~]*$/i.test(raw))
    return { kind: 'web', scheme: raw.slice(0, raw.indexOf(':')).toLowerCase() };
  if (raw.length > MAX_ADDRESS) return { kind: 'unsafe', scheme: 'too-long' };
  const bare = raw.startsWith('<') && raw.endsWith('>') ? raw.slice(1, -1) : raw;
  const text = decodeEntities(bare);
  const scheme = schemeOf(text);
  if (scheme === '//') return { kind: 'host' };
  if (scheme === 'http' || scheme === 'https' || scheme === 'mailto') return { kind: 'web', scheme };
  if (scheme !== null) return { kind: 'unsafe', scheme };
  const [name = '', ...fragment] = text.replace(/\\([!-/:-@[-`{-~])/g, '$1').split('#');
  return {
    kind: 'internal',
    name: percentDecoded(name).trim(),
    fragment: fragment.length === 0 ? null : percentDecoded(fragment.join('#')).trim(),
  };
}

/**
 * The scheme of an address in lower case, `//` when it names a host without one, null when it has neither. Whatever a
 * browser, a Markdown parser or a decoder might drop or decode on the way is dropped and decoded first: white space,
 * control and invisible characters, backslashes before punctuation, percent escapes.
 */
export function schemeOf(text: string): string | null {
  let probe = text;
  for (let round = 0; round < 4; round += 1) {
    probe = probe.replace(INVISIBLE, '');
    const scheme = SCHEME.exec(probe)?.[1] ?? SCHEME.exec(probe.replace(/\\(?=[!-/:-@[-`{-~])/g, ''))?.[1];
    if (scheme !== undefined) return scheme.toLowerCase();
    if (/^[\\/]{2}/.test(probe)) return '//';
    const decoded = percentDecoded(probe);
    if (decoded === probe) return null;
    probe = decoded;
  }
  return null;
}

/** The text with its percent escapes decoded where they spell characters; others stay as they are. */
export function percentDecoded(text: string): string {
  if (!text.includes('%')) return text;
  return text.replace(/(?:%[0-9a-f]{2})+/gi, (escapes) => {
    try {
      return decodeURIComponent(escapes);
    } catch {
      // Not UTF-8: the ASCII among them still counts.
      return escapes.replace(/%[0-7][0-9a-f]/gi, (escape) =>
        String.fromCharCode(Number.parseInt(escape.slice(1), 16)),
      );
    }
  });
}

/** A vault path as a Markdown link writes it. */
export function pathAddress(path: string): string {
  // A lone surrogate has no UTF-8.
  return encodeURI(path.replace(/\p{Cs}/gu, '\ufffd')).replace(
    /[()#?'*&;]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** A link from one note to another file of the vault, as a body has it. */
export interface LinkUse {
  readonly kind: 'wikilink' | 'embed' | 'mdlink' | 'image';
  /** What it points at, decoded and without the fragment. */
  readonly target: string;
  /** What follows the `#`, decoded; null when nothing does. */
  readonly fragment: string | null;
  /** The words shown, as written; null when the target itself is shown. */
  readonly text: string | null;
  /** Offsets into the body, `to` exclusive. */
  readonly from: number;
  readonly to: number;
  /** Counted from 1. */
  readonly line: number;
}
