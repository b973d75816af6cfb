import { finish, ITEMS_PER_STEP, type Steps, Tally } from '../base/steps';
import { readTag, type Tag } from './html';
import {
  AUTOLINK,
  crossesCell,
  type Definitions,
  EMPTY_COMMENT,
  type Findings,
  LABEL,
  labelKey,
  type LinkSpan,
  match,
  MATH,
  type Section,
  type Span,
  type SpanBase,
  UNITS_PER_STEP,
} from './spans';

/** The code spans of one section. Each look-up takes time in the logarithm of the number of backtick runs. */
interface Backticks {
  /** Returns the offset after the code span that opens with `length` backticks at `at`; -1 when none opens there. */
  endOf(at: number, length: number): number;
  /** Returns true when a code span that opens between `from` and `to` would end behind `to`. */
  straddle(from: number, to: number): boolean;
}

/** Pairs the backtick runs of a section. Only a run of equal length closes a span. */
function pairBackticks(text: string): Backticks {
  return finish(backtickSteps(text));
}

/** Computes `pairBackticks` in steps. */
function* backtickSteps(text: string): Steps<Backticks> {
  const runs: number[] = [];
  let pause = UNITS_PER_STEP;
  const byLength = new Map<number, number[]>();
  for (let at = text.indexOf('`'); at >= 0; at = text.indexOf('`', at)) {
    const start = at;
    if (at >= pause) {
      yield;
      pause = at + UNITS_PER_STEP;
    }
    while (text[at] === '`') at += 1;
    runs.push(start);
    const same = byLength.get(at - start);
    if (same === undefined) byLength.set(at - start, [start]);
    else same.push(start);
  }
  const endOf = (at: number, length: number): number => {
    const close = firstFrom(byLength.get(length) ?? [], at + length);
    return close < 0 ? -1 : close + length;
  };
  return {
    endOf,
    straddle(from, to) {
      let at = firstFrom(runs, from);
      while (at >= 0 && at < to) {
        const length = runLength(text, at);
        const end = endOf(at, length);
        if (end > to) return true;
        at = firstFrom(runs, end < 0 ? at + length : end);
      }
      return false;
    },
  };
}

/** Returns the number of backticks from `at` on. */
function runLength(text: string, at: number): number {
  let end = at;
  while (text[end] === '`') end += 1;
  return end - at;
}

/** Returns the first of the sorted offsets that is not before `at`; -1 when there is none. */
export function firstFrom(sorted: readonly number[], at: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? 0) < at) low = middle + 1;
    else high = middle;
  }
  return sorted[low] ?? -1;
}

/** The content of the parentheses of an inline link. */
interface Destination {
  /** As written, with `<>` when it has them. */
  readonly address: string;
  readonly from: number;
  /** Offset after the closing parenthesis; of a loose one, the offset of the opening parenthesis. */
  readonly end: number;
  /** Offset after the closing parenthesis, of a loose one too; that of the opening one when it is not closed. */
  readonly reach: number;
  /** True when it makes no link in Markdown, but may make one for a forgiving reader. */
  readonly loose: boolean;
}

const TITLE = /"[^"\\]*(?:\\[^][^"\\]*)*"|'[^'\\]*(?:\\[^][^'\\]*)*'|\([^()\\]*(?:\\[^][^()\\]*)*\)/y;
const POINTED = /<[^<>\\\n]*(?:\\[^\n][^<>\\\n]*)*>/y;
const SPACE = /[ \t\r\n]*/y;
/** The part of a loose address that is read (UTF-16 units): enough for its scheme, and short enough for linear time. */
const MAX_LOOSE = 128;

/** Returns a function that reads the parentheses that open at an offset. Its first call scans the whole text. */
function destinations(text: string): (open: number) => Destination {
  let ends: ReadonlyMap<number, number> | null = null;
  return destinationsBy(text, () => (ends ??= finish(addressEnds(text))));
}

/** Returns the function of `destinations` after it has scanned the text in steps; null when it has more than `room` addresses. */
function* destinationSteps(text: string, room: number): Steps<((open: number) => Destination) | null> {
  const ends = yield* addressEnds(text, room);
  return ends.size > room ? null : destinationsBy(text, () => ends);
}

/** @param endsOf returns the result of `addressEnds` */
function destinationsBy(
  text: string,
  endsOf: () => ReadonlyMap<number, number>,
): (open: number) => Destination {
  const tails = new Map<number, number>();
  /** Returns the offset after the parenthesis that closes an address ending at `at`; -1 when none does. */
  const tailOf = (at: number): number => {
    const known = tails.get(at);
    if (known !== undefined) return known;
    const afterSpace = skip(SPACE, text, at);
    const afterTitle = afterSpace > at ? skip(SPACE, text, skip(TITLE, text, afterSpace)) : at;
    const end = text[afterSpace] === ')' ? afterSpace + 1 : text[afterTitle] === ')' ? afterTitle + 1 : -1;
    tails.set(at, end);
    return end;
  };
  return (open) => {
    const from = skip(SPACE, text, open + 1);
    const pointed = text[from] === '<' ? skip(POINTED, text, from) : from;
    const to = pointed > from ? pointed : (endsOf().get(open) ?? from);
    const unclosed = text[from] === '<' && pointed === from;
    const end = unclosed ? -1 : tailOf(to);
    // A destination that holds `](` is loose: the scan continues inside, where another link may be.
    if (end >= 0 && !text.slice(from, end).includes(']('))
      return { address: text.slice(from, to), from, end, reach: end, loose: false };
    const address = text.slice(from, Math.min(to, from + MAX_LOOSE));
    return { address, from, end: open, reach: Math.max(end, open), loose: true };
  };
}

function skip(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}

/**
 * Returns, for each `(` behind a `]`, the end of an address without `<>`: at white space or at its own `)`. It ends early when there
 * are more than `room`.
 */
function* addressEnds(text: string, room = Infinity): Steps<Map<number, number>> {
  const ends = new Map<number, number>();
  let open: number[] = [];
  const tally = new Tally(ITEMS_PER_STEP);
  function* close(at: number): Steps<void> {
    for (const start of open) {
      if (text[start - 1] === ']') ends.set(start, at);
      if (tally.isFull()) yield;
    }
    open = [];
  }
  let pause = UNITS_PER_STEP;
  for (const { 0: found, index } of text.matchAll(/\\[^ \t\r\n]|[()]|[ \t\r\n]+/g)) {
    if (index >= pause) {
      if (ends.size + open.length > room) break;
      yield;
      pause = index + UNITS_PER_STEP;
    }
    if (found === '(') open.push(index);
    else if (found === ')') {
      const start = open.pop();
      if (start !== undefined && text[start - 1] === ']') ends.set(start, index);
    } else if (!found.startsWith('\\')) {
      const first = open.at(-1);
      const leads = first === index - 1 && text[first - 1] === ']';
      if (leads) open.pop();
      yield* close(index);
      // The address begins after white space right behind the parenthesis.
      if (leads) open = [first];
    }
  }
  yield* close(text.length);
  return ends;
}

/** An opening square bracket. */
interface Opener {
  readonly at: number;
  readonly image: boolean;
  /** The number of spans that were found before it. */
  readonly spans: number;
  /** The end of the comment or math around it, or 0. */
  readonly regionEnd: number;
}

/**
 * The pairing of a section's square brackets, which adds their links and images to `spans`. Readers may pair brackets
 * differently when a comment or math lies between them or code is in doubt; the link is then added with every opening bracket
 * that it could have.
 */
class Brackets {
  /** The end of the last link's parentheses for a reader who sees that link. */
  reach = 0;
  readonly #openers: Opener[] = [];
  /** Openings of images whose bracket was closed by something that made no image of them. */
  readonly #lost: Opener[] = [];
  #destination: ReturnType<typeof destinations>;
  #lastLink = -1;
  #lastClose = -1;

  constructor(
    private readonly section: Section,
    private readonly definitions: Definitions,
    private readonly spans: Span[],
    private readonly codeInDoubt: boolean,
  ) {
    this.#destination = destinations(section.text);
  }

  /** The number of brackets that wait for another one. */
  get waiting(): number {
    return this.#openers.length + this.#lost.length;
  }

  /**
   * Finds the ends of all addresses in steps. Without it the first look-up finds them at once. Returns false when there are more than
   * `room`.
   */
  *prepare(room: number): Steps<boolean> {
    const found = yield* destinationSteps(this.section.text, room);
    if (found !== null) this.#destination = found;
    return found !== null;
  }

  open(at: number, image: boolean, regionEnd: number): void {
    this.#openers.push({ at, image, spans: this.spans.length, regionEnd });
  }

  /** Opens both brackets of `[[`. */
  openTwo(at: number, image: boolean, regionEnd: number): void {
    this.open(at, image, regionEnd);
    this.open(at + 1, false, regionEnd);
  }

  /** Records that a wikilink was added, so that links around it are `nested`. */
  linkAdded(): void {
    this.#lastLink = this.spans.length - 1;
  }

  /** Closes the bracket at `at` and returns the offset after the link that it makes, or after the bracket. */
  close(at: number): number {
    const { text } = this.section;
    const opener = this.#openers.pop() ?? this.#lost.at(-1);
    const plain = this.#lastClose < (opener?.at ?? at);
    this.#lastClose = at;
    if (text[at + 1] === '(') {
      const end = this.#inline(at, opener);
      if (end > 0) return end;
    }
    if (opener === undefined) return at + 1;
    const end = this.#reference(opener, at, plain);
    if (end > 0) return end;
    if (opener.image && opener !== this.#lost.at(-1)) this.#lost.push(opener);
    return at + 1;
  }

  /**
   * Adds the loose link or image whose text is a wikilink that ends before `end`: some readers see one when parentheses follow
   * the wikilink, or when a defined label follows an embed.
   */
  aroundWikilink(at: number, end: number, image: boolean): void {
    const { text } = this.section;
    const opener = { at, image, spans: this.spans.length, regionEnd: 0 };
    this.reach = end;
    if (text[end] === '(') {
      this.#add(opener, end - 1, end, { ...this.#inParentheses(end), loose: true });
      return;
    }
    const addresses = image ? this.#labelled(end).addresses : undefined;
    if (addresses === undefined) return;
    const open = end + this.section.from;
    this.#add(opener, end - 1, end, { addresses, open, addressFrom: open, loose: true, closed: true });
  }

  /** Adds the link or image whose parentheses follow the bracket at `at`. Returns the offset after it, or 0 for a loose one. */
  #inline(at: number, opener: Opener | undefined): number {
    const inside = this.#inParentheses(at + 1);
    const [first, ...others] = this.#possible(opener, at);
    const end = inside.loose || first === undefined ? 0 : this.#destination(at + 1).end;
    this.#add(first ?? { at, image: false, spans: this.spans.length, regionEnd: 0 }, at, end || at + 1, {
      ...inside,
      loose: inside.loose || first === undefined,
    });
    for (const other of others) this.#add(other, at, at + 1, { ...inside, loose: true });
    return end;
  }

  /** Returns the opener and those that another reader would pair with the same bracket. */
  #possible(opener: Opener | undefined, at: number): Opener[] {
    const openers = opener === undefined ? [] : [opener];
    for (let last = opener; last !== undefined && last.regionEnd > 0 && last.regionEnd <= at;) {
      last = this.#openers.pop();
      if (last === undefined) break;
      openers.push(last);
      if (last.image) this.#lost.push(last);
    }
    const lost = this.codeInDoubt && opener?.image !== true ? this.#lost.at(-1) : undefined;
    return lost === undefined || lost === opener ? openers : [...openers, lost];
  }

  #inParentheses(open: number): Pick<LinkSpan, 'addresses' | 'open' | 'addressFrom' | 'loose' | 'closed'> {
    const found = this.#destination(open);
    const base = this.section.from;
    this.reach = found.reach;
    return {
      addresses: [found.address],
      open: open + base,
      addressFrom: found.from + base,
      loose: found.loose,
      closed: !found.loose,
    };
  }

  /** Adds a link by reference. Returns the offset after it, or 0 when no definition matches. A label holds no brackets. */
  #reference(opener: Opener, at: number, plain: boolean): number {
    const { addresses: known, starts } = this.definitions;
    if (known.size === 0 || starts.has(opener.at + this.section.from)) return 0;
    const { text } = this.section;
    const { label, addresses: full } = this.#labelled(at + 1);
    const own =
      !plain || at - opener.at > 1000 ? undefined : known.get(labelKey(text.slice(opener.at + 1, at)));
    const addresses = full ?? own;
    if (addresses === undefined) return 0;
    const end = full !== undefined || label?.[1] === '' ? at + 1 + (label?.[0].length ?? 0) : at + 1;
    const addressFrom = end + this.section.from;
    this.#add(opener, at, end, { addresses, open: null, addressFrom, loose: false, closed: true });
    // For a reader who sees no definition, the label is the text of an inline link.
    return text[end] === '(' ? at + 1 : end;
  }

  /** Returns the label at an offset, if there is one, and its addresses, if it is defined. */
  #labelled(at: number): {
    readonly label: RegExpExecArray | null;
    readonly addresses: readonly string[] | undefined;
  } {
    const { text } = this.section;
    const label = text[at] === '[' ? match(LABEL, text, at) : null;
    const key = label === null ? '' : labelKey(label[1] ?? '');
    return { label, addresses: key === '' ? undefined : this.definitions.addresses.get(key) };
  }

  #add(
    { at, image, spans: before }: Opener,
    close: number,
    end: number,
    rest: Pick<LinkSpan, 'addresses' | 'open' | 'addressFrom' | 'loose' | 'closed'>,
  ): void {
    const { spans } = this;
    const nested = this.#lastLink >= before;
    if (!image && !rest.loose) {
      // The loop ends at an inner link, which has marked its own images: each image is visited once.
      for (let index = spans.length - 1; index >= before; index -= 1) {
        const span = spans[index];
        if (span?.kind === 'link') break;
        if (span?.kind === 'image') span.inLink = true;
      }
    }
    const base = this.section.from;
    spans.push({
      kind: image ? 'image' : 'link',
      from: (image ? at - 1 : at) + base,
      to: end + base,
      section: this.section,
      textFrom: Math.min(at + 1, close) + base,
      textTo: close + base,
      nested,
      inLink: false,
      ...rest,
    });
    if (!rest.loose) this.#lastLink = spans.length - 1;
  }
}

/** The content of a wikilink's brackets, and its end. */
interface WikiText {
  readonly target: string;
  /** The separator of target and words: `|`, or `\|` in a table, or ''. */
  readonly bar: string;
  readonly alias: string;
  /** Offset after the closing brackets. */
  readonly end: number;
  /** True when it holds brackets, or ends with a backslash: other readers may then pair its brackets differently. */
  readonly isMixed: boolean;
}

/** Characters in a wikilink that some readers take for a part of another link, or that escape its closing bracket. */
export const MIXED = /[[\]]|\\$/;
const STOP = /\\[^\]\n]|\[\[|\]\]|\n/g;
const INSIDE = /^([^|\\]*(?:\\(?:[^|]|$)[^|\\]*)*)(?:(\\?\|)([^]*))?$/;

/**
 * Returns the offset where the text behind the `[[` at `from` stops: at `]]`, which makes it a wikilink, or at another `[[`, the
 * line's end or the text's end, which make it none.
 */
export function wikiStop(text: string, from: number): number {
  // The second bracket may be the first one of another `[[`.
  STOP.lastIndex = from + 1;
  let found = STOP.exec(text);
  while (found?.[0].startsWith('\\')) found = STOP.exec(text);
  return found?.index ?? text.length;
}

/** Reads the wikilink that opens at `from` and stops at `stop` (`wikiStop`); null when it is none. */
export function readWiki(text: string, from: number, stop: number): WikiText | null {
  if (!text.startsWith(']]', stop)) return null;
  const start = from + 2;
  // In `[[a|[b]]]` the first of the three brackets closes the inner one.
  const close = text[stop + 2] === ']' && endsOpen(text.slice(start, stop)) ? stop + 1 : stop;
  const inside = text.slice(start, close);
  const [, target = '', bar = '', alias = ''] = INSIDE.exec(inside) ?? [];
  return { target, bar, alias, end: close + 2, isMixed: MIXED.test(inside) };
}

/** Returns true when the text has an unclosed opening bracket. */
function endsOpen(text: string): boolean {
  let depth = 0;
  for (const bracket of text.match(/[[\]]/g) ?? []) {
    depth = bracket === '[' ? depth + 1 : Math.max(0, depth - 1);
  }
  return depth > 0;
}

/** The beginnings of comments, CDATA, declarations and processing instructions, the longest first, and their ends. */
const RAW = [
  ['<!--', '-->'],
  ['<![CDATA[', ']]>'],
  ['<!', '>'],
  ['<?', '?>'],
] as const;
const TAG_START = /^<\/?[a-z]/i;
const SPECIAL = /[\\`<[\]$%]/g;
/** The multiple of a section's length that tags may read: tags that begin inside other tags read text again. */
const TAG_WORK = 4;
/** The cost of a tag with a name that is too long (UTF-16 units, as in `MAX_NAME`). */
const LONG_TAG = 1024;
/** A tag without attributes. */
const PLAIN_TAG = /<\/?[a-z][a-z0-9]{0,15}>/iy;

/**
 * Scans the inline content of one section in steps and adds the results to `findings`, in linear time on every input. Code
 * hides its content, so a code span counts only when it is one under every reading: when a construct that not every reader sees
 * (a tag, math, a comment, the bar of a table) cuts through a pair of backticks, the section is scanned again as if it had no
 * code. Returns false, and adds nothing, when there are then more findings than `most`.
 */
export function* scanSteps(
  section: Section,
  definitions: Definitions,
  findings: Findings,
  most: number,
): Steps<boolean> {
  const { spans, percents, dollars } = findings;
  const before = [spans.length, percents.length, dollars.length, findings.repeatedTags] as const;
  const undo = (): void => {
    [spans.length, percents.length, dollars.length, findings.repeatedTags] = before;
  };
  const exposed = section.kind === 'html' || section.kind === 'indented';
  let result = yield* new InlineScan(section, definitions, findings, !exposed, most).run();
  if (result === 'certain') return true;
  undo();
  if (result === 'ambiguous')
    result = yield* new InlineScan(section, definitions, findings, false, most).run();
  if (result === 'too many') undo();
  return result !== 'too many';
}

/** One pass over the inline content of a section. With `code` false, backticks mean nothing. */
class InlineScan {
  readonly #text: string;
  readonly #base: number;
  readonly #brackets: Brackets;
  #backticks: Backticks | null = null;
  #at = 0;
  #escaped = -1;
  #tagWork: number;
  #ambiguous = false;
  /** The end of the last wikilink; closing brackets before it close nothing. */
  #wikiEnd = 0;
  /** The offset before which no other wikilink can open. */
  #wikiStop = 0;
  /** The end of the last comment or tag; before it nothing is escaped, and backticks are no code. */
  #rawEnd = 0;
  /** The end of the last comment or math; the brackets before it may or may not count outside of it. */
  #regionEnd = 0;
  /** The next offsets of marks that were looked up. */
  readonly #marks = new Map<string, number>();

  constructor(
    private readonly section: Section,
    definitions: Definitions,
    private readonly findings: Findings,
    private readonly code: boolean,
    private readonly most: number,
  ) {
    this.#text = section.text;
    this.#base = section.from;
    this.#brackets = new Brackets(section, definitions, findings.spans, !code);
    this.#tagWork = TAG_WORK * section.text.length + 4096;
  }

  /** Scans the section. It is ambiguous when readers may pair its backticks differently. */
  *run(): Steps<'certain' | 'ambiguous' | 'too many'> {
    const text = this.#text;
    if (text.length > UNITS_PER_STEP && !(yield* this.#prepare())) return 'too many';
    for (let pause = UNITS_PER_STEP; ;) {
      if (this.#at >= pause) {
        if (this.#isFull()) return 'too many';
        yield;
        pause = this.#at + UNITS_PER_STEP;
      }
      SPECIAL.lastIndex = this.#at;
      const found = SPECIAL.exec(text);
      if (found === null) return this.#isFull() ? 'too many' : this.#ambiguous ? 'ambiguous' : 'certain';
      this.#at = found.index;
      switch (found[0]) {
        case '\\':
          this.#escape();
          break;
        case '`':
          this.#codeSpan();
          break;
        case '<':
          this.#angle();
          break;
        case '[':
          this.#openBracket();
          break;
        case ']':
          this.#closeBracket();
          break;
        default:
          this.#mathOrComment();
      }
    }
  }

  /**
   * Builds the look-ups over a long section's text in steps. For a short one they are built at their first use. Returns false when
   * there are too many links.
   */
  *#prepare(): Steps<boolean> {
    if (this.code && this.#text.includes('`')) this.#backticks = yield* backtickSteps(this.#text);
    return !this.#text.includes('](') || (yield* this.#brackets.prepare(this.most));
  }

  #isFull(): boolean {
    const { spans, percents, dollars, repeatedTags } = this.findings;
    const count = spans.length - Math.floor((2 * repeatedTags) / 3) + percents.length + dollars.length;
    return count + this.#brackets.waiting > this.most;
  }

  #escape(): void {
    const raw = this.section.kind === 'html' || this.#at < this.#rawEnd;
    const escapes = !raw && /[!-/:-@[-`{-~]/.test(this.#text[this.#at + 1] ?? '');
    if (escapes) this.#escaped = this.#at + 1;
    this.#at += escapes ? 2 : 1;
  }

  #codeSpan(): void {
    const from = this.#at;
    const length = runLength(this.#text, from);
    this.#at = from + length;
    if (!this.code || from < this.#rawEnd) return;
    // Parsers differ on a run whose first backtick is escaped: the rest of it may open a span.
    if (this.#escaped === from - 1 && this.#text[from - 1] === '`') this.#ambiguous = true;
    const end = this.#pairs().endOf(from, length);
    if (end < 0) return;
    if (this.section.table && crossesCell(this.#text, from, end)) this.#ambiguous = true;
    this.#add({
      kind: 'code',
      ...this.#place(from, end),
      textFrom: this.#at + this.#base,
      textTo: end - length + this.#base,
    });
    this.#at = end;
  }

  #angle(): void {
    const from = this.#at;
    const text = this.#text;
    this.#at = from + 1;
    if (text[from + 1] === '!' || text[from + 1] === '?') {
      this.#raw(from);
      return;
    }
    const autolink = match(AUTOLINK, text, from);
    if (autolink !== null) {
      const end = from + autolink[0].length;
      this.#add({ kind: 'autolink', ...this.#place(from, end) });
      this.#cover(from, end);
      // An address with a control character is an autolink for some readers only.
      if (this.#next('<', from + 1) >= end && !/\p{Cc}/u.test(autolink[0])) this.#at = end;
    } else if (TAG_START.test(text.slice(from, from + 3))) {
      this.#tag(from);
    }
  }

  #tag(from: number): void {
    const read = this.#tagWork <= 0 ? null : this.#readTag(from);
    // The end of an unread or incomplete tag is unknown, and so is which backticks are in it.
    if (read?.tag.complete !== true) this.#ambiguous = this.code;
    if (read === null) {
      this.#tagWork -= LONG_TAG;
      this.#add({ kind: 'tag', ...this.#place(from, from + 1), tag: null });
      return;
    }
    const { tag, to } = read;
    this.#tagWork -= to - from;
    this.#add({ kind: 'tag', ...this.#place(from, to), tag });
    if (!tag.wellFormed || !tag.complete) return;
    this.#cover(from, to);
    // Tags inside its attributes are scanned too, for readers who see this tag differently.
    if (this.#next('<', from + 1) >= to) this.#at = to;
    else this.#rawEnd = Math.max(this.#rawEnd, to);
  }

  /** Reads the tag at an offset; one without attributes that stood before is the same object. */
  #readTag(from: number): { readonly tag: Tag; readonly to: number } | null {
    const source = match(PLAIN_TAG, this.#text, from)?.[0] ?? '';
    const known = this.findings.plainTags.get(source);
    if (known !== undefined) {
      this.findings.repeatedTags += 1;
      return { tag: known, to: from + source.length };
    }
    const placed = readTag(this.#text, from);
    if (placed === null) return null;
    const { to, ...tag } = placed;
    if (source !== '') this.findings.plainTags.set(source, tag);
    return { tag, to };
  }

  #openBracket(): void {
    const from = this.#at;
    const image = this.#text[from - 1] === '!' && this.#escaped !== from - 1;
    const wiki = this.#wikiAt(from);
    const regionEnd = from < this.#regionEnd ? this.#regionEnd : 0;
    this.#at = from + 1;
    if (wiki === null) {
      this.#brackets.open(from, image, regionEnd);
      return;
    }
    const { target, bar, alias, end, isMixed } = wiki;
    // When it holds brackets, some readers see no wikilink, but links that those brackets make with its own.
    if (isMixed) this.#brackets.openTwo(from, image, regionEnd);
    else {
      // A code span may cover its end: then it is two open brackets, which later ones may close.
      if (!this.code && this.#text.slice(from, end).includes('`')) this.#brackets.openTwo(from, image, 0);
      this.#brackets.aroundWikilink(from, end, image);
      this.#cover(end, this.#brackets.reach);
      this.#wikiEnd = end;
    }
    const targetFrom = from + 2 + this.#base;
    this.#add({
      kind: image ? 'embed' : 'wikilink',
      ...this.#place(image ? from - 1 : from, end),
      targetFrom,
      targetTo: targetFrom + target.length,
      textFrom: targetFrom + target.length + bar.length,
      textTo: targetFrom + target.length + bar.length + alias.length,
    });
    this.#brackets.linkAdded();
    this.#cover(from, end);
    // The scan continues inside the target and the text: a tag may be there.
    this.#at = from + 2;
  }

  /** Reads the wikilink at an offset; null for none, inside another one, and before the stop of an earlier failed one. */
  #wikiAt(from: number): WikiText | null {
    if (this.#text[from + 1] !== '[' || from < this.#wikiStop) return null;
    const stop = wikiStop(this.#text, from);
    const wiki = readWiki(this.#text, from, stop);
    this.#wikiStop = wiki?.end ?? stop;
    return wiki;
  }

  #closeBracket(): void {
    const at = this.#at;
    this.#at = at + 1;
    if (at < this.#wikiEnd) return;
    const end = this.#brackets.close(at);
    const label = this.#text[at + 1] === '[' ? match(LABEL, this.#text, at + 1) : null;
    // Some readers take a label for a reference also when it is not defined.
    if (label !== null) this.#cover(at + 1, at + 1 + label[0].length);
    this.#cover(at + 1, Math.max(end, this.#brackets.reach));
    // The address and the title may hold a tag for readers who pair the brackets differently.
    for (let tag = this.#next('<', at + 1); tag < end; tag = this.#next('<', tag + 1)) {
      if (TAG_START.test(this.#text.slice(tag, tag + 3))) this.#tag(tag);
    }
    this.#at = end;
  }

  #mathOrComment(): void {
    const from = this.#at;
    const mark = this.#text.charAt(from);
    this.#at = from + 1;
    if (this.#text[from + 1] === mark) {
      (mark === '%' ? this.findings.percents : this.findings.dollars).push(from + this.#base);
      this.#at = from + 2;
      this.#region(this.#next(mark + mark, from + 2) + 2);
      return;
    }
    const math = mark === '$' ? match(MATH, this.#text, from)?.[0] : undefined;
    if (math === undefined || /\s\$$/.test(math)) return;
    this.#add({ kind: 'math', ...this.#place(from, from + math.length) });
    this.#cover(from, from + math.length);
    this.#region(from + math.length);
  }

  /** Adds a comment, CDATA, a declaration or a processing instruction. Browsers end some earlier, so they hide nothing. */
  #raw(from: number): void {
    const empty = match(EMPTY_COMMENT, this.#text, from)?.[0].length;
    const [, mark] = RAW.find(([opening]) => this.#text.startsWith(opening, from)) ?? [];
    if (from < this.#rawEnd || mark === undefined) return;
    const close = empty === undefined ? this.#next(mark, from + 2) : from + empty - mark.length;
    if (close === Infinity) return;
    this.#rawEnd = close + mark.length;
    this.#add({ kind: 'comment', ...this.#place(from, this.#rawEnd) });
    this.#cover(from, this.#rawEnd);
    this.#region(this.#rawEnd);
  }

  /** Records the end of a comment or math, whose brackets may or may not count outside of it. */
  #region(end: number): void {
    if (end < Infinity) this.#regionEnd = Math.max(this.#regionEnd, end);
  }

  /** Returns the next offset of a mark, or Infinity. The result is kept, so that each part of the text is searched once. */
  #next(mark: string, from: number): number {
    const known = this.#marks.get(mark);
    if (known !== undefined && known >= from) return known;
    const found = this.#text.indexOf(mark, from);
    this.#marks.set(mark, found < 0 ? Infinity : found);
    return found < 0 ? Infinity : found;
  }

  /** Records that a construct claims a range: the scan is ambiguous when a code span would cross the range's end. */
  #cover(from: number, to: number): void {
    if (this.code && !this.#ambiguous) this.#ambiguous = this.#pairs().straddle(from, to);
  }

  #pairs(): Backticks {
    return (this.#backticks ??= pairBackticks(this.#text));
  }

  #place(from: number, to: number): SpanBase {
    return { from: from + this.#base, to: to + this.#base, section: this.section };
  }

  #add(span: Span): void {
    this.findings.spans.push(span);
  }
}
