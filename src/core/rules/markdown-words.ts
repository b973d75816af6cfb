import type { Steps } from '../steps';
import type { Range, Section } from './markdown-section';
import { decodeEntities } from './markdown-html';
import { SIZE } from './markdown-links';
import { ITEMS_PER_STEP, sortSteps } from './markdown-order';
import type { Markdown } from './markdown-parse';
import type { Span } from './markdown-spans';
import { UNITS_PER_STEP } from './markdown-tokens';
import { unseenSteps } from './markdown-unseen';

/** What names a block, at its end. */
export const BLOCK_ID = /(?:^|\s)\^([A-Za-z0-9-]+)\s*$/;
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
export function* wordSteps(
  markdown: Markdown,
): Steps<(section: Section, tags: Set<string>) => Steps<string>> {
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
