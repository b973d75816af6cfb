/** A raw HTML tag as a browser reads it, also when it is malformed. */
export interface Tag {
  /** Lower case. */
  readonly name: string;
  readonly closing: boolean;
  /** True when it is a tag in Markdown too. Otherwise it is text in Markdown, and a tag only inside an HTML block. */
  readonly wellFormed: boolean;
  /** False when the tag has more attributes than are read. */
  readonly complete: boolean;
}

/** A tag at its place. */
interface PlacedTag extends Tag {
  /** Offset after the `>`, or the text's end when the tag never closes. */
  readonly to: number;
}

/** An attribute; the value is as written, undecoded, and '' when there is none. */
export type Attribute = readonly [name: string, value: string];

/** The attributes that are read at most; no real tag has more. */
const MAX_ATTRIBUTES = 256;

/** The length from which a name of a tag or an attribute is not read (UTF-16 units); no real name is so long. */
const MAX_NAME = 1024;
const NAME = new RegExp(`[^\\s/>]{0,${MAX_NAME}}`, 'y');
const GAP = /[\s/]*/y;
const ATTRIBUTE = new RegExp(`=?[^\\s/>=]{0,${MAX_NAME}}`, 'y');
const EQUALS = /\s*=\s*/y;
const UNQUOTED = /[^\s>]*/y;

/**
 * Reads the tag at an offset as the HTML tokenizer does. The text there must be `<` or `</` and a letter. Returns null when the
 * name of the tag or of an attribute is too long.
 * @param attributes gets the attributes in order. They are no part of the result, because a text of tags inside tags has far more
 * of them than characters.
 */
export function readTag(text: string, at: number, attributes?: Attribute[]): PlacedTag | null {
  const closing = text[at + 1] === '/';
  let count = 0;
  let end = at + (closing ? 2 : 1);
  const take = (pattern: RegExp): string => {
    pattern.lastIndex = end;
    const found = pattern.exec(text)?.[0] ?? '';
    end += found.length;
    return found;
  };
  const name = take(NAME);
  let wellFormed = /^[a-z][\w-]*$/i.test(name);
  if (name.length >= MAX_NAME) return null;
  for (;;) {
    const gap = take(GAP);
    if (end >= text.length)
      return { name: name.toLowerCase(), closing, to: end, wellFormed: false, complete: true };
    if (text[end] === '>') {
      wellFormed &&= /^\s*\/?$/.test(gap) && !(closing && (count > 0 || gap.includes('/')));
      return { name: name.toLowerCase(), closing, to: end + 1, wellFormed, complete: true };
    }
    if (count === MAX_ATTRIBUTES) {
      return { name: name.toLowerCase(), closing, to: end, wellFormed, complete: false };
    }
    const attribute = take(ATTRIBUTE);
    if (attribute.length >= MAX_NAME) return null;
    wellFormed &&= /^\s+$/.test(gap) && /^[a-z_:][\w.:-]*$/i.test(attribute);
    let value = '';
    if (take(EQUALS) !== '') {
      const quote = text[end];
      if (quote === '"' || quote === "'") {
        const close = text.indexOf(quote, end + 1);
        value = text.slice(end + 1, close < 0 ? text.length : close);
        end = close < 0 ? text.length : close + 1;
      } else {
        value = take(UNQUOTED);
        wellFormed &&= value !== '' && !/["'=<>`]/.test(value);
      }
    }
    count += 1;
    attributes?.push([attribute.toLowerCase(), value]);
  }
}

/** Named character references that can be part of an address, a scheme or a tag. */
const NAMED: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00a0',
  colon: ':',
  semi: ';',
  sol: '/',
  bsol: '\\',
  period: '.',
  comma: ',',
  lpar: '(',
  rpar: ')',
  lbrack: '[',
  lsqb: '[',
  rbrack: ']',
  rsqb: ']',
  lcub: '{',
  rcub: '}',
  num: '#',
  percnt: '%',
  excl: '!',
  quest: '?',
  equals: '=',
  plus: '+',
  ast: '*',
  commat: '@',
  dollar: '$',
  lowbar: '_',
  grave: '`',
  vert: '|',
  tab: '\t',
  newline: '\n',
  shy: '\u00ad',
  zwj: '\u200d',
  zwnj: '\u200c',
  zerowidthspace: '\u200b',
  nobreak: '\u2060',
};

/** Decodes numeric character references and the names of `NAMED`, with or without the semicolon. */
export function decodeEntities(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(/&(?:#(\d+)|#x([0-9a-f]+)|([a-z]{2,16}););?/gi, (whole, decimal, hex, name) => {
    if (typeof name === 'string') return NAMED[name.toLowerCase()] ?? whole;
    const code = typeof decimal === 'string' ? Number(decimal) : Number.parseInt(String(hex), 16);
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : '\ufffd';
  });
}
