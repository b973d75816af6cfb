/** A word shorter than this is not taken for a typing error: one letter further on stands another word. */
const MIN_TYPO = 4;
/** From this length on a word may hold two errors. */
const MIN_TWO_TYPOS = 9;
/** From this length on the beginning of a word may stand for the word. */
const MIN_PREFIX = 5;

/**
 * The terms that a word which occurs nowhere may have meant: those at the smallest edit distance, at most 1,
 * or 2 from nine letters; else, from five letters, those that begin with it. Empty for words with digits or
 * signs.
 * @param term the word as a term (stemmed), which is what vocabularies hold
 * @param letters length of the word as it was typed
 * @param vocabulary asked for its terms only when the word may be a typing error
 */
export function nearestTerms(term: string, letters: number, vocabulary: () => Iterable<string>): string[] {
  if (letters < MIN_TYPO || !/^[\p{L}\p{M}]+$/u.test(term)) return [];
  let best = letters >= MIN_TWO_TYPOS ? 2 : 1;
  let near: string[] = [];
  const beginning: string[] = [];
  for (const other of vocabulary()) {
    const longer = other.length - term.length;
    if (longer > best || longer < -best) {
      if (longer > 0 && letters >= MIN_PREFIX && other.startsWith(term)) beginning.push(other);
    } else if (withinEdits(term, other, best)) {
      // Is it nearer than what was near enough so far?
      if (best === 2 && withinEdits(term, other, 1)) {
        best = 1;
        near = [];
      }
      near.push(other);
    }
  }
  return near.length > 0 ? near : beginning;
}

/**
 * True when at most `edits` letters inserted, deleted, changed, or swapped with their neighbour make `b` of
 * `a` (optimal string alignment). Linear in the length for a fixed number of edits.
 */
export function withinEdits(a: string, b: string, edits: number, i = 0, j = 0): boolean {
  while (i < a.length && j < b.length && a.charCodeAt(i) === b.charCodeAt(j)) {
    i += 1;
    j += 1;
  }
  if (i === a.length || j === b.length) return a.length - i + (b.length - j) <= edits;
  if (edits === 0) return false;
  return (
    withinEdits(a, b, edits - 1, i + 1, j + 1) ||
    withinEdits(a, b, edits - 1, i + 1, j) ||
    withinEdits(a, b, edits - 1, i, j + 1) ||
    (i + 1 < a.length && a[i] === b[j + 1] && a[i + 1] === b[j] && withinEdits(a, b, edits - 1, i + 2, j + 2))
  );
}
