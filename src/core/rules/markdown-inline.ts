import type { Section } from './markdown-blocks';
import { readTag } from './markdown-html';
import { type Backticks, destinations, pairBackticks, runLength } from './markdown-pairs';
import { AUTOLINK, EMPTY_COMMENT, hasBar, LABEL, labelKey, match, MATH, WIKI } from './markdown-tokens';
import type { Definitions, Findings, LinkSpan, Span, SpanBase, WikiSpan } from './markdown-spans';

const SPECIAL = /[\\`<[\]$%]/g;
/** How often the text of a section may be read again by tags that begin inside other tags. */
const TAG_WORK = 4;

/**
 * Reads the inline content of one section and adds what it finds to `findings`. Linear on every input. Code hides what
 * stands in it, so a code span is only taken for one when it is one under every reading: where something else that
 * may or may not count (a tag, math, a comment, the bar of a table) cuts through the pairs of backticks, the whole
 * section is read as if it had no code.
 */
export function scanInline(section: Section, definitions: Definitions, findings: Findings): void {
  const { spans, percents, dollars } = findings;
  const before = [spans.length, percents.length, dollars.length] as const;
  const exposed = section.kind === 'html' || section.kind === 'indented';
  if (new InlineScan(section, definitions, findings, !exposed).run()) return;
  [spans.length, percents.length, dollars.length] = before;
  new InlineScan(section, definitions, findings, false).run();
}

interface Bracket {
  readonly at: number;
  readonly image: boolean;
  /** How many spans had been found when it opened. */
  readonly spans: number;
}

class InlineScan {
  readonly #text: string;
  readonly #base: number;
  readonly #brackets: Bracket[] = [];
  readonly #destination: ReturnType<typeof destinations>;
  #backticks: Backticks | null = null;
  #at = 0;
  #escaped = -1;
  #lastLink = -1;
  #tagWork: number;
  #ambiguous = false;
  /** Where the last wikilink and the last comment end; brackets and openers before that belong to them. */
  #wikiEnd = 0;
  #commentEnd = 0;

  constructor(
    private readonly section: Section,
    private readonly definitions: Definitions,
    private readonly findings: Findings,
    private readonly code: boolean,
  ) {
    this.#text = section.text;
    this.#base = section.from;
    this.#destination = destinations(section.text);
    this.#tagWork = TAG_WORK * section.text.length + 4096;
  }

  /** False when the pairs of backticks can be read in more than one way. */
  run(): boolean {
    const text = this.#text;
    for (;;) {
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

  #escape(): void {
    const escapes = this.section.kind !== 'html' && /[!-/:-@[-`{-~]/.test(this.#text[this.#at + 1] ?? '');
    if (escapes) this.#escaped = this.#at + 1;
    this.#at += escapes ? 2 : 1;
  }

  #codeSpan(): void {
    const from = this.#at;
    const length = runLength(this.#text, from);
    this.#at = from + length;
    if (!this.code) return;
    const end = this.#pairs().endOf(from, length);
    if (end < 0) return;
    if (this.section.kind === 'row' && hasBar(this.#text, from, end)) this.#ambiguous = true;
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
    if (text.startsWith('<!--', from)) {
      this.#comment(from);
      return;
    }
    const autolink = match(AUTOLINK, text, from);
    if (autolink !== null) {
      const end = from + autolink[0].length;
      this.#add({ kind: 'autolink', ...this.#place(from, end) });
      this.#cover(from, end);
      this.#at = end;
    } else if (/^<\/?[a-z]/i.test(text.slice(from, from + 3))) {
      this.#tag(from);
    }
  }

  #tag(from: number): void {
    if (this.#tagWork <= 0) {
      this.#add({ kind: 'tag', ...this.#place(from, from + 1), tag: null });
      return;
    }
    const tag = readTag(this.#text, from);
    this.#tagWork -= tag.to - from;
    this.#add({ kind: 'tag', ...this.#place(from, tag.to), tag });
    if (!tag.wellFormed || !tag.complete) return;
    this.#cover(from, tag.to);
    this.#at = tag.to;
  }

  #openBracket(): void {
    const from = this.#at;
    const image = this.#text[from - 1] === '!' && this.#escaped !== from - 1;
    const wiki = this.#text[from + 1] === '[' ? match(WIKI, this.#text, from) : null;
    this.#at = from + 1;
    if (wiki === null) {
      this.#brackets.push({ at: from, image, spans: this.findings.spans.length });
      return;
    }
    const [whole, target = '', bar = '', alias = ''] = wiki;
    const end = from + whole.length;
    // `[[a]](address)` is also a link whose text is `[a]`: both readings are reported.
    if (this.#text[end] === '(') this.#inlineLink(from, end - 1, image, this.findings.spans.length);
    const targetFrom = from + 2 + this.#base;
    this.#addLink({
      kind: image ? 'embed' : 'wikilink',
      ...this.#place(image ? from - 1 : from, end),
      targetFrom,
      targetTo: targetFrom + target.length,
      textFrom: targetFrom + target.length + bar.length,
      textTo: targetFrom + target.length + bar.length + alias.length,
    });
    this.#cover(from, end);
    // What stands in the target and the text is read on: a tag may be there, but no bracket.
    this.#wikiEnd = end;
    this.#at = from + 2;
  }

  #closeBracket(): void {
    const at = this.#at;
    this.#at = at + 1;
    if (at < this.#wikiEnd) return;
    const opener = this.#brackets.pop();
    if (opener === undefined) return;
    if (this.#text[at + 1] === '(' && this.#inlineLink(opener.at, at, opener.image, opener.spans)) return;
    if (this.definitions.size === 0) return;
    const label = this.#text[at + 1] === '[' ? match(LABEL, this.#text, at + 1) : null;
    const full = label === null ? undefined : this.definitions.get(labelKey(label[1] ?? ''));
    const own =
      at - opener.at > 1000 ? undefined : this.definitions.get(labelKey(this.#text.slice(opener.at + 1, at)));
    const addresses = full ?? own;
    if (addresses === undefined) return;
    const end = full !== undefined || label?.[1] === '' ? at + 1 + (label?.[0].length ?? 0) : at + 1;
    this.#link(opener.at, at, end, opener.image, opener.spans, {
      addresses,
      open: null,
      addressFrom: end,
      loose: false,
    });
    this.#at = end;
  }

  /** Adds the link whose text ends with the bracket at `close`; false when no link is there. */
  #inlineLink(open: number, close: number, image: boolean, spans: number): boolean {
    const found = this.#destination(close + 1);
    const end = found.loose ? close + 1 : found.end;
    this.#link(open, close, end, image, spans, {
      addresses: [found.address],
      open: close + 1 + this.#base,
      addressFrom: found.from + this.#base,
      loose: found.loose,
    });
    if (found.loose) return false;
    this.#cover(close + 1, end);
    this.#at = end;
    return true;
  }

  #link(
    open: number,
    close: number,
    end: number,
    image: boolean,
    spansBefore: number,
    rest: Pick<LinkSpan, 'addresses' | 'open' | 'addressFrom' | 'loose'>,
  ): void {
    const { spans } = this.findings;
    const nested = this.#lastLink >= spansBefore;
    if (!image && !rest.loose) {
      // Each image is looked at by the innermost link around it only.
      for (let index = spans.length - 1; index >= spansBefore; index -= 1) {
        const span = spans[index];
        if (span?.kind === 'link') break;
        if (span?.kind === 'image') span.inLink = true;
      }
    }
    this.#addLink({
      kind: image ? 'image' : 'link',
      ...this.#place(image ? open - 1 : open, end),
      textFrom: open + 1 + this.#base,
      textTo: close + this.#base,
      nested,
      inLink: false,
      ...rest,
    });
  }

  #mathOrComment(): void {
    const from = this.#at;
    const mark = this.#text[from];
    this.#at = from + 1;
    if (this.#text[from + 1] === mark) {
      (mark === '%' ? this.findings.percents : this.findings.dollars).push(from + this.#base);
      this.#at = from + 2;
      return;
    }
    const math = mark === '$' ? match(MATH, this.#text, from)?.[0] : undefined;
    if (math === undefined || /\s\$$/.test(math)) return;
    this.#add({ kind: 'math', ...this.#place(from, from + math.length) });
    this.#cover(from, from + math.length);
  }

  #comment(from: number): void {
    if (from < this.#commentEnd) return;
    const short = match(EMPTY_COMMENT, this.#text, from)?.[0].length;
    const close = short === undefined ? this.#text.indexOf('-->', from + 4) : from + short - 3;
    if (close < 0) {
      this.#commentEnd = this.#text.length;
      return;
    }
    this.#commentEnd = close + 3;
    this.#add({ kind: 'comment', ...this.#place(from, close + 3) });
    this.#cover(from, close + 3);
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

  #addLink(span: LinkSpan | WikiSpan): void {
    const index = this.findings.spans.push(span) - 1;
    if (!('loose' in span && span.loose)) this.#lastLink = index;
  }
}
