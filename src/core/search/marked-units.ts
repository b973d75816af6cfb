import { LONG_TERM, type TermStream } from './term-stream';

// Loops over the streams of documents: they take a good part of the time of a search, so each is a function of its own, of
// which the engine makes better code than of a loop inside another.

const TO_CARRY = (1 << 16) - LONG_TERM;

/**
 * Lists the places between `from` and `end` whose units have a mark; how many there are. Four units at a time, nearly all of
 * which have none; those fours are listed in which one has, and gone through then. Both without a branch, because a processor
 * that guesses wrong which way to go loses as much time as a dozen units take: what is listed is written down at once, and
 * stays when the count goes on.
 * @param fours room for a quarter as many numbers as units
 */
export function listMarked(
  marks: Uint8Array,
  units: TermStream,
  from: number,
  end: number,
  places: Uint32Array,
  fours: Uint32Array,
): number {
  let listed = 0;
  let at = from;
  for (const last = end - 3; at < last; at += 4) {
    const any =
      (marks[units[at] ?? 0] ?? 0) |
      (marks[units[at + 1] ?? 0] ?? 0) |
      (marks[units[at + 2] ?? 0] ?? 0) |
      (marks[units[at + 3] ?? 0] ?? 0);
    fours[listed] = at;
    listed += (any + 0xff) >>> 8;
  }
  let count = 0;
  for (let four = 0; four < listed; four += 1) {
    const first = fours[four] ?? 0;
    places[count] = first;
    count += ((marks[units[first] ?? 0] ?? 0) + 0xff) >>> 8;
    places[count] = first + 1;
    count += ((marks[units[first + 1] ?? 0] ?? 0) + 0xff) >>> 8;
    places[count] = first + 2;
    count += ((marks[units[first + 2] ?? 0] ?? 0) + 0xff) >>> 8;
    places[count] = first + 3;
    count += ((marks[units[first + 3] ?? 0] ?? 0) + 0xff) >>> 8;
  }
  for (; at < end; at += 1) {
    places[count] = at;
    count += ((marks[units[at] ?? 0] ?? 0) + 0xff) >>> 8;
  }
  return count;
}

/** How many terms of two units begin between two places: a unit of theirs is the only one that reaches 2^16 with this added. */
export function longTermsIn(units: TermStream, from: number, to: number): number {
  let count = 0;
  let at = from;
  for (const last = to - 3; at < last; at += 4) {
    count +=
      (((units[at] ?? 0) + TO_CARRY) >>> 16) +
      (((units[at + 1] ?? 0) + TO_CARRY) >>> 16) +
      (((units[at + 2] ?? 0) + TO_CARRY) >>> 16) +
      (((units[at + 3] ?? 0) + TO_CARRY) >>> 16);
  }
  for (; at < to; at += 1) count += ((units[at] ?? 0) + TO_CARRY) >>> 16;
  return count;
}

/** Where the first so many terms end. */
export function endOfTerms(units: TermStream, from: number, end: number, terms: number): number {
  let at = from;
  // So many units begin as many terms, but for those among them that are the second ones of their terms.
  for (let left = terms; left > 0;) {
    const next = Math.min(end, at + left);
    if (next === end) return end;
    left = longTermsIn(units, Math.max(from, at - 1), next - 1);
    at = next;
  }
  return at > from && (units[at - 1] ?? 0) >= LONG_TERM ? at + 1 : at;
}
