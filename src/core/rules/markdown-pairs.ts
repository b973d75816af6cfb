import { finish, type Steps, Tally } from '../steps';
import { ITEMS_PER_STEP } from './markdown-order';
import { UNITS_PER_STEP } from './markdown-tokens';

/** Where code spans end in one section. Every question costs the logarithm of the number of backtick runs. */
export interface Backticks {
  /** Offset after the code span that opens with `length` backticks at `at`, or -1 when none opens there. */
  endOf(at: number, length: number): number;
  /** True when a code span that opens between `from` and `to` would end behind `to`. */
  straddle(from: number, to: number): boolean;
}

/** Pairs the backtick runs of a section; only a run of equal length closes a span. */
export function pairBackticks(text: string): Backticks {
  return finish(backtickSteps(text));
}

/** What `pairBackticks` answers, a part of the text a step. */
export function* backtickSteps(text: string): Steps<Backticks> {
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

/** The number of backticks from `at` on. */
export function runLength(text: string, at: number): number {
  let end = at;
  while (text[end] === '`') end += 1;
  return end - at;
}

/** The first of the sorted offsets that is not before `at`, or -1. */
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

/** What stands in the parentheses of an inline link. */
export interface Destination {
  /** As written, with its pointed brackets when it has them. */
  readonly address: string;
  readonly from: number;
  /** Offset after the closing parenthesis; for a loose one, offset of the opening parenthesis. */
  readonly end: number;
  /** Offset after the closing parenthesis that Markdown sees, of a loose one too; that of the opening one when it sees none. */
  readonly reach: number;
  /** True when Markdown sees no link here, but a more forgiving reader might. */
  readonly loose: boolean;
}

const TITLE = /"[^"\\]*(?:\\[^][^"\\]*)*"|'[^'\\]*(?:\\[^][^'\\]*)*'|\([^()\\]*(?:\\[^][^()\\]*)*\)/y;
const POINTED = /<[^<>\\\n]*(?:\\[^\n][^<>\\\n]*)*>/y;
const SPACE = /[ \t\r\n]*/y;
/** What is looked at of an address that never closes: enough for its scheme, little enough to stay linear. */
const MAX_LOOSE = 128;

/** Answers what the parentheses that open at an offset hold. The text is looked through once for all of them. */
export function destinations(text: string): (open: number) => Destination {
  let ends: ReadonlyMap<number, number> | null = null;
  return destinationsBy(text, () => (ends ??= finish(addressEnds(text))));
}

/** The same; the text is looked through at once, a part of it a step. */
export function* destinationSteps(text: string): Steps<(open: number) => Destination> {
  const ends = yield* addressEnds(text);
  return destinationsBy(text, () => ends);
}

/** @param endsOf what `addressEnds` found */
function destinationsBy(
  text: string,
  endsOf: () => ReadonlyMap<number, number>,
): (open: number) => Destination {
  const tails = new Map<number, number>();
  /** Offset after the parenthesis that closes behind an address ending at `at`, or -1. */
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
    // What looks like another link in it is read as one, and this one as a link for some readers only.
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

/** For each `(` behind a `]`: where an address without pointed brackets ends, at white space or its own `)`. */
function* addressEnds(text: string): Steps<Map<number, number>> {
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
      // White space right behind the parenthesis: the address comes after it.
      if (leads) open = [first];
    }
  }
  yield* close(text.length);
  return ends;
}
