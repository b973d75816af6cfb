import { finish, ITEMS_PER_STEP, sortSteps, type Steps, type TextTask } from '../base/steps';
import { detachString } from '../base/text';
import type { LinkUse } from './address';
import { decodeEntities } from './html';
import {
  internalLinkSteps,
  type Markdown,
  markdownSteps,
  MAX_REMEMBERED,
  EMBED_SIZE,
  webAddressSteps,
  within,
} from './parse';
import { type Range, type Section, type Span, type TagSpan, UNITS_PER_STEP } from './spans';

/** The text in which one step collapses white space (UTF-16 units). */
const UNITS = 1 << 14;

/** Collapses every run of white space into one space, and trims. */
function collapsed(text: string): string {
  // Most white space is a single space, which the pattern skips.
  return text.replace(/ \s+|[^\S ]\s*/g, ' ').trim();
}

/** Does the same as `collapsed`, in steps. */
export function* collapseSteps(text: string): Steps<string> {
  if (text.length <= UNITS) return collapsed(text);
  const done: string[] = [];
  let endsOpen = true;
  for (let from = 0; from < text.length; from += UNITS) {
    const part = text.slice(from, from + UNITS).replace(/ \s+|[^\S ]\s*/g, ' ');
    const added: string = endsOpen && part.startsWith(' ') ? part.slice(1) : part;
    if (added !== '') endsOpen = added.endsWith(' ');
    done.push(added);
    yield;
  }
  return done.join('').trimEnd();
}

/** Marks in a comment that are no words. */
const COMMENT_MARK = /%%|!?\[\[|\]\]|[*`]+/g;

/** Returns what the comments of Obsidian say, on one line. */
function* commentSteps({ body, quiet }: Markdown): Steps<string> {
  const comments: string[] = [];
  let read = 0;
  for (const { from, to } of quiet) {
    if ((read += to - from) > UNITS_PER_STEP) {
      yield;
      read = 0;
    }
    if (!body.startsWith('%%', from)) continue;
    comments.push(body.slice(from, to).replace(COMMENT_MARK, ' '));
  }
  return yield* collapseSteps(comments.join(' '));
}

/** Elements whose content is not shown. */
const UNSEEN: ReadonlySet<string> = new Set(['style', 'script', 'template']);

/**
 * Returns the parts of a body that are not shown: comments, closed or not, and in HTML blocks styles, scripts and templates.
 * The ranges are not sorted and may overlap.
 */
export function* unseenSteps({ body, quiet, sections, spans }: Markdown): Steps<Range[]> {
  const unseen: Range[] = [];
  let looked = 0;
  // A quiet range is a comment or math, and math is shown.
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
  yield* addUnseenElements(spans, unseen);
  return unseen;
}

/** Adds the elements in HTML blocks that are not shown, which end with their block at the latest. */
function* addUnseenElements(spans: Markdown['spans'], unseen: Range[]): Steps<void> {
  let looked = 0;
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
}

/** A block id at a block's end. */
const BLOCK_ID = /(?:^|\s)\^([A-Za-z0-9-]+)\s*$/;
const TAG = /[\s(]#([\p{L}\p{M}\p{N}_/-]+)/gu;
/** The kind of a callout or the box of a task, at the beginning of a paragraph. */
const LEADING_MARK = /^\s*(?:\[![^\]\n]{1,40}\][+-]?|\[[ xX]\](?=\s))/;
/** A reference to a footnote, or the label of one at the beginning of a line. */
const FOOTNOTE = /^[ \t]*\[\^[^\]\s]{1,80}\]:|\[\^[^\]\s]{1,80}\]/gm;
/** A character behind which a long text may be cut: no mark, tag or character reference holds one except at its end. */
const CUT = /[\s<>[\]()"|,:;!?$%@^{}`+.']/g;

/** A part of a body that is not shown as written. */
interface Cut {
  readonly from: number;
  readonly to: number;
  /** The text that is shown instead. */
  readonly text: string;
}

/**
 * Returns a function that gives the shown text of a section and adds the tags in it to a set. It must be called for the
 * sections in order, because it walks the spans once for all of them.
 */
function* wordSteps(markdown: Markdown): Steps<(section: Section, tags: Set<string>) => Steps<string>> {
  const cuts = yield* cutSteps(markdown);
  let next = 0;
  return function* (section, tags) {
    let at = section.from;
    let text = '';
    let read = 0;
    for (let cut = cuts[next]; cut !== undefined && cut.from < section.to; cut = cuts[++next]) {
      // A range from an earlier section hides this one up to the range's end.
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
    return withoutMarks(section.kind === 'row' ? text.replace(BAR, ' ') : text);
  };
}

function withoutMarks(text: string): string {
  const marked = text.replace(LEADING_MARK, ' ');
  const shown = marked.includes('^') ? marked.replace(FOOTNOTE, ' ').replace(BLOCK_ID, '') : marked;
  return shown.includes(KEEP) ? shown.replaceAll(KEEP, '') : shown;
}

/** Escaped characters that begin no mark, and the character that follows them until the marks are removed. */
const KEPT: ReadonlySet<string> = new Set(['[', '^', '|']);
const KEEP = '\0';
/** A bar between the cells of a row, or in the code of a cell. */
const BAR = new RegExp(`\\\\?\\|(?!${KEEP})`, 'g');

/** Returns true when a range fits into one step. Most do, and a generator for each would cost more than its work. */
function isShort(start: number, end: number): boolean {
  return end - start <= UNITS_PER_STEP;
}

/** Computes `proseOf` in steps. */
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

/** Returns the prose of a section between two offsets without its marks, '' when `start` is not before `end`. */
function proseOf({ from, text }: Section, start: number, end: number, tags: Set<string>): string {
  if (start >= end) return '';
  const part = text.slice(start - from, end - from);
  const before = text[start - from - 1] ?? ' ';
  if (part.includes('#'))
    for (const [, tag = ''] of (before + part).matchAll(TAG)) if (/\D/.test(tag)) tags.add(tag);
  return unmarked(part, before, text[end - from]);
}

/** Returns all parts that are not shown as written, sorted, outer ones first. */
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

/** Returns the parts of a span that are not shown as written. */
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
      if (span.kind === 'image' && EMBED_SIZE.test(body.slice(span.textFrom, span.textTo)))
        return [{ from, to, text: ' ' }];
      return [
        { from, to: span.textFrom, text: '' },
        { from: span.textTo, to, text: '' },
      ];
    case 'autolink':
      return [{ from, to, text: body.slice(from + 1, to - 1) }];
    case 'tag':
      return span.tag?.complete === true && (span.tag.wellFormed || span.section.kind === 'html')
        ? [{ from, to, text: ' ' }]
        : [];
    case 'math':
    case 'comment':
      return [];
  }
}

/** Returns the offset where the shown part of a wikilink's target ends: before its heading, unless it is only a heading. */
function nameEnd(target: string): number {
  const hash = target.indexOf('#');
  return hash > 0 ? hash : target.length;
}

/**
 * Removes emphasis marks and decodes escapes and character references.
 * @param first the character before the text
 * @param last the character behind it
 */
function unmarked(text: string, first = ' ', last = ' '): string {
  if (!MARK.test(text)) return text;
  return text.replace(
    /\\([!-/:-@[-`{-~])|&#?\w{1,32};|[*_]+|~~|==/g,
    (mark, escaped: string | undefined, at: number) => {
      if (escaped !== undefined) return KEPT.has(escaped) ? escaped + KEEP : escaped;
      if (mark.startsWith('&')) return decodeEntities(mark);
      const before = text[at - 1] ?? first;
      const after = text[at + mark.length] ?? last;
      if (/\s/.test(before) && /\s/.test(after)) return mark;
      return mark.startsWith('_') && WORD.test(before) && WORD.test(after) ? mark : '';
    },
  );
}

/** A character that may belong to a mark, an escape or a character reference. */
const MARK = /[\\*_~=&]/;
const WORD = /[\p{L}\p{M}\p{N}]/u;

interface Heading {
  /** 1 to 6. */
  readonly level: number;
  readonly text: string;
  /** The source of the heading's text, on one line. */
  readonly source: string;
}

/** A heading, or a part of the text below one: a paragraph, an item, a row, a block of code or of HTML. */
export interface TextBlock {
  readonly isHeading: boolean;
  /** Without the syntax of links and emphasis, with its line ends. */
  readonly text: string;
}

/** The facts about a body that the catalog, search and titles use. */
export interface MarkdownFacts {
  /** Where the internal links lead, in the order of their first use; equal ones count once, as a text may have very many. */
  readonly links: readonly Pick<LinkUse, 'kind' | 'target'>[];
  /** The web addresses of links, each once, as a person would write them: `example.com/guide`. */
  readonly addresses: readonly string[];
  readonly headings: readonly Heading[];
  /** Without the `^`. */
  readonly blockIds: readonly string[];
  /** The first heading of level 1 that has words, or null. */
  readonly h1: string | null;
  /** The heading of level 1 with which the body begins, or null. */
  readonly title: string | null;
  /** Inline `#tags`, without the `#`, each once. */
  readonly tags: readonly string[];
  /** The prose on one line: without headings, code blocks, HTML, comments, and link or emphasis syntax. */
  readonly plain: string;
  /** Everything that is shown, in order: headings, code and the text in HTML included. */
  readonly blocks: readonly TextBlock[];
  /** The text of `blocks` on one line, for the index. */
  readonly searchText: string;
  /** What `%%comments%%` say, in order, on one line. */
  readonly comments: string;
  /** False when a body has more blocks, lines or marks than are read: the rest of it is prose here. */
  readonly isWhole: boolean;
}

/** Parses a body and returns its facts. Never throws. */
export function markdownFacts(body: string): MarkdownFacts {
  return finish(factSteps(body));
}

/** The facts of a body, as a task for a thread. */
export const FACTS: TextTask<string, MarkdownFacts> = {
  name: 'facts',
  steps: factSteps,
  textOf: (body) => body,
};

/** The targets hold no part of the body. */
function* distinctLinks(markdown: Markdown, isQuiet: (at: number) => boolean): Steps<MarkdownFacts['links']> {
  const links: MarkdownFacts['links'][number][] = [];
  const known: Record<LinkUse['kind'], Set<string>> = {
    wikilink: new Set(),
    embed: new Set(),
    mdlink: new Set(),
    image: new Set(),
  };
  yield* internalLinkSteps(markdown, isQuiet, ({ kind, target: written }) => {
    if (known[kind].has(written)) return;
    const target = detachString(written);
    known[kind].add(target);
    links.push({ target, kind });
  });
  return links;
}

/** Returns the first heading of level 1 that has words, or null. */
function firstOf(headings: readonly Heading[]): string | null {
  return headings.find(({ level, text }) => level === 1 && text !== '')?.text ?? null;
}

/** The last result, because a write asks for the facts of its text, and then the catalog does. */
let last: { readonly body: string; readonly facts: MarkdownFacts } | null = null;

/** Computes `markdownFacts` in steps. The result is shared. */
export function* factSteps(body: string): Steps<MarkdownFacts> {
  if (last?.body === body) return last.facts;
  const facts = yield* readFacts(body);
  last = body.length > MAX_REMEMBERED ? null : { body, facts };
  return facts;
}

function* readFacts(body: string): Steps<MarkdownFacts> {
  const markdown = yield* markdownSteps(body);
  const isQuiet = within(markdown.quiet);
  const links = yield* distinctLinks(markdown, isQuiet);
  const addresses = yield* webAddressSteps(markdown, isQuiet);

  const headings: Heading[] = [];
  const blockIds: string[] = [];
  const tags = new Set<string>();
  const blocks: TextBlock[] = [];
  // Without white space at their ends and without empty ones, so that a single space joins them.
  const plain: string[] = [];
  const lines: string[] = [];
  const words = yield* wordSteps(markdown);
  let read = 0;
  for (const section of markdown.sections) {
    const { kind, from, to, level } = section;
    if ((read += to - from) > UNITS_PER_STEP) {
      yield;
      read = 0;
    }
    if (kind === 'overlay' || kind === 'definition') continue;
    const isCode = kind === 'fence' || kind === 'indented';
    const isProse = !isCode && kind !== 'html';
    const id = isProse ? BLOCK_ID.exec(section.text.slice(-200))?.[1] : undefined;
    if (id !== undefined) blockIds.push(id);
    // A `#word` in HTML is no tag of the note.
    const text = isCode
      ? body.slice(section.code.from, section.code.to)
      : yield* words(section, isProse ? tags : new Set());
    const line = yield* collapseSteps(text);
    blocks.push({ isHeading: kind === 'heading', text });
    if (line !== '') lines.push(line);
    if (kind === 'heading') {
      headings.push({
        level,
        text: line,
        source: collapsed(section.text),
      });
    } else if (isProse && line !== '') plain.push(line);
  }
  return {
    links,
    addresses,
    headings,
    blockIds,
    h1: firstOf(headings),
    title: blocks[0]?.isHeading === true ? firstOf(headings.slice(0, 1)) : null,
    tags: [...tags],
    plain: plain.join(' '),
    blocks,
    searchText: lines.join(' '),
    comments: yield* commentSteps(markdown),
    isWhole: markdown.end >= body.length,
  };
}
