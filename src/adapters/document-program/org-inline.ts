import { formula, Inline, InlineScanner } from './blocks';
import { TEX_OF_CHARACTERS } from './html-math';
import { inlineCode, link, linkTarget } from './markup';

/** A character that may begin markup. */
const SPECIAL = /[*/+_=~[\\$<]/g;
/** What may stand before and behind marks of emphasis (Org syntax, "Text Markup"). */
const BEFORE = /^$|[\s\-({'"]/;
const AFTER = String.raw`(?=$|[\s\-.,;:!?'")}\\[\]])`;
const MARKS: Readonly<Record<string, string>> = { '*': '**', '/': '*', '+': '~~', _: '*' };
const ENDS: Readonly<Record<string, RegExp>> = Object.fromEntries([
  ...['*', '/', '+', '_', '=', '~'].map((mark): [string, RegExp] => [
    mark,
    new RegExp(`(?<![\\s${mark}])[${mark}]${AFTER}`, 'g'),
  ]),
  ['$', /(?<![\s.,$])\$(?=$|[\s\-.,;:!?'")])/g],
  ['$$', /\$\$/g],
  ['\\(', /\\\)/g],
  ['\\[', /\\\]/g],
]);
const LINK = /\[\[((?:[^\][\\]|\\[^]){1,1000})\](?:\[((?:[^\]]|\](?!\])){1,2000})\])?\]/y;
const NOTE = /\[fn:([\w-]{0,100})([:\]])/y;
const ANGLE = /<((?:https?:\/\/|mailto:)[^\s<>]{1,2000})>/y;
const ENTITY = /\\([A-Za-z]{2,20})(?:\{\}|(?![A-Za-z]))/y;
/** Emphasis in emphasis at most. */
const MAX_DEPTH = 4;
/** The text of a footnote in a line at most (UTF-16 units). */
const MAX_NOTE = 2000;

const NAMES =
  'vert | larr ← rarr → uarr ↑ darr ↓ harr ↔ lArr ⇐ rArr ⇒ hArr ⇔ leftarrow ← rightarrow → Leftarrow ⇐ copy © reg ® deg ° euro € EUR € pound £ cent ¢ yen ¥ sect § para ¶ hellip … dots … mdash — ndash – laquo « raquo » ldquo “ rdquo ” lsquo ‘ rsquo ’ bull • middot · dagger † frac12 ½ frac14 ¼ frac34 ¾ sup2 ² sup3 ³ amp & lt < gt > quot " auml ä ouml ö uuml ü Auml Ä Ouml Ö Uuml Ü szlig ß eacute é egrave è agrave à ccedil ç ntilde ñ aring å oslash ø aelig æ plusmn ± radic √ infin ∞ checkmark ✓ check ✓'.split(
    ' ',
  );
/** The characters of entities (Org manual, "Special Symbols"): those that TeX has too, and some of HTML. */
const CHARACTERS: ReadonlyMap<string, string> = new Map([
  ...Object.entries(TEX_OF_CHARACTERS).map(([character, tex]): [string, string] => [tex.slice(1), character]),
  ['nbsp', '\u00a0'],
  ...NAMES.flatMap((name, at): [string, string][] => (at % 2 === 0 ? [[name, NAMES[at + 1] ?? '']] : [])),
]);

/** A footnote that is written inside a line. */
export interface InlineNote {
  readonly label: string;
  readonly text: string;
}

/** Converts the inline markup of Org, and keeps the footnotes that lines contain. */
export class OrgInline {
  /** Footnotes of lines that are not written yet. */
  readonly notes: InlineNote[] = [];
  #count = 0;

  /** Converts the text of a paragraph, a title or a cell. Text without a meaning in Org stays as written. */
  convert(source: string, depth = 0): Inline {
    const out = new Inline(source);
    new Scanner(source, out, this, depth).scan();
    return out;
  }

  /** Keeps a footnote, and returns its label. */
  note(label: string, text: string): string {
    const own = label === '' ? `note-${(this.#count += 1)}` : label;
    this.notes.push({ label: own, text });
    return own;
  }
}

class Scanner extends InlineScanner {
  /** The next end of each mark, searched once; Infinity when the rest of the text has none. */
  readonly #ends = new Map<string, number>();
  /** The next two line ends from an offset on, as searched last. */
  readonly #lineEnds = { from: Infinity, first: -1, second: -1 };

  constructor(
    source: string,
    out: Inline,
    private readonly org: OrgInline,
    private readonly depth: number,
  ) {
    super(SPECIAL, source, out);
  }

  protected markup(here: number): number {
    const mark = this.source.charAt(here);
    if (mark === '[') return this.#brackets(here);
    if (mark === '\\') return this.#backslash(here);
    if (mark === '$') return this.#dollar(here);
    if (mark === '<') return this.#angle(here);
    return this.#emphasis(here, mark);
  }

  /** Returns the offset of the end of what begins with a mark, when it lies within three lines. */
  #end(mark: string, from: number): number | null {
    const pattern = ENDS[mark];
    if (pattern === undefined) return null;
    let end = this.#ends.get(mark) ?? -1;
    if (end < from) {
      pattern.lastIndex = from;
      end = pattern.exec(this.source)?.index ?? Infinity;
      this.#ends.set(mark, end);
    }
    if (end === Infinity) return null;
    return end < this.#secondLineEnd(from) ? end : null;
  }

  /** Returns the offset of the second line end from an offset on; Infinity without one. Each line is searched once. */
  #secondLineEnd(from: number): number {
    const known = this.#lineEnds;
    if (from < known.from || from > known.first) {
      known.from = from;
      known.first = nextLineEnd(this.source, from);
      known.second = known.first === Infinity ? Infinity : nextLineEnd(this.source, known.first + 1);
    }
    return known.second;
  }

  #emphasis(here: number, mark: string): number {
    const after = this.source.charAt(here + 1);
    // Two marks of a kind are text: `__init__.py`.
    if (after === mark) return behindRun(this.source, here);
    const begins = BEFORE.test(this.source.charAt(here - 1)) && after.trim() !== '';
    const end = begins ? this.#end(mark, here + 2) : null;
    const isCode = mark === '=' || mark === '~';
    // Emphasis holds no other mark of its kind, as paths and names do: `/etc/hosts and /usr/`.
    if (end === null || (!isCode && this.source.indexOf(mark, here + 1) !== end)) return here + 1;
    const text = this.source.slice(here + 1, end);
    this.takeUpTo(here, end + 1);
    if (isCode) this.out.piece(inlineCode(text.replace(/\n/g, ' ')), text);
    else {
      const inner = this.org.convert(text, this.depth + 1);
      const sign = MARKS[mark] ?? '';
      if (this.depth >= MAX_DEPTH) this.out.text(text);
      else this.out.piece(sign + inner.line() + sign, inner.shown());
    }
    return this.done;
  }

  #brackets(here: number): number {
    LINK.lastIndex = here;
    const [whole, target, label] = LINK.exec(this.source) ?? [];
    if (whole !== undefined && target !== undefined && (label !== undefined || this.#leads(here, target))) {
      this.takeUpTo(here, here + whole.length);
      this.#link(target.replace(/\\([\]\\[])/g, '$1'), label);
      return this.done;
    }
    NOTE.lastIndex = here;
    const [begin, name = '', sign] = NOTE.exec(this.source) ?? [];
    if (begin === undefined) return here + 1;
    if (sign === ']') {
      if (name === '') return here + 1;
      this.takeUpTo(here, here + begin.length);
      this.out.piece(`[^${name}]`, '');
      return this.done;
    }
    const from = here + begin.length;
    const end = closingBracket(this.source, from);
    if (end === null) return here + 1;
    this.takeUpTo(here, end + 1);
    this.out.piece(`[^${this.org.note(name, this.source.slice(from, end))}]`, '');
    return this.done;
  }

  /** Returns true for the target of a link without a label. Other text between such brackets stays: `x[["key"]]`. */
  #leads(here: number, target: string): boolean {
    if (/[\p{L}\p{N}]/u.test(this.source.charAt(here - 1)) || target.trim() !== target) return false;
    return /^(?:[*#]|[a-z][a-z+-]*:)\S/i.test(target) || linkTarget(target) !== null;
  }

  #link(address: string, label: string | undefined): void {
    const path = address
      .replace(/^(?:file:|attachment:)/, '')
      .replace(/::(?:\*|#)?(.*)$/, '#$1')
      .replace(/#$/, '');
    const target = linkTarget(/^(?:https?|mailto):/i.test(address) ? address : path);
    const said = label ?? address.replace(/^(?:file:|\*|#)/, '');
    const shown = label === undefined ? said : this.org.convert(said, MAX_DEPTH).shown();
    if (target !== null) this.out.piece(link(target, shown), shown);
    // An address that no link can have is text; the place of a heading or of an entry is none.
    else if (label !== undefined && /^(?!id:)(?:[a-z][\w+-]*:|[/~.])/i.test(address))
      this.out.text(`${shown} <${address}>`);
    else this.out.text(shown);
  }

  #backslash(here: number): number {
    const { source } = this;
    const mark = source.slice(here, here + 2);
    if (mark === '\\(' || mark === '\\[') {
      const end = this.#end(mark, here + 2);
      if (end === null) return here + 2;
      this.takeUpTo(here, end + 2);
      const tex = source.slice(here + 2, end);
      this.out.piece(formula(tex), tex);
      return this.done;
    }
    // A line break.
    if (mark === '\\\\' && /^\s*(?:\n|$)/.test(source.slice(here + 2, here + 40)))
      return this.takeUpTo(here, here + 2);
    ENTITY.lastIndex = here;
    const [whole = '', name = ''] = ENTITY.exec(source) ?? [];
    const character = CHARACTERS.get(name);
    // A path has names behind backslashes too.
    if (character === undefined || /[\p{L}\p{N}\\:]/u.test(source.charAt(here - 1))) return here + 1;
    this.takeUpTo(here, here + whole.length);
    this.out.text(character);
    return this.done;
  }

  #dollar(here: number): number {
    const mark = this.source.startsWith('$$', here) ? '$$' : '$';
    const from = here + mark.length;
    const begins =
      mark === '$$' ||
      (/^[^\s.,;?'"$]/.test(this.source.charAt(from)) && !/[\w$]/.test(this.source.charAt(here - 1)));
    const end = begins ? this.#end(mark, from + 1) : null;
    if (end === null) return from;
    this.takeUpTo(here, end + mark.length);
    const tex = this.source.slice(from, end);
    this.out.piece(formula(tex), tex);
    return this.done;
  }

  #angle(here: number): number {
    ANGLE.lastIndex = here;
    const [whole, address] = ANGLE.exec(this.source) ?? [];
    const target = address === undefined ? null : linkTarget(address);
    if (whole === undefined || target === null || address === undefined) return here + 1;
    this.takeUpTo(here, here + whole.length);
    this.out.piece(link(target, address), address);
    return this.done;
  }
}

/** Returns the offset of the next line end; Infinity without one. */
function nextLineEnd(source: string, from: number): number {
  const at = source.indexOf('\n', from);
  return at < 0 ? Infinity : at;
}

/** Returns the offset behind a run of one character. */
function behindRun(source: string, from: number): number {
  let end = from + 1;
  while (source[end] === source[from]) end += 1;
  return end;
}

/** Returns the offset of the bracket that closes what begins at an offset, or null. */
function closingBracket(source: string, from: number): number | null {
  let depth = 0;
  for (let at = from; at < Math.min(source.length, from + MAX_NOTE); at += 1) {
    const character = source[at];
    if (character === '[') depth += 1;
    else if (character === ']' && depth === 0) return at;
    else if (character === ']') depth -= 1;
  }
  return null;
}
