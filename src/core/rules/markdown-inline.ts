import type { Section } from './markdown-section';
import { readTag } from './markdown-html';
import { Brackets } from './markdown-brackets';
import { backtickSteps, type Backticks, pairBackticks, runLength } from './markdown-pairs';
import { AUTOLINK, crossesCell, EMPTY_COMMENT, LABEL, match, MATH, UNITS_PER_STEP } from './markdown-tokens';
import { readWiki, wikiStop, type WikiText } from './markdown-wikilink';
import type { Steps } from '../steps';
import type { Definitions, Findings, Span, SpanBase } from './markdown-spans';

/** How raw parts begin, the longest first, and what ends them. */
const RAW = [
  ['<!--', '-->'],
  ['<![CDATA[', ']]>'],
  ['<!', '>'],
  ['<?', '?>'],
] as const;
const TAG_START = /^<\/?[a-z]/i;
const SPECIAL = /[\\`<[\]$%]/g;
/** How often the text of a section may be read again by tags that begin inside other tags. */
const TAG_WORK = 4;
/** What it costs at least to find out that a tag is too long to be read. */
const LONG_TAG = 1024;

/**
 * Reads the inline content of one section and adds what it finds to `findings`. Linear on every input. Code hides what
 * stands in it, so a code span is only taken for one when it is one under every reading: where something else that
 * may or may not count (a tag, math, a comment, the bar of a table) cuts through the pairs of backticks, the whole
 * section is read as if it had no code. A long section takes several steps.
 */
export function* scanSteps(section: Section, definitions: Definitions, findings: Findings): Steps<void> {
  const { spans, percents, dollars } = findings;
  const before = [spans.length, percents.length, dollars.length] as const;
  const exposed = section.kind === 'html' || section.kind === 'indented';
  if (yield* new InlineScan(section, definitions, findings, !exposed).run()) return;
  [spans.length, percents.length, dollars.length] = before;
  yield* new InlineScan(section, definitions, findings, false).run();
}

class InlineScan {
  readonly #text: string;
  readonly #base: number;
  readonly #brackets: Brackets;
  #backticks: Backticks | null = null;
  #at = 0;
  #escaped = -1;
  #tagWork: number;
  #ambiguous = false;
  /** Where the last wikilink ends, whose brackets open nothing, and the last raw part, in which nothing is escaped or code. */
  #wikiEnd = 0;
  /** No wikilink opens before. */
  #wikiStop = 0;
  #rawEnd = 0;
  #regionEnd = 0;
  readonly #marks = new Map<string, number>();

  constructor(
    private readonly section: Section,
    definitions: Definitions,
    private readonly findings: Findings,
    private readonly code: boolean,
  ) {
    this.#text = section.text;
    this.#base = section.from;
    this.#brackets = new Brackets(section, definitions, findings.spans, !code);
    this.#tagWork = TAG_WORK * section.text.length + 4096;
  }

  /** False when the pairs of backticks can be read in more than one way. */
  *run(): Steps<boolean> {
    const text = this.#text;
    if (text.length > UNITS_PER_STEP) yield* this.#prepare();
    for (let pause = UNITS_PER_STEP; ;) {
      if (this.#at >= pause) {
        yield;
        pause = this.#at + UNITS_PER_STEP;
      }
      SPECIAL.lastIndex = this.#at;
      const found = SPECIAL.exec(text);
      if (found === null) return !this.#ambiguous;
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

  /** What is looked up of the whole text of a section is made in steps when it is long, else when it is asked for. */
  *#prepare(): Steps<void> {
    if (this.code && this.#text.includes('`')) this.#backticks = yield* backtickSteps(this.#text);
    if (this.#text.includes('](')) yield* this.#brackets.prepare();
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
    // Parsers differ on whether the rest of a run whose first backtick is escaped opens a span.
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
      // With a control character in it, it is an autolink for some readers only.
      if (this.#next('<', from + 1) >= end && !/\p{Cc}/u.test(autolink[0])) this.#at = end;
    } else if (TAG_START.test(text.slice(from, from + 3))) {
      this.#tag(from);
    }
  }

  #tag(from: number): void {
    const tag = this.#tagWork <= 0 ? null : readTag(this.#text, from);
    // Where a tag ends that is not read to its end, nobody knows, nor which backticks stand in it.
    if (tag?.complete !== true) this.#ambiguous = this.code;
    if (tag === null) {
      this.#tagWork -= LONG_TAG;
      this.#add({ kind: 'tag', ...this.#place(from, from + 1), tag: null });
      return;
    }
    this.#tagWork -= tag.to - from;
    this.#add({ kind: 'tag', ...this.#place(from, tag.to), tag });
    if (!tag.wellFormed || !tag.complete) return;
    this.#cover(from, tag.to);
    // Tags within its attributes are looked at too; nothing is lost when a reader sees none there.
    if (this.#next('<', from + 1) >= tag.to) this.#at = tag.to;
    else this.#rawEnd = Math.max(this.#rawEnd, tag.to);
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
    // Where brackets stand in it, some readers see no wikilink, but other links that those make with its own.
    if (isMixed) this.#brackets.openTwo(from, image, regionEnd);
    else {
      // Where a code span takes its end away, it is two brackets that others further on may close.
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
    // What stands in the target and the text is read on: a tag may be there.
    this.#at = from + 2;
  }

  /** The wikilink that opens here, or null. None opens in another one, or where one that opened before led to nothing. */
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
    // Some readers take the label for one whether it is defined or not.
    if (label !== null) this.#cover(at + 1, at + 1 + label[0].length);
    this.#cover(at + 1, Math.max(end, this.#brackets.reach));
    // A tag in the address or the title is none, unless some reader pairs the brackets in another way.
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

  /** A comment, a declaration, or a processing instruction. Browsers end some of them earlier, so they hide nothing. */
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

  /** Notes where a part ends whose brackets may or may not count outside of it. */
  #region(end: number): void {
    if (end < Infinity) this.#regionEnd = Math.max(this.#regionEnd, end);
  }

  /** Where a mark stands next; each is looked for once only. Infinity when it does not come. */
  #next(mark: string, from: number): number {
    const known = this.#marks.get(mark);
    if (known !== undefined && known >= from) return known;
    const found = this.#text.indexOf(mark, from);
    this.#marks.set(mark, found < 0 ? Infinity : found);
    return found < 0 ? Infinity : found;
  }

  /** Notes that something claims the text between two offsets, whatever backticks stand in it. */
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
