import { decodeEntities } from '../../core/rules/markdown-html';

/** Where a link leads, as far as this preview follows it. */
export type LinkTarget =
  /** An address that a browser may open; `href` is the very text that is put into the page. */
  | { readonly kind: 'external'; readonly href: string }
  /** A note or a file of the vault, without the fragment; '' for a place in the same note. */
  | { readonly kind: 'internal'; readonly target: string }
  /** Everything else: it stays text. */
  | { readonly kind: 'unsafe' };

const SCHEMES = new Set(['http:', 'https:', 'mailto:']);

/** Reads the address of a link as it is written in Markdown. Only http, https and mailto become something to click. */
export function linkTarget(written: string): LinkTarget {
  const bare = /^<[^]*>$/.test(written) ? written.slice(1, -1) : written;
  const plain = decodeEntities(bare.replace(/\\([!-/:-@[-`{-~])/g, '$1'));
  // Browsers drop these anywhere in an address, so "java\nscript:" is a scheme too.
  const address = [...plain].filter((character) => character > ' ' && character !== '\u007f').join('');
  if (/^[a-z][a-z0-9+.-]*:/i.test(address)) return external(address);
  if (/^[\\/]{2}/.test(address)) return { kind: 'unsafe' };
  return { kind: 'internal', target: decoded(plain.trim().replace(/#.*$/s, '')) };
}

function external(address: string): LinkTarget {
  try {
    const url = new URL(address);
    return SCHEMES.has(url.protocol) ? { kind: 'external', href: url.href } : { kind: 'unsafe' };
  } catch {
    return { kind: 'unsafe' };
  }
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path; // A lone "%" is a part of the name.
  }
}

/** The target and the shown words of `[[target#heading|words]]`, without the brackets. */
export function wikilinkParts(inside: string): { readonly target: string; readonly words: string } {
  const [full = '', alias] = splitOnce(inside, '|');
  const target = full.replace(/\\$/, '');
  const name = target.replace(/#.*$/s, '').trim();
  const words = alias?.trim() ?? '';
  return { target: name, words: words === '' ? target.trim().replace(/^#/, '') : words };
}

function splitOnce(text: string, mark: string): readonly [string, string?] {
  const at = text.indexOf(mark);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}
