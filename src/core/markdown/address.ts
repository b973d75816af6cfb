import { decodeEntities } from './html';

/** The kind of target that an address in a link, an image or an attribute has. */
export type Address =
  /** `http`, `https` or `mailto`. */
  | { readonly kind: 'web'; readonly scheme: string }
  /** `//host/path`: another machine, by the scheme of the page. */
  | { readonly kind: 'host' }
  /** Any other scheme, or an address that is too long to be one. */
  | { readonly kind: 'unsafe'; readonly scheme: string }
  /** A file of the vault. `name` is '' for a place in the same note. */
  | { readonly kind: 'internal'; readonly name: string; readonly fragment: string | null };

/** The longest address that is read (UTF-16 units); no real one is longer. */
const MAX_ADDRESS = 8192;
const SCHEME = /^([a-z][a-z0-9+.-]*):/i;
const INVISIBLE = /[\s\p{Cc}\p{Default_Ignorable_Code_Point}]+/gu;

/** Decodes and classifies an address as written in Markdown or in an attribute, with entities, escapes and `<>`. */
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
  const { name, fragment } = splitTarget(text.replace(/\\([!-/:-@[-`{-~])/g, '$1'));
  return {
    kind: 'internal',
    name: percentDecoded(name).trim(),
    fragment: fragment === null ? null : percentDecoded(fragment).trim(),
  };
}

/** Splits the target of a link into the name of a note and the fragment behind the first `#`, which is null without one. */
export function splitTarget(target: string): { readonly name: string; readonly fragment: string | null } {
  const [name = '', ...fragment] = target.split('#');
  return { name, fragment: fragment.length === 0 ? null : fragment.join('#') };
}

/**
 * Returns the scheme of an address in lower case, `//` for a host without a scheme, null for neither. It first drops and
 * decodes everything that a browser, a Markdown parser or a decoder might drop or decode: white space, control and invisible
 * characters, backslashes before punctuation, percent escapes.
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

/** Decodes percent escapes. Escapes that are no UTF-8 stay, except those of ASCII characters. */
export function percentDecoded(text: string): string {
  if (!text.includes('%')) return text;
  return text.replace(/(?:%[0-9a-f]{2})+/gi, (escapes) => {
    try {
      return decodeURIComponent(escapes);
    } catch {
      // A browser still decodes the ASCII escapes among bytes that are no UTF-8.
      return escapes.replace(/%[0-7][0-9a-f]/gi, (escape) =>
        String.fromCharCode(Number.parseInt(escape.slice(1), 16)),
      );
    }
  });
}

/** Schemes of addresses that programs open without `//` behind the colon. Names such as `doi:` and `urn:` open nothing. */
const OPENED =
  /^(?:javascript|vbscript|livescript|data|file|obsidian|blob|view-source|jar|mhtml|mk|its|ms-.*|search-ms|shell|tel|sms|callto|skype|facetime.*|magnet|x-.*)$/;
/** An expression, or a media type: what tells an address from a title such as "JavaScript: The Good Parts". */
const CODE = /[\w$\])][(`=]|^[\w.+-]+\/[\w.+-]+[;,]/;

/**
 * Returns true for a text that as a whole is an address of another scheme than http, https or mailto. Words with a colon
 * (`TODO: x`, `12:30`, `key:value`, `C:\\x`, `doi:10.1000/x`) are none.
 */
export function isUnsafeAddress(text: string): boolean {
  if (!/[:%&]/.test(text) || text.length > MAX_ADDRESS) return false;
  let probe = decodeEntities(text);
  for (let round = 0; round < 4; round += 1) {
    // A browser drops tabs and line ends inside an address, and blanks around it.
    probe = probe.replace(/[\p{Cc}\p{Default_Ignorable_Code_Point}]+/gu, '').trim();
    const plain = probe.replace(/^<([^]*)>$/, '$1').replace(/\\(?=[!-/:-@[-`{-~])/g, '');
    const [, scheme = '', rest = ''] = /^([a-z][a-z0-9+.-]+) ?:([^]*)$/i.exec(plain) ?? [];
    if (scheme !== '') return isOpened(scheme.toLowerCase(), rest);
    const decoded = percentDecoded(probe);
    if (decoded === probe) return false;
    probe = decoded;
  }
  return false;
}

function isOpened(scheme: string, rest: string): boolean {
  if (scheme === 'http' || scheme === 'https' || scheme === 'mailto') return false;
  if (rest.startsWith('//')) return true;
  if (!OPENED.test(scheme) || rest === '') return false;
  return !/^\s/.test(rest) || CODE.test(rest.trimStart());
}

/** Returns a text as Markdown code: it shows as it is and leads nowhere. */
export function asCode(text: string): string {
  const mark = '`'.repeat(1 + Math.max(0, ...(text.match(/`+/g) ?? []).map(({ length }) => length)));
  const gap = text.startsWith('`') || text.endsWith('`') ? ' ' : '';
  return mark + gap + text + gap + mark;
}

/** Encodes a vault path as the address of a Markdown link. */
export function pathAddress(path: string): string {
  // A lone surrogate has no UTF-8.
  return encodeURI(path.replace(/\p{Cs}/gu, '\ufffd')).replace(
    /[()#?'*&;]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** A link in a body from one note to another file of the vault. */
export interface LinkUse {
  readonly kind: 'wikilink' | 'embed' | 'mdlink' | 'image';
  /** The target, decoded and without the fragment. */
  readonly target: string;
  /** The text behind the `#`, decoded; null without a `#`. */
  readonly fragment: string | null;
  /** The shown words, as written; null when the target itself is shown. */
  readonly text: string | null;
}

/** Returns true for a link of Markdown, whose path leads from the folder of its note; the path of a wikilink leads from the root. */
export function isRelative({ kind }: Pick<LinkUse, 'kind'>): boolean {
  return kind === 'mdlink' || kind === 'image';
}
