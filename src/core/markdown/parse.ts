import { finish, ITEMS_PER_STEP, sortSteps, type Steps } from '../base/steps';
import { type Address, type LinkUse, percentDecoded, readAddress, splitTarget } from './address';
import { sectionSteps } from './blocks';
import { decodeEntities } from './html';
import { firstFrom, scanSteps } from './inline';
import {
  type Definitions,
  type Findings,
  labelKey,
  type LinkSpan,
  mostParts,
  noFindings,
  type Range,
  type Section,
  type Span,
  UNITS_PER_STEP,
  type WikiSpan,
} from './spans';

/** `[label]: address`. */
interface Definition extends Range {
  readonly label: string;
  readonly address: string;
}

/** A parsed body: its sections, spans and definitions, with offsets into it. */
export interface Markdown {
  readonly body: string;
  readonly sections: readonly Section[];
  /** Sorted by `from`, outer spans before inner ones. */
  readonly spans: readonly Span[];
  readonly definitions: readonly Definition[];
  /** Comments and math, sorted and disjoint. No internal link counts in them. */
  readonly quiet: readonly Range[];
  /** The offset where parsing ended: the body's end, or less when it has too many blocks, lines or constructs. */
  readonly end: number;
}

/**
 * A link definition. It matches more than CommonMark defines (it may interrupt a paragraph and lie at any depth of quotes),
 * because a definition that only some readers see must be checked too.
 */
const DEFINITION =
  /(?:^|\n)[ \t>*+-]*(\[((?:[^[\]\\]|\\[^]){1,999})\]:[ \t\r]*\n?[ \t>]*(<[^<>\n]*>|[^\s]+))(?=[ \t]*(?:[\r\n"'(]|$))/g;

/** The last result, kept because the gate and then the catalog parse the same body. Large ones are not worth the memory. */
let last: Markdown | null = null;
export const MAX_REMEMBERED = 64 * 1024;

/** Parses a body. Offsets in the result are offsets into the body. The result is shared and must not be changed. */
export function parseMarkdown(body: string): Markdown {
  return finish(markdownSteps(body));
}

/** Parses a body in steps, as `parseMarkdown` does. */
export function* markdownSteps(body: string): Steps<Markdown> {
  if (last?.body === body) return last;
  const markdown = yield* readMarkdown(body);
  last = body.length > MAX_REMEMBERED ? null : markdown;
  return markdown;
}

function* readMarkdown(body: string): Steps<Markdown> {
  const { sections, end: readTo } = yield* sectionSteps(body);
  const definitions = body.includes(']:') ? yield* definitionSteps(sections) : [];
  const byLabel = new Map<string, string[]>();
  const starts = new Set<number>();
  for (const { label, address, from } of definitions) {
    if (starts.add(from).size % ITEMS_PER_STEP === 0) yield;
    const known = byLabel.get(label);
    if (known === undefined) byLabel.set(label, [address]);
    else if (!known.includes(address) && known.length < 8) known.push(address);
  }
  const known: Definitions = { addresses: byLabel, starts };
  const findings = noFindings();
  const most = mostParts(body.length);
  let end = readTo;
  let read = 0;
  for (const section of sections) {
    if ((read += section.text.length) > UNITS_PER_STEP) {
      yield;
      read = 0;
    }
    if (!isProse(section)) continue;
    const isRead =
      section.kind === 'overlay'
        ? yield* scanOverlay(section, known, findings.spans, most)
        : yield* scanSteps(section, known, findings, most);
    if (isRead) continue;
    end = Math.min(end, section.from);
    break;
  }
  const spans = yield* sortSteps(findings.spans, (a, b) => a.from - b.from || b.to - a.to);
  return { body, sections, spans, definitions, quiet: yield* quietSteps({ ...findings, spans }), end };
}

/** Returns true when a section may be rendered as prose. An indented block in a list is code for some readers only. */
export function isProse(section: Section): boolean {
  return section.kind !== 'fence' && (section.kind !== 'indented' || section.inList);
}

function* scanOverlay(
  section: Section,
  definitions: Definitions,
  spans: Span[],
  most: number,
): Steps<boolean> {
  const found = noFindings();
  // The rows have most of the same spans, which count once.
  if (!(yield* scanSteps(section, definitions, found, most))) return false;
  const ends = (yield* lineStarts(section.text)).slice(1).map((start) => section.from + start - 1);
  let looked = 0;
  for (const span of found.spans) {
    if ((looked += 1) % ITEMS_PER_STEP === 0) yield;
    const end = firstFrom(ends, span.from);
    if (end >= 0 && end < span.to && (span.kind === 'link' || span.kind === 'image' || span.kind === 'tag'))
      spans.push(span);
  }
  return true;
}

function* definitionSteps(sections: readonly Section[]): Steps<Definition[]> {
  const found = new Map<number, Definition>();
  let read = 0;
  for (const section of sections) {
    let at = section.from;
    for (const definition of definitionsIn(section)) {
      if (!found.has(definition.from)) found.set(definition.from, definition);
      if ((read += definition.to - at) > UNITS_PER_STEP) {
        yield;
        read = 0;
      }
      at = definition.to;
    }
    if ((read += section.to - at) > UNITS_PER_STEP) {
      yield;
      read = 0;
    }
  }
  return [...found.values()];
}

function* definitionsIn(section: Section): Iterable<Definition> {
  if (!isProse(section) || !section.text.includes(']:')) return;
  for (const match of section.text.matchAll(DEFINITION)) {
    const { 0: all, 1: whole = '', 2: written = '', 3: address = '', index } = match;
    const from = section.from + index + all.length - whole.length;
    const label = labelKey(written);
    if (!label.startsWith('^') && label !== '') yield { from, to: from + whole.length, label, address };
  }
}

function* quietSteps({ spans, percents, dollars }: Findings): Steps<Range[]> {
  const ranges: Range[] = [];
  let looked = 0;
  for (const span of spans) {
    if ((looked += 1) % ITEMS_PER_STEP === 0) yield;
    if (span.kind === 'math' || span.kind === 'comment') ranges.push(span);
  }
  for (const marks of [percents, dollars]) {
    for (let at = 0; at + 1 < marks.length; at += 2) {
      if ((looked += 1) % ITEMS_PER_STEP === 0) yield;
      const [from, close] = [marks[at], marks[at + 1]];
      if (from !== undefined && close !== undefined) ranges.push({ from, to: close + 2 });
    }
  }
  return yield* mergeSteps(yield* sortSteps(ranges, (a, b) => a.from - b.from));
}

/** Joins overlapping ranges of a sorted list. */
export function mergeRanges(sorted: readonly Range[]): Range[] {
  return finish(mergeSteps(sorted));
}

/** Joins overlapping ranges of a sorted list, in steps. */
export function* mergeSteps(sorted: readonly Range[]): Steps<Range[]> {
  const result: { from: number; to: number }[] = [];
  let looked = 0;
  for (const { from, to } of sorted) {
    if ((looked += 1) % ITEMS_PER_STEP === 0) yield;
    const last = result.at(-1);
    if (last !== undefined && from <= last.to) last.to = Math.max(last.to, to);
    else result.push({ from, to });
  }
  return result;
}

/** Returns a function that tells whether an offset lies in one of the sorted, disjoint ranges. */
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

/** Returns a function that gives the line of an offset, counted from 1. The lines are found in steps. */
export function* lineSteps(body: string): Steps<(at: number) => number> {
  const starts = yield* lineStarts(body);
  return (at) => lineIn(starts, at);
}

function* lineStarts(body: string): Steps<number[]> {
  const starts = [0];
  for (let end = body.indexOf('\n'); end >= 0; end = body.indexOf('\n', end + 1)) {
    if (starts.push(end + 1) % ITEMS_PER_STEP === 0) yield;
  }
  return starts;
}

function lineIn(starts: readonly number[], at: number): number {
  let low = 0;
  let high = starts.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((starts[middle] ?? 0) <= at) low = middle;
    else high = middle;
  }
  return low + 1;
}

/** The spans that one step reads. */
const LINKS_PER_STEP = 256;

/** The size behind the bar of an embed, such as `300` or `300x200`; it is not shown. */
export const EMBED_SIZE = /^\s*\d+(?:\s*x\s*\d+)?\s*$/;

/** Reads the target, fragment and words of a wikilink or an embed. The target is '' for a place in the same note. */
export function readWikilink(body: string, span: WikiSpan): LinkUse {
  const { name, fragment } = splitTarget(body.slice(span.targetFrom, span.targetTo));
  const text = body.slice(span.textFrom, span.textTo).trim();
  return {
    kind: span.kind,
    target: name.trim(),
    fragment: fragment?.trim() ?? null,
    text: text === '' || (span.kind === 'embed' && EMBED_SIZE.test(text)) ? null : text,
  };
}

/** What was read of the addresses of definitions, which many links may share. */
const readDefinitions = new WeakMap<readonly string[], Address>();

/** Returns the most dangerous of a link's addresses: `unsafe` before `host` before `web` before `internal`. */
export function linkAddress({ addresses, open }: LinkSpan): Address {
  // A link with an address of its own is read once or twice; a short address is read faster than it is found.
  if (open !== null && addresses.length === 1 && (addresses[0]?.length ?? 0) < 256)
    return mostDangerous(addresses);
  const known = readDefinitions.get(addresses) ?? mostDangerous(addresses);
  readDefinitions.set(addresses, known);
  return known;
}

function mostDangerous(addresses: readonly string[]): Address {
  const read = addresses.map(readAddress);
  return (
    read.find(({ kind }) => kind === 'unsafe') ??
    read.find(({ kind }) => kind === 'host') ??
    read.find(({ kind }) => kind === 'web') ??
    read[0] ?? { kind: 'internal', name: '', fragment: null }
  );
}

/** Reads a Markdown link or an image that leads into the vault; null for any other one. */
export function readLink(body: string, span: LinkSpan): LinkUse | null {
  if (span.loose) return null;
  const address = linkAddress(span);
  if (address.kind !== 'internal') return null;
  const text = body.slice(span.textFrom, span.textTo).trim();
  return {
    kind: span.kind === 'link' ? 'mdlink' : 'image',
    target: address.name,
    fragment: address.fragment,
    text: text === '' ? null : text,
  };
}

function isLink(span: Span): span is LinkSpan | WikiSpan {
  return span.kind === 'link' || span.kind === 'image' || span.kind === 'wikilink' || span.kind === 'embed';
}

/** Returns true for a section whose links exist for some readers of Markdown only: just their dangers count. */
export function isShadow({ kind }: Section): boolean {
  return kind === 'indented' || kind === 'overlay';
}

/** Calls `found` for every internal link outside comments, math and code, in order and in steps. */
export function* internalLinkSteps(
  { body, spans }: Markdown,
  isQuiet: (at: number) => boolean,
  found: (link: LinkUse, span: LinkSpan | WikiSpan) => void,
): Steps<void> {
  let looked = 0;
  for (const span of spans) {
    if ((looked += 1) % LINKS_PER_STEP === 0) yield;
    if (!isLink(span) || isShadow(span.section) || isQuiet(span.from)) continue;
    const link = 'targetFrom' in span ? readWikilink(body, span) : readLink(body, span);
    if (link !== null && link.target !== '') found(link, span);
  }
}

/** The web addresses that are returned of one body at most. */
const MAX_ADDRESSES = 500;
/** The longest part of an address that is returned (UTF-16 units). */
const MAX_ADDRESS = 300;

/**
 * Returns the web addresses of a body's links, each once, decoded and without scheme and fragment, so that a person can search
 * for a site. Images (nobody reads their addresses) and links in comments are left out.
 */
export function* webAddressSteps({ spans }: Markdown, isQuiet: (at: number) => boolean): Steps<string[]> {
  const found = new Set<string>();
  let looked = 0;
  for (const span of spans) {
    if ((looked += 1) % LINKS_PER_STEP === 0) yield;
    if (span.kind !== 'link' || span.loose || isShadow(span.section) || isQuiet(span.from)) continue;
    for (const address of span.addresses)
      if (readAddress(address).kind === 'web') found.add(shortAddress(address));
    if (found.size >= MAX_ADDRESSES) break;
  }
  found.delete('');
  return [...found];
}

/** Returns an address as a person would write it: decoded, without scheme and fragment. */
function shortAddress(address: string): string {
  const bare = address.replace(/^<|>$/g, '').slice(0, MAX_ADDRESS);
  return percentDecoded(decodeEntities(bare))
    .replace(/^\s*[a-z]+:(?:\/\/)?/i, '')
    .replace(/#.*$/s, '');
}
