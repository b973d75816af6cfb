import * as z from 'zod';
import { ITEMS_PER_STEP, sortSteps, type Steps, Tally } from '../base/steps';
import { firstPoints } from '../base/text';
import type { Range } from '../markdown/spans';
import { type Edit, type Finding, type FoundRef, REF_KINDS, REF_REASONS } from './finding';

/** A part of a body that the gate closes or makes harmless. Its offsets are those of the original body. */
export interface GateChange extends Range {
  /** The line of its start in the original body, counted from 1. */
  readonly line: number;
  readonly kind: FoundRef['kind'] | 'invisible';
  readonly reason: NonNullable<FoundRef['reason']> | 'invisible';
  /** The part as written; for invisible characters with the word around them. Cut when it is long. */
  readonly text: string;
  /** The part as the gate leaves it, cut when it is long. */
  readonly becomes: string;
}

/** The longest text of a change that an answer shows (code points). */
const MAX_TEXT = 500;

/** The shape of a list of changes in answers. `index` counts all changes from 0. */
export const changesShape = z.array(
  z.object({
    index: z.number().int(),
    kind: z.enum([...REF_KINDS, 'invisible']),
    reason: z.enum([...REF_REASONS, 'invisible']),
    line: z.number().int().min(1),
    text: z.string().describe('As written'),
    becomes: z.string().describe('As it is stored'),
  }),
);

/** The finding for which a part is changed. */
type About = Pick<Finding, 'rule' | 'ref'>;

interface Merged extends Range {
  readonly ref: FoundRef | null;
}

/** A piece of the current body: original text, or what replaces the original between its offsets. */
interface Piece extends Range {
  /** Null for original text. */
  readonly text: string | null;
}

function lengthOf({ from, to, text }: Piece): number {
  return text === null ? to - from : text.length;
}

/**
 * Follows what the gate does to a body, round by round, in offsets of the original body: which parts findings are about, and what
 * these parts become.
 */
export class Changes {
  #pieces: Piece[];
  /** The offset of each piece in the current body. */
  #starts: number[] = [0];
  readonly #found: Merged[] = [];
  /** The pieces that are followed at most. */
  readonly #most: number;
  /** Where the last piece begins once there were more, and whether a finding is about it. */
  #rest = { from: Infinity, isFound: false };

  constructor(
    private readonly body: string,
    private readonly lineOf: (at: number) => number,
  ) {
    this.#most = 65_536 + (body.length >> 4);
    this.#pieces = [{ from: 0, to: body.length, text: null }];
  }

  /** Notes that the gate acts on a range of the current body. */
  add(about: About, range: Range): void {
    if (about.rule === 'canonical' || about.rule === 'missing') return;
    const { from, to } = this.#original(range);
    // All that changes in the rest is one change.
    const isRest = from >= this.#rest.from;
    if (isRest && this.#rest.isFound) return;
    this.#rest.isFound = isRest;
    this.#found.push({ from, to, ref: about.ref });
  }

  /** Applies sorted, disjoint edits of the current body, in steps. */
  *apply(edits: readonly Edit[]): Steps<void> {
    const old = this.#pieces;
    const pieces: Piece[] = [];
    const tally = new Tally(ITEMS_PER_STEP);
    let next = 0;
    /** The beginning of `old[next]` that is taken already, and the offset in the current body behind it. */
    let taken = 0;
    let at = 0;
    const takeUntil = function* (end: number, into: Piece[]): Steps<void> {
      for (let piece = old[next]; piece !== undefined && at < end; piece = old[next]) {
        const length = lengthOf(piece);
        const wanted = Math.min(length, taken + end - at);
        into.push(partOf(piece, taken, wanted));
        at += wanted - taken;
        taken = wanted === length ? 0 : wanted;
        if (wanted === length) next += 1;
        if (tally.isFull()) yield;
      }
    };
    for (const { from, to, text } of edits) {
      yield* takeUntil(from, pieces);
      const gone: Piece[] = [];
      yield* takeUntil(to, gone);
      const here = pieces.at(-1)?.to ?? 0;
      pieces.push({ from: gone[0]?.from ?? here, to: gone.at(-1)?.to ?? here, text });
    }
    yield* takeUntil(Infinity, pieces);
    if (pieces.length > this.#most) pieces.push(this.#joined(pieces.splice(this.#most)));
    this.#pieces = pieces;
    this.#starts = [];
    let start = 0;
    for (const piece of pieces) {
      this.#starts.push(start);
      start += lengthOf(piece);
      if (tally.isFull()) yield;
    }
  }

  /** Joins the pieces behind the most that are followed. */
  #joined(pieces: readonly Piece[]): Piece {
    const from = pieces[0]?.from ?? this.body.length;
    this.#rest = { from, isFound: this.#rest.isFound && from === this.#rest.from };
    const texts = pieces.map((piece) => piece.text ?? this.body.slice(piece.from, piece.to));
    return { from, to: this.body.length, text: texts.join('') };
  }

  /** Returns the changes in the order of the text, in steps. Findings that overlap are one change. */
  *result(): Steps<GateChange[]> {
    const changes: GateChange[] = [];
    const tally = new Tally(ITEMS_PER_STEP);
    let first = 0;
    for (const { ref, ...range } of yield* this.#merged()) {
      while ((this.#pieces[first]?.to ?? Infinity) < range.from) {
        first += 1;
        if (tally.isFull()) yield;
      }
      changes.push(this.#change(range, ref, first));
      if (tally.isFull(1 + ((range.to - range.from) >> 9))) yield;
    }
    return changes;
  }

  /** Returns the ranges of the original body that findings are about, with the edits that reach into them; sorted, disjoint. */
  *#merged(): Steps<Merged[]> {
    const edited = this.#pieces.filter(({ text }) => text !== null);
    const sorted = yield* sortSteps(this.#found, (a, b) => a.from - b.from || b.to - a.to);
    const merged: { from: number; to: number; ref: FoundRef | null }[] = [];
    const tally = new Tally(ITEMS_PER_STEP);
    let next = 0;
    for (const { ref, ...range } of sorted) {
      let { from, to } = range;
      const last = merged.at(-1);
      const isInside = last !== undefined && to <= last.to;
      if (tally.isFull()) yield;
      if (isInside) continue;
      for (let piece = edited[next]; piece !== undefined && piece.from < to; piece = edited[next]) {
        // An edit that is only in part inside belongs to the change as a whole.
        if (piece.to > from) {
          from = Math.min(from, piece.from);
          to = Math.max(to, piece.to);
        }
        next += 1;
        if (tally.isFull()) yield;
      }
      if (last !== undefined && from < last.to) last.to = Math.max(last.to, to);
      else merged.push({ from, to, ref });
    }
    return merged;
  }

  #change({ from, to }: Range, ref: FoundRef | null, first: number): GateChange {
    const become = this.#become({ from, to }, first);
    const isShort = ref === null && become === '';
    const [before, after] = isShort ? wordAround(this.body, { from, to }) : ['', ''];
    const shown = (text: string): string => firstPoints(before + text + after, MAX_TEXT);
    return {
      ...{ from, to, line: this.lineOf(from) },
      kind: ref?.kind ?? 'invisible',
      reason: ref === null ? 'invisible' : (ref.reason ?? 'active_content'),
      text: shown(this.body.slice(from, to)),
      becomes: shown(become),
    };
  }

  /** Returns what a range of the original body is now; `first` is the number of a piece that is not behind its start. */
  #become({ from, to }: Range, first: number): string {
    let text = '';
    for (let i = first; i < this.#pieces.length; i += 1) {
      const piece = this.#pieces[i];
      if (piece === undefined || piece.from >= to) break;
      if (piece.to < from || (piece.to === from && piece.from < from)) continue;
      text += piece.text ?? this.body.slice(Math.max(from, piece.from), Math.min(to, piece.to));
    }
    return text;
  }

  /** Returns the range of the original body from which a range of the current one was made. */
  #original({ from, to }: Range): Range {
    return { from: this.#edge(from, 'from'), to: this.#edge(to, 'to') };
  }

  #edge(at: number, side: 'from' | 'to'): number {
    // The start belongs to the piece behind an offset, the end to the one before it.
    let [low, high] = [0, this.#starts.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      const start = this.#starts[middle] ?? 0;
      if (side === 'from' ? start <= at : start < at) low = middle + 1;
      else high = middle;
    }
    const piece = this.#pieces[Math.max(0, low - 1)];
    if (piece === undefined) return 0;
    return piece.text === null ? piece.from + at - (this.#starts[Math.max(0, low - 1)] ?? 0) : piece[side];
  }
}

/** Cuts a piece. The parts of a replaced piece keep its whole range. */
function partOf({ from, to, text }: Piece, start: number, end: number): Piece {
  if (text === null) return { from: from + start, to: from + end, text };
  return { from, to, text: text.slice(start, end) };
}

/** Returns at most 16 characters of the word on either side of a range. */
function wordAround(text: string, { from, to }: Range): [string, string] {
  const before = /\S{0,16}$/.exec(text.slice(Math.max(0, from - 16), from))?.[0] ?? '';
  const after = /^\S{0,16}/.exec(text.slice(to, to + 16))?.[0] ?? '';
  return [before, after];
}
