import { textIn, unitsOf } from './unit-text';

/** lunr's list of very frequent English words. */
const STOP_WORDS: ReadonlySet<string> = new Set(
  'a able about across after all almost also am among an and any are as at be because been but by can cannot could dear did do does either else ever every for from get got had has have he her hers him his how however i if in into is it its just least let like likely may me might most must my neither no nor not of off often on only or other our own rather said say says she should since so some than that the their them then there these they this tis to too twas us wants was we were what when where which while who whom why will with would yet you your'.split(
    ' ',
  ),
);

/** No word of the list is longer. */
const LONGEST = 7;

/** Begin, end and length of all of them: hardly any other word has these. */
const OUTLINES: ReadonlySet<number> = new Set(
  Array.from(STOP_WORDS, (word) => outlineOf(unitsOf(word), 0, word.length)),
);

/** True for a very frequent English word, which counts only in a query that has no others. */
export function isStopWord(term: string): boolean {
  return term.length <= LONGEST && STOP_WORDS.has(term);
}

/** The same of units between two places. */
export function isStopWordIn(units: Uint16Array, from: number, to: number): boolean {
  if (to === from || to - from > LONGEST || !OUTLINES.has(outlineOf(units, from, to))) return false;
  return STOP_WORDS.has(textIn(units, from, to - from));
}

function outlineOf(units: Uint16Array, from: number, to: number): number {
  return ((((units[from] ?? 0) & 0xff) << 8) | ((units[to - 1] ?? 0) & 0xff)) * 8 + to - from;
}
