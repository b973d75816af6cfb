import { FIELD_END, LONG_TERM, TermPacker, type TermStream } from './term-stream';

/** How the terms of a query stand in a document. */
export const NOWHERE = 0;
/** One after the other somewhere in a field. */
const INSIDE = 1;
/** Beside other words in the first field, the title. */
export const TITLED = 2;
/** As a whole field but the last one: a title, an alias, a heading. */
export const WHOLE = 3;

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
): typeof NOWHERE | typeof INSIDE | typeof TITLED | typeof WHOLE {
  const begin = at - before;
  const stop = begin + wanted.length;
  if (begin < from || stop > end) return NOWHERE;
  for (let n = 0; n < wanted.length; n += 1) if (units[begin + n] !== wanted[n]) return NOWHERE;
  // Then what seems to be the first term is the second half of another.
  if (begin > from && (units[begin - 1] ?? 0) >= LONG_TERM) return NOWHERE;
  // The last field is the text.
  const isEnd = stop + 1 < end && units[stop] === FIELD_END;
  if (isEnd && (begin === from || endsField(units, from, begin - 1))) return WHOLE;
  return isInTitle(units, from, begin) ? TITLED : INSIDE;
}

/** True when no field has ended before a place. */
function isInTitle(units: TermStream, from: number, place: number): boolean {
  for (let at = from; at < place; at += 1) if (endsField(units, from, at)) return false;
  return true;
}

/** True when a field ends there; what looks like its end may be the second half of a term. */
function endsField(units: TermStream, from: number, at: number): boolean {
  return units[at] === FIELD_END && (at === from || (units[at - 1] ?? 0) < LONG_TERM);
}
