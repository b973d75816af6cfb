import { diffArrays, diffWordsWithSpace } from 'diff';

/** A part of a line; `changed` is true when the other version differs there. */
interface Piece {
  readonly text: string;
  readonly changed: boolean;
}

/** Longer lines are not compared word by word, since that takes too long (characters). */
const MAX_LINE = 2_000;
/** Lines that need more edits than this have too little in common for a comparison of words. */
const MAX_EDITS = 120;
/** Lines with a smaller share of common characters get no marks, which would only be noise. */
const LEAST_COMMON = 0.2;

/** Compares two versions of a line by words. Returns them unmarked when they have little in common. */
function diffWords(was: string, is: string): [was: Piece[], is: Piece[]] {
  const unmarked: [Piece[], Piece[]] = [[{ text: was, changed: false }], [{ text: is, changed: false }]];
  if (was.length > MAX_LINE || is.length > MAX_LINE) return unmarked;
  const changes = diffWordsWithSpace(was, is, { maxEditLength: MAX_EDITS });
  if (changes === undefined) return unmarked;
  const left: Piece[] = [];
  const right: Piece[] = [];
  let common = 0;
  for (const { value, added, removed } of changes) {
    if (!added) left.push({ text: value, changed: removed });
    if (!removed) right.push({ text: value, changed: added });
    if (!added && !removed) common += value.trim().length;
  }
  if (common < LEAST_COMMON * Math.max(was.trim().length, is.trim().length)) return unmarked;
  return [mergeMarks(left), mergeMarks(right)];
}

/** A separator of at most three characters between two changed words: space, brackets, commas. */
const SEPARATOR = /^[^\p{L}\p{N}]{0,3}$/u;

/** Merges changed words that only a separator divides into one mark, and ends each mark at its last word. */
function mergeMarks(pieces: readonly Piece[]): Piece[] {
  const found: Piece[] = [];
  const add = (text: string, changed: boolean): void => {
    const last = found.at(-1);
    if (text === '') return;
    if (last?.changed === changed) found[found.length - 1] = { text: last.text + text, changed };
    else found.push({ text, changed });
  };
  for (const [index, piece] of pieces.entries()) {
    const between = pieces[index - 1]?.changed === true && pieces[index + 1]?.changed === true;
    add(piece.text, piece.changed || (between && SEPARATOR.test(piece.text)));
  }
  return found.flatMap((piece) => (piece.changed ? splitTrailingSpace(piece) : [piece]));
}

function splitTrailingSpace({ text }: Piece): Piece[] {
  const words = text.trimEnd();
  if (words === '' || words === text) return [{ text, changed: true }];
  return [
    { text: words, changed: true },
    { text: text.slice(words.length), changed: false },
  ];
}

/** A version: `content` is the whole file, `body` the part below the front matter. */
interface VersionText {
  readonly content: string;
  readonly body: string;
}

/** One side of a changed line: its number in its file, from 1, and its parts. */
export interface DiffSide {
  readonly number: number;
  readonly pieces: readonly Piece[];
}

/** A row of the comparison. `change` is the index of its run of changed rows; a reader jumps from run to run. */
export type DiffRow =
  | { readonly kind: 'same'; readonly left: number; readonly right: number; readonly text: string }
  | {
      readonly kind: 'changed';
      readonly change: number;
      readonly left: DiffSide | null;
      readonly right: DiffSide | null;
    };

export interface DiffModel {
  readonly rows: readonly DiffRow[];
  /** The number of runs of changed rows. */
  readonly changes: number;
  readonly added: number;
  readonly removed: number;
  /** True when the properties differ, also when they are not compared. */
  readonly propertiesChanged: boolean;
  readonly textChanged: boolean;
  /** True when matching the lines took too long: the old text is then shown against the new as one change. */
  readonly rough: boolean;
}

/** The time limit for matching lines (ms); with the words it is below 50 ms, a delay that a reader notices. */
const LINES_MS = 30;
/** The time limit for comparing words (ms); later lines are not compared by words. */
const WORDS_MS = 12;
/** At least this many pairs of lines are compared by words, whatever the time: a screenful, which is quick anywhere. */
const LEAST_PAIRS = 40;

/**
 * Compares two versions line by line and, in changed lines, word by word. The time is bounded: past its limit, words are not
 * compared, or lines are not matched, which `rough` tells.
 * @param options `properties` includes the front matter; `linesMs` and `wordsMs` are the time limits (ms)
 */
export function compareVersions(
  older: VersionText,
  newer: VersionText,
  options: { readonly properties: boolean; readonly linesMs?: number; readonly wordsMs?: number },
): DiffModel {
  const { properties, linesMs = LINES_MS, wordsMs = WORDS_MS } = options;
  const [oldHead, newHead] = [headOf(older), headOf(newer)];
  const [oldHeadLines, newHeadLines] = [linesOf(oldHead), linesOf(newHead)];
  const parts = [
    ...(properties ? [{ left: oldHeadLines, right: newHeadLines, leftFrom: 1, rightFrom: 1 }] : []),
    {
      left: linesOf(older.body),
      right: linesOf(newer.body),
      leftFrom: oldHeadLines.length + 1,
      rightFrom: newHeadLines.length + 1,
    },
  ];
  const builder = new RowBuilder(wordsMs);
  let rough = false;
  for (const { left, right, leftFrom, rightFrom } of parts) {
    const matched = matchLines(left, right, linesMs);
    rough ||= matched.rough;
    builder.add(matched.runs, leftFrom, rightFrom);
  }
  return {
    ...builder.result(),
    propertiesChanged: oldHead !== newHead,
    textChanged: older.body !== newer.body,
    rough,
  };
}

function headOf({ content, body }: VersionText): string {
  return content.endsWith(body) ? content.slice(0, content.length - body.length) : '';
}

/** Splits a text into lines without their ends, so that CRLF and LF compare as equal. */
function linesOf(text: string): string[] {
  const lines = text.split('\n').map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line));
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

type Run =
  | { readonly kind: 'same'; readonly lines: readonly string[] }
  | { readonly kind: 'changed'; readonly removed: readonly string[]; readonly added: readonly string[] };

/** Matches lines. The common prefix and suffix come first: that is cheap, and most edits of a long note are small. */
function matchLines(
  left: readonly string[],
  right: readonly string[],
  timeout: number,
): { runs: Run[]; rough: boolean } {
  const most = Math.min(left.length, right.length);
  let head = 0;
  while (head < most && left[head] === right[head]) head += 1;
  let tail = 0;
  while (tail < most - head && left[left.length - 1 - tail] === right[right.length - 1 - tail]) tail += 1;
  const removed = left.slice(head, left.length - tail);
  const added = right.slice(head, right.length - tail);
  const middle = diffArrays(removed, added, { timeout });
  const runs: Run[] = [{ kind: 'same', lines: left.slice(0, head) }];
  if (middle === undefined) runs.push({ kind: 'changed', removed, added });
  let pending: readonly string[] = [];
  for (const change of middle ?? []) {
    if (change.removed) {
      pending = change.value;
    } else if (change.added) {
      runs.push({ kind: 'changed', removed: pending, added: change.value });
      pending = [];
    } else {
      if (pending.length > 0) runs.push({ kind: 'changed', removed: pending, added: [] });
      pending = [];
      runs.push({ kind: 'same', lines: change.value });
    }
  }
  if (pending.length > 0) runs.push({ kind: 'changed', removed: pending, added: [] });
  runs.push({ kind: 'same', lines: left.slice(left.length - tail) });
  return { runs, rough: middle === undefined };
}

class RowBuilder {
  readonly #rows: DiffRow[] = [];
  #changes = 0;
  #added = 0;
  #removed = 0;
  #pairs = 0;
  /** The time spent on words (ms). */
  #spent = 0;

  constructor(private readonly wordsMs: number) {}

  add(runs: readonly Run[], leftFrom: number, rightFrom: number): void {
    let [left, right] = [leftFrom, rightFrom];
    for (const run of runs) {
      if (run.kind === 'same') {
        for (const text of run.lines) {
          this.#rows.push({ kind: 'same', left, right, text });
          left += 1;
          right += 1;
        }
        continue;
      }
      const change = this.#nextChange();
      for (let index = 0; index < Math.max(run.removed.length, run.added.length); index += 1) {
        const [was, is] = this.#pair(run.removed[index], run.added[index]);
        this.#rows.push({
          kind: 'changed',
          change,
          left: was === null ? null : { number: left + index, pieces: was },
          right: is === null ? null : { number: right + index, pieces: is },
        });
      }
      left += run.removed.length;
      right += run.added.length;
      this.#removed += run.removed.length;
      this.#added += run.added.length;
    }
  }

  result(): Pick<DiffModel, 'rows' | 'changes' | 'added' | 'removed'> {
    return { rows: this.#rows, changes: this.#changes, added: this.#added, removed: this.#removed };
  }

  /** Returns the index of the next change. Adjacent runs, such as the last property and the first line, are one change. */
  #nextChange(): number {
    const last = this.#rows.at(-1);
    if (last?.kind === 'changed') return last.change;
    this.#changes += 1;
    return this.#changes - 1;
  }

  #pair(was: string | undefined, is: string | undefined): [readonly Piece[] | null, readonly Piece[] | null] {
    if (was === undefined || is === undefined) return [unmarkedLine(was), unmarkedLine(is)];
    this.#pairs += 1;
    if (this.#pairs > LEAST_PAIRS && this.#spent > this.wordsMs) return [unmarkedLine(was), unmarkedLine(is)];
    const from = performance.now();
    const words = diffWords(was, is);
    this.#spent += performance.now() - from;
    return words;
  }
}

function unmarkedLine(line: string | undefined): readonly Piece[] | null {
  return line === undefined ? null : [{ text: line, changed: false }];
}
