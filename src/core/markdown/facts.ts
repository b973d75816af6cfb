import { finish, ITEMS_PER_STEP, sortSteps, type Steps } from '../base/steps';
import type { LinkUse } from './address';
import { decodeEntities } from './html';
import {
  internalLinkSteps,
  lineSteps,
  type Markdown,
  markdownSteps,
  SIZE,
  webAddressSteps,
  within,
} from './parse';
import { type Range, type Section, type Span, type TagSpan, UNITS_PER_STEP } from './spans';

/** So much of a text is brought onto one line in one step, in UTF-16 units. */
const UNITS = 1 << 14;

/** A text on one line: every run of white space is one space, and none stands at its ends. */
function collapsed(text: string): string {
  return finish(collapseSteps([text]));
}

/** The texts on one line, a space between them, a part of them a step. */
export function* collapseSteps(texts: readonly string[]): Steps<string> {
  const done: string[] = [];
  let endsOpen = true;
  let next = '';
  const take = (): void => {
    // A single space, which is most of them, is right as it is.
    const line = next.replace(/ \s+|[^\S ]\s*/g, ' ');
    const added = endsOpen && line.startsWith(' ') ? line.slice(1) : line;
    if (added !== '') endsOpen = added.endsWith(' ');
    done.push(added);
    next = '';
  };
  for (const [place, text] of texts.entries()) {
    if (place > 0) next += '\n';
    for (let from = 0; from < text.length; from += UNITS) {
      next += text.length <= UNITS ? text : text.slice(from, from + UNITS);
      if (next.length < UNITS) continue;
      take();
      yield;
    }
  }
  take();
  return done.join('').trimEnd();
}

/** Elements of which nothing is shown. */
const UNSEEN: ReadonlySet<string> = new Set(['style', 'script', 'template']);

/**
 * What stands in a text and nobody sees who reads it: comments, closed or not, and in blocks of HTML styles, scripts and
 * templates. Not in order; ranges may overlap.
 */
export function* unseenSteps({ body, quiet, sections, spans }: Markdown): Steps<Range[]> {
  const unseen: Range[] = [];
  let looked = 0;
  // What is quiet is a comment or math, and math is read.
  for (const range of quiet) {
    if ((looked += 1) % ITEMS_PER_STEP === 0) yield;
    if (body[range.from] !== '$') unseen.push(range);
  }
  for (const { kind, from, to, text } of sections) {
    if ((looked += 1) % ITEMS_PER_STEP === 0) yield;
    if (kind !== 'html') continue;
    const comment = text.indexOf('<!--', text.lastIndexOf('-->') + 1);
    if (comment >= 0) unseen.push({ from: from + comment, to });
  }
  let open: TagSpan | null = null;
  for (const span of spans) {
    if ((looked += 1) % ITEMS_PER_STEP === 0) yield;
    if (span.kind !== 'tag' || span.section.kind !== 'html' || span.tag === null) continue;
    if (open !== null && open.section !== span.section) {
      unseen.push({ from: open.from, to: open.section.to });
      open = null;
    }
    const { name, closing } = span.tag;
    if (open === null) open = UNSEEN.has(name) && !closing ? span : null;
    else if (closing && name === open.tag?.name) {
      unseen.push({ from: open.from, to: span.to });
      open = null;
    }
  }
  if (open !== null) unseen.push({ from: open.from, to: open.section.to });
  return unseen;
}

/** What names a block, at its end. */
const BLOCK_ID = /(?:^|\s)\^([A-Za-z0-9-]+)\s*$/;
const TAG = /[\s(]#([\p{L}\p{M}\p{N}_/-]+)/gu;
/** A callout's kind or a task's box at the beginning of a paragraph. */
const LEADING_MARK = /^\s*(?:\[![^\]\n]{1,40}\][+-]?|\[[ xX]\](?=\s))/;
/** What leads to a footnote, or stands before its text at the beginning of a line. */
const FOOTNOTE = /^[ \t]*\[\^[^\]\s]{1,80}\]:|\[\^[^\]\s]{1,80}\]/gm;
/** A long text is cut behind one of these, which no mark, tag or character reference holds but at its end. */
const CUT = /[\s<>[\]()"|,:;!?$%@^{}`+.']/g;

interface Cut {
  readonly from: number;
  readonly to: number;
  /** What is shown instead. */
  readonly text: string;
}

/**
 * Gives the reader of the words of a section as a person sees them, who also collects the tags in it. Sections must be asked
 * for in order: the spans are walked along once for all of them.
 */
function* wordSteps(markdown: Markdown): Steps<(section: Section, tags: Set<string>) => Steps<string>> {
  const cuts = yield* cutSteps(markdown);
  let next = 0;
  return function* (section, tags) {
    let at = section.from;
    let text = '';
    let read = 0;
    for (let cut = cuts[next]; cut !== undefined && cut.from < section.to; cut = cuts[++next]) {
      // A range that began in an earlier section hides this one up to its end.
      if (cut.to <= at) continue;
      if ((read += cut.to - at) > UNITS_PER_STEP) {
        yield;
        read = 0;
      }
      text += isShort(at, cut.from)
        ? proseOf(section, at, cut.from, tags)
        : yield* proseSteps(section, at, cut.from, tags);
      if (cut.from >= at) text += cut.text;
      at = Math.max(at, cut.to);
      if (cut.to > section.to) break;
    }
    text += isShort(at, section.to)
      ? proseOf(section, at, section.to, tags)
      : yield* proseSteps(section, at, section.to, tags);
    const shown = withoutMarks(text);
    return section.kind === 'row' ? shown.replace(/\\?\|/g, ' ') : shown;
  };
}

function withoutMarks(text: string): string {
  const shown = text.replace(LEADING_MARK, ' ');
  return shown.includes('^') ? shown.replace(FOOTNOTE, ' ').replace(BLOCK_ID, '') : shown;
}

/** Most are, and a generator for each would cost more than what it does. */
function isShort(start: number, end: number): boolean {
  return end - start <= UNITS_PER_STEP;
}

/** What `proseOf` gives, a part of the section a step. */
function* proseSteps(section: Section, start: number, end: number, tags: Set<string>): Steps<string> {
  let prose = '';
  for (let at = start; at < end;) {
    let to = end;
    if (!isShort(at, end)) {
      CUT.lastIndex = at - section.from + UNITS_PER_STEP;
      if (CUT.test(section.text)) to = Math.min(to, section.from + CUT.lastIndex);
    }
    prose += proseOf(section, at, to, tags);
    at = to;
    if (at < end) yield;
  }
  return prose;
}

/** The prose of a section between two offsets without its marks; nothing when they are in the wrong order. */
function proseOf({ from, text }: Section, start: number, end: number, tags: Set<string>): string {
  if (start >= end) return '';
  const part = text.slice(start - from, end - from);
  const before = text[start - from - 1] ?? ' ';
  if (part.includes('#'))
    for (const [, tag = ''] of (before + part).matchAll(TAG)) if (/\D/.test(tag)) tags.add(tag);
  return unmarked(part, before, text[end - from]);
}

/** All that is not shown as it stands, in order. */
function* cutSteps(markdown: Markdown): Steps<Cut[]> {
  const { body, spans, definitions } = markdown;
  const cuts: Cut[] = [];
  let looked = 0;
  const hide = ({ from, to }: Range): number => cuts.push({ from, to, text: ' ' });
  for (const definition of definitions) {
    hide(definition);
    if ((looked += 1) % ITEMS_PER_STEP === 0) yield;
  }
  for (const span of spans) {
    if (span.section.kind !== 'overlay') cuts.push(...cutsOf(body, span));
    if ((looked += 1) % ITEMS_PER_STEP === 0) yield;
  }
  for (const range of yield* unseenSteps(markdown)) hide(range);
  return yield* sortSteps(cuts, (a, b) => a.from - b.from || b.to - a.to);
}

/** What a span hides of the text, and what it shows instead. */
function cutsOf(body: string, span: Span): Cut[] {
  const { from, to } = span;
  switch (span.kind) {
    case 'code':
      return [{ from, to, text: body.slice(span.textFrom, span.textTo) }];
    case 'embed':
      return [{ from, to, text: ' ' }];
    case 'wikilink': {
      const shown = body.slice(span.textFrom, span.textTo).trim() === '' ? span.targetFrom : span.textFrom;
      const target = body.slice(span.targetFrom, span.targetTo);
      const end = shown === span.textFrom ? span.textTo : span.targetFrom + nameEnd(target);
      return [
        { from, to: shown, text: '' },
        { from: end, to, text: '' },
      ];
    }
    case 'link':
    case 'image':
      if (span.loose) return [];
      if (span.kind === 'image' && SIZE.test(body.slice(span.textFrom, span.textTo)))
        return [{ from, to, text: ' ' }];
      return [
        { from, to: span.textFrom, text: '' },
        { from: span.textTo, to, text: '' },
      ];
    case 'autolink':
      return [
        { from, to: from + 1, text: '' },
        { from: to - 1, to, text: '' },
      ];
    case 'tag':
      return span.tag?.complete === true && (span.tag.wellFormed || span.section.kind === 'html')
        ? [{ from, to, text: ' ' }]
        : [];
    case 'math':
    case 'comment':
      return [];
  }
}

/** Where the name ends in the target of a wikilink; a heading alone is shown without its mark. */
function nameEnd(target: string): number {
  const hash = target.indexOf('#');
  return hash > 0 ? hash : target.length;
}

/** Prose without emphasis marks, escapes and character references; `first` and `last` are what stands around it. */
function unmarked(text: string, first = ' ', last = ' '): string {
  const bare = text.replace(
    /\\([!-/:-@[-`{-~])|[*_]+|~~|==/g,
    (mark, escaped: string | undefined, at: number) => {
      if (escaped !== undefined) return escaped;
      const before = text[at - 1] ?? first;
      const after = text[at + mark.length] ?? last;
      if (/\s/.test(before) && /\s/.test(after)) return mark;
      return mark.startsWith('_') && WORD.test(before) && WORD.test(after) ? mark : '';
    },
  );
  return decodeEntities(bare);
}

const WORD = /[\p{L}\p{M}\p{N}]/u;

interface Heading {
  /** 1 to 6. */
  readonly level: number;
  readonly text: string;
  /** As it is written, on one line. */
  readonly source: string;
  /** Counted from 1. */
  readonly line: number;
}

/** A heading, or a part of the text below one: a paragraph, an item, a row, a block of code or of HTML. */
export interface TextBlock {
  readonly isHeading: boolean;
  /** Without the syntax of links and emphasis; lines as they stand. */
  readonly text: string;
}

/** What a body says about itself. */
export interface MarkdownFacts {
  /** Internal links in order; external ones, and a place in the same note, are left out. */
  readonly links: LinkUse[];
  /** Where links lead that leave the vault, each once, as a person would say it: `example.com/guide`. */
  readonly addresses: readonly string[];
  readonly headings: Heading[];
  /** Without the `^`. */
  readonly blockIds: string[];
  /** The first heading of level 1 that has words, or null. */
  readonly h1: string | null;
  /** Inline `#tags`, without the `#`, each once. */
  readonly tags: string[];
  /** The prose alone, on one line: no headings, code blocks, HTML, comments, and no link or emphasis syntax. */
  readonly plain: string;
  /** Everything a reader sees, headings, code and the words in HTML included, in order. */
  readonly blocks: readonly TextBlock[];
  /** The same on one line, for an index. */
  readonly searchText: string;
}

/** Reads a body once and tells everything that catalog, search and titles want to know. Never throws. */
export function markdownFacts(body: string): MarkdownFacts {
  return finish(factSteps(body));
}

/** What `markdownFacts` answers, a little of the text a step. */
export function* factSteps(body: string): Steps<MarkdownFacts> {
  const markdown = yield* markdownSteps(body);
  const lineOf = yield* lineSteps(body);
  const links: LinkUse[] = [];
  const isQuiet = within(markdown.quiet);
  yield* internalLinkSteps(markdown, isQuiet, ({ kind, target, fragment, text }, { from, to }) => {
    // Not spread: to add a field to what was spread takes the engine longer than all the others, each time.
    links.push({ kind, target, fragment, text, from, to, line: lineOf(from) });
  });
  const addresses = yield* webAddressSteps(markdown, isQuiet);

  const headings: Heading[] = [];
  const blockIds: string[] = [];
  const tags = new Set<string>();
  const plain: string[] = [];
  const blocks: TextBlock[] = [];
  const words = yield* wordSteps(markdown);
  let read = 0;
  for (const section of markdown.sections) {
    const { kind, from, to, level } = section;
    if ((read += to - from) > UNITS_PER_STEP) {
      yield;
      read = 0;
    }
    if (kind === 'overlay' || kind === 'definition') continue;
    if (kind === 'html') {
      // What looks like a tag of a note there is none.
      blocks.push({ isHeading: false, text: yield* words(section, new Set()) });
      continue;
    }
    if (kind === 'fence' || kind === 'indented') {
      blocks.push({ isHeading: false, text: body.slice(section.code.from, section.code.to) });
      continue;
    }
    const id = BLOCK_ID.exec(section.text.slice(-200))?.[1];
    if (id !== undefined) blockIds.push(id);
    const text = yield* words(section, tags);
    blocks.push({ isHeading: kind === 'heading', text });
    if (kind !== 'heading') plain.push(text);
    else
      headings.push({
        level,
        text: collapsed(text),
        source: collapsed(section.text),
        line: lineOf(from < to ? from : to),
      });
  }
  return {
    links,
    addresses,
    headings,
    blockIds,
    h1: headings.find(({ level, text }) => level === 1 && text !== '')?.text ?? null,
    tags: [...tags],
    plain: yield* collapseSteps(plain),
    blocks,
    searchText: yield* collapseSteps(blocks.map(({ text }) => text)),
  };
}
