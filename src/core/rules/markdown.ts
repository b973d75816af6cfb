import type { LinkUse } from './links';
import { SIZE } from './markdown-links';
import type { Section } from './markdown-blocks';
import { decodeEntities } from './markdown-html';
import type { Span } from './markdown-spans';
import { eachInternalLink } from './markdown-links';
import { finish, type Steps } from '../steps';
import { lineCounter, markdownSteps, UNITS_PER_STEP, within } from './markdown-parse';

export interface Heading {
  /** 1 to 6. */
  readonly level: number;
  readonly text: string;
  /** Counted from 1. */
  readonly line: number;
}

/** A heading, or a part of the text below one: a paragraph, an item, a row, a block of code. */
export interface TextBlock {
  readonly isHeading: boolean;
  /** Without the syntax of links and emphasis; lines as they stand. */
  readonly text: string;
}

/** What a body says about itself. */
export interface MarkdownFacts {
  /** Internal links in order; external ones, and a place in the same note, are left out. */
  readonly links: LinkUse[];
  readonly headings: Heading[];
  /** Without the `^`. */
  readonly blockIds: string[];
  /** The first heading of level 1 that has words, or null. */
  readonly h1: string | null;
  /** Inline `#tags`, without the `#`, each once. */
  readonly tags: string[];
  /** The prose alone, on one line: no headings, code blocks, HTML, comments, and no link or emphasis syntax. */
  readonly plain: string;
  /** Everything a reader sees, headings and code included, in order. */
  readonly blocks: readonly TextBlock[];
  /** The same on one line, for an index. */
  readonly searchText: string;
}

const BLOCK_ID = /(?:^|\s)\^([A-Za-z0-9-]+)\s*$/;
const TAG = /[\s(]#([\p{L}\p{M}\p{N}_/-]+)/gu;
/** A callout's kind, a task's box, or a footnote's own mark at the beginning of a paragraph. */
const LEADING_MARK = /^\s*(?:\[![^\]\n]{1,40}\][+-]?|\[[ xX]\](?=\s)|\[\^[^\]\s]{1,80}\]:)/;
const FOOTNOTE = /\[\^[^\]\s]{1,80}\]/g;

/** Reads a body once and tells everything that catalog, search and titles want to know. Never throws. */
export function markdownFacts(body: string): MarkdownFacts {
  return finish(factSteps(body));
}

/** What `markdownFacts` answers, a little of the text a step. */
export function* factSteps(body: string): Steps<MarkdownFacts> {
  const markdown = yield* markdownSteps(body);
  const lineOf = lineCounter(body);
  const isQuiet = within(markdown.quiet);
  const links: LinkUse[] = [];
  eachInternalLink(markdown, isQuiet, (link, { from, to }) => {
    links.push({ ...link, from, to, line: lineOf(from) });
  });

  const headings: Heading[] = [];
  const blockIds: string[] = [];
  const tags = new Set<string>();
  const plain: string[] = [];
  const blocks: TextBlock[] = [];
  const hidden = [
    ...markdown.definitions.map(({ from, to }) => ({ from, to })),
    ...markdown.quiet.filter((range) => !isMath(body, range.from)),
  ];
  const words = wordReader(body, markdown.spans, hidden);
  let read = 0;
  for (const section of markdown.sections) {
    const { kind, from, to, level } = section;
    if ((read += to - from) > UNITS_PER_STEP) {
      yield;
      read = 0;
    }
    if (kind === 'html' || kind === 'overlay' || kind === 'definition') continue;
    if (kind === 'fence' || kind === 'indented') {
      blocks.push({ isHeading: false, text: body.slice(section.code.from, section.code.to) });
      continue;
    }
    const id = BLOCK_ID.exec(section.text.slice(-200))?.[1];
    if (id !== undefined) blockIds.push(id);
    const text = words(section, tags);
    blocks.push({ isHeading: kind === 'heading', text });
    if (kind !== 'heading') plain.push(text);
    else headings.push({ level, text: collapsed(text), line: lineOf(from < to ? from : to) });
  }
  return {
    links,
    headings,
    blockIds,
    h1: headings.find(({ level, text }) => level === 1 && text !== '')?.text ?? null,
    tags: [...tags],
    plain: collapsed(plain.join('\n')),
    blocks,
    searchText: collapsed(blocks.map(({ text }) => text).join('\n')),
  };
}

function isMath(body: string, at: number): boolean {
  return body[at] === '$';
}

function collapsed(text: string): string {
  // A single space, which is most of them, is right as it is.
  return text.replace(/ \s+|[^\S ]\s*/g, ' ').trim();
}

interface Cut {
  readonly from: number;
  readonly to: number;
  /** What is shown instead. */
  readonly text: string;
}

/**
 * Answers the words of a section as a reader sees them and collects the tags in it. Sections must be asked for in order:
 * the spans are walked along once for all of them.
 */
function wordReader(
  body: string,
  spans: readonly Span[],
  hidden: readonly { from: number; to: number }[],
): (section: Section, tags: Set<string>) => string {
  const cuts = [
    ...hidden.map(({ from, to }) => ({ from, to, text: ' ' })),
    ...spans.flatMap((span) => (span.section.kind === 'overlay' ? [] : cutsOf(body, span))),
  ].sort((a, b) => a.from - b.from || b.to - a.to);
  let next = 0;
  return (section, tags) => {
    let at = section.from;
    let text = '';
    const prose = (to: number) => {
      if (to <= at) return;
      const part = section.text.slice(at - section.from, to - section.from);
      if (part.includes('#')) {
        const before = section.text[at - section.from - 1] ?? ' ';
        for (const [, tag = ''] of (before + part).matchAll(TAG)) if (/\D/.test(tag)) tags.add(tag);
      }
      text += unmarked(part, section.text[at - section.from - 1], section.text[to - section.from]);
    };
    for (let cut = cuts[next]; cut !== undefined && cut.from < section.to; cut = cuts[++next]) {
      // A range that began in an earlier section hides this one up to its end.
      if (cut.to <= at) continue;
      prose(cut.from);
      if (cut.from >= at) text += cut.text;
      at = Math.max(at, cut.to);
      if (cut.to > section.to) break;
    }
    prose(section.to);
    const shown = text.replace(LEADING_MARK, ' ').replace(FOOTNOTE, ' ').replace(BLOCK_ID, '');
    return section.kind === 'row' ? shown.replace(/\\?\|/g, ' ') : shown;
  };
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
      return span.tag?.wellFormed === true && span.tag.complete ? [{ from, to, text: ' ' }] : [];
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
