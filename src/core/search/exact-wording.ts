import { FIELD_END, LONG_TERM, TermPacker, type TermStream } from './term-stream';

/** How the terms of a query stand in a document. */
export const NOWHERE = 0;
/** One after the other somewhere in a field. */
const INSIDE = 1;
/** As a whole field but the last one: a title, an alias, a heading. */
export const WHOLE = 2;

/** The terms of a query in their order, looked for in streams at the places of one of them. */
export interface Wording {
  /** The terms as a stream has them. */
  readonly units: TermStream;
  /** How many units stand before the last one of the term that is looked for. */
  readonly before: number;
}

/** Made once: its room is larger than any query. */
const packer = new TermPacker();

/** @param anchor the place among the terms of the one that is looked for, best a rare one */
export function wordingOf(terms: readonly number[], anchor: number): Wording {
  for (const term of terms) packer.add(term);
  const before = terms.slice(0, anchor + 1).reduce((size, term) => size + (term < LONG_TERM ? 1 : 2), -1);
  return { units: packer.take(), before };
}

/**
 * How the wording stands at one place of a stream, which reaches from `from` up to `end`.
 * @param at where the last unit of the term stands that is looked for
 */
export function wordingAt(
  { units: wanted, before }: Wording,
  units: TermStream,
  at: number,
  from: number,
  end: number,
): typeof NOWHERE | typeof INSIDE | typeof WHOLE {
  const begin = at - before;
  const stop = begin + wanted.length;
  if (begin < from || stop > end) return NOWHERE;
  for (let n = 0; n < wanted.length; n += 1) if (units[begin + n] !== wanted[n]) return NOWHERE;
  // The last field is the text.
  const isEnd = stop + 1 < end && units[stop] === FIELD_END;
  if (begin === from) return isEnd ? WHOLE : INSIDE;
  const previous = units[begin - 1] ?? 0;
  // Then what seems to be the first term is the second half of another.
  if (previous >= LONG_TERM) return NOWHERE;
  const isFirst = previous === FIELD_END && (begin - 1 === from || (units[begin - 2] ?? 0) < LONG_TERM);
  return isFirst && isEnd ? WHOLE : INSIDE;
}
