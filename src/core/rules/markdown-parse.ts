import { finish, type Steps } from '../steps';
import { type Range, type Section, sectionSteps } from './markdown-blocks';
import { scanInline } from './markdown-inline';
import { firstFrom } from './markdown-pairs';
import { labelKey } from './markdown-tokens';
import type { Definitions, Findings, Span } from './markdown-spans';

/** `[label]: address`. */
export interface Definition extends Range {
  readonly label: string;
  readonly address: string;
}

/** A body, read once: everything that links, rules and search want to know about it. */
export interface Markdown {
  readonly body: string;
  readonly sections: readonly Section[];
  /** Sorted by `from`, outer ones before what stands in them. */
  readonly spans: readonly Span[];
  readonly definitions: readonly Definition[];
  /** Comments and math, sorted and disjoint: what looks like an internal link there is none. */
  readonly quiet: readonly Range[];
}

/**
 * Finds more definitions than Markdown does (they may interrupt a paragraph and stand in any depth of quotes), because
 * one that only some readers see must be checked too.
 */
const DEFINITION =
  /(?:^|\n)[ \t>*+-]*(\[((?:[^[\]\\]|\\[^]){1,999})\]:[ \t\r]*\n?[ \t>]*(<[^<>\n]*>|[^\s]+))(?=[ \t]*(?:[\r\n"'(]|$))/g;

/** The body that was read last: the gate and then the catalog look at the same one. A large one is not worth its memory. */
let last: Markdown | null = null;
const MAX_REMEMBERED = 64 * 1024;

/** Reads a body. Offsets in the result are offsets into it; the result is shared and must not be changed. */
export function parseMarkdown(body: string): Markdown {
  return finish(markdownSteps(body));
}

/** So much of a text is read in one step, in UTF-16 units, and at least a whole section. */
export const UNITS_PER_STEP = 4096;

/** What `parseMarkdown` answers, a little of the text a step. */
export function* markdownSteps(body: string): Steps<Markdown> {
  if (last?.body === body) return last;
  const markdown = yield* readMarkdown(body);
  last = body.length > MAX_REMEMBERED ? null : markdown;
  return markdown;
}

function* readMarkdown(body: string): Steps<Markdown> {
  const { sections } = yield* sectionSteps(body);
  const definitions = body.includes(']:') ? definitionsOf(sections) : [];
  const byLabel = new Map<string, string[]>();
  for (const { label, address } of definitions) {
    const known = byLabel.get(label);
    if (known === undefined) byLabel.set(label, [address]);
    else if (!known.includes(address) && known.length < 8) known.push(address);
  }
  const known: Definitions = { addresses: byLabel, starts: new Set(definitions.map(({ from }) => from)) };
  const findings: Findings = { spans: [], percents: [], dollars: [] };
  let read = 0;
  for (const section of sections) {
    if ((read += section.text.length) > UNITS_PER_STEP) {
      yield;
      read = 0;
    }
    if (section.kind === 'overlay') scanOverlay(section, known, findings.spans);
    else if (isProse(section)) scanInline(section, known, findings);
  }
  const spans = findings.spans.sort((a, b) => a.from - b.from || b.to - a.to);
  return { body, sections, spans, definitions, quiet: quietRanges(findings) };
}

/** True when what stands in a section may be rendered. An indented block in a list is one reader's code and another's prose. */
export function isProse(section: Section): boolean {
  return section.kind !== 'fence' && (section.kind !== 'indented' || section.inList);
}

function scanOverlay(section: Section, definitions: Definitions, spans: Span[]): void {
  const found: Findings = { spans: [], percents: [], dollars: [] };
  scanInline(section, definitions, found);
  const ends = Array.from(section.text.matchAll(/\n/g), ({ index }) => section.from + index);
  for (const span of found.spans) {
    const end = firstFrom(ends, span.from);
    if (end >= 0 && end < span.to && (span.kind === 'link' || span.kind === 'image' || span.kind === 'tag'))
      spans.push(span);
  }
}

function definitionsOf(sections: readonly Section[]): Definition[] {
  const found = new Map<number, Definition>();
  for (const section of sections) {
    for (const definition of definitionsIn(section)) {
      if (!found.has(definition.from)) found.set(definition.from, definition);
    }
  }
  return [...found.values()];
}

function definitionsIn(section: Section): Definition[] {
  if (!isProse(section) || !section.text.includes(']:')) return [];
  return Array.from(
    section.text.matchAll(DEFINITION),
    ({ 0: all, 1: whole = '', 2: label = '', 3: address = '', index }) => {
      const from = section.from + index + all.length - whole.length;
      return { from, to: from + whole.length, label: labelKey(label), address };
    },
  ).filter(({ label }) => !label.startsWith('^') && label !== '');
}

function quietRanges({ spans, percents, dollars }: Findings): Range[] {
  const ranges = spans.filter(
    (span): span is Span & Range => span.kind === 'math' || span.kind === 'comment',
  );
  const pairs = [percents, dollars].flatMap((marks) =>
    marks.flatMap((from, index) => {
      const close = marks[index + 1];
      return index % 2 === 0 && close !== undefined ? [{ from, to: close + 2 }] : [];
    }),
  );
  return merged([...ranges, ...pairs].sort((a, b) => a.from - b.from));
}

/** Sorted ranges with overlapping ones joined. */
export function merged(sorted: readonly Range[]): Range[] {
  const result: { from: number; to: number }[] = [];
  for (const { from, to } of sorted) {
    const last = result.at(-1);
    if (last !== undefined && from <= last.to) last.to = Math.max(last.to, to);
    else result.push({ from, to });
  }
  return result;
}

/** Answers whether an offset lies in one of the sorted, disjoint ranges. */
export function within(ranges: readonly Range[]): (at: number) => boolean {
  return (at) => {
    let low = 0;
    let high = ranges.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((ranges[middle]?.to ?? 0) <= at) low = middle + 1;
      else high = middle;
    }
    return (ranges[low]?.from ?? Infinity) <= at;
  };
}

/** Answers which line, counted from 1, an offset is in. */
export function lineCounter(body: string): (at: number) => number {
  let starts: number[] | null = null;
  return (at) => {
    if (starts === null) {
      starts = [0];
      for (let end = body.indexOf('\n'); end >= 0; end = body.indexOf('\n', end + 1)) starts.push(end + 1);
    }
    let low = 0;
    let high = starts.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((starts[middle] ?? 0) <= at) low = middle;
      else high = middle;
    }
    return low + 1;
  };
}
