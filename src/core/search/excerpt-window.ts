import { cutExcerpt } from '../rules/excerpt';
import type { Analyser } from './analyse';

/** Length of an excerpt in code points. */
const EXCERPT = 240;
/** What of it is left beside the `…` at both ends, in UTF-16 units, which are never fewer than code points. */
const WINDOW = EXCERPT - 2;
/** An excerpt begins so many units before the first word found, so that a reader sees how the sentence goes. */
const LEAD_IN = 40;
/** A cut may move back so far to the beginning of a word. */
const WORD_REACH = 24;
/** Only this much of a note is looked through: a query may show fifty of them. */
const MAX_SCAN = 100_000;

interface Occurrence {
  readonly term: string;
  readonly from: number;
  readonly to: number;
}

/**
 * The place of a note that tells most about a query: the window of an excerpt's length with the highest sum
 * over the distinct terms in it, the earliest of equals; null when none of the terms occurs in the prose.
 * @param terms what was found, each with its inverse document frequency
 */
export function excerptWindow(
  plain: string,
  terms: ReadonlyMap<string, number>,
  analyser: Analyser,
): string | null {
  const best = bestWindow(occurrencesIn(plain, terms, analyser), terms);
  if (best === null) return null;
  // The beginning of the note reads best, when all that was found fits into it.
  if (best.to <= WINDOW) return cutExcerpt(plain, 0, EXCERPT);
  const room = WINDOW - (best.to - best.from) - WORD_REACH;
  return cutExcerpt(plain, best.from - Math.max(0, Math.min(LEAD_IN, room)), EXCERPT);
}

function occurrencesIn(plain: string, terms: ReadonlyMap<string, number>, analyser: Analyser): Occurrence[] {
  const found: Occurrence[] = [];
  analyser.eachTerm(plain.slice(0, MAX_SCAN), (term, from, to) => {
    if (terms.has(term)) found.push({ term, from, to });
  });
  return found;
}

/** The bounds of what was found in the best window. */
function bestWindow(
  found: readonly Occurrence[],
  terms: ReadonlyMap<string, number>,
): { from: number; to: number } | null {
  // Whole numbers, so that sums are exact: taking away what was added leaves what was there, and equals are
  // equal.
  const worthOf = (term: string) => Math.round((terms.get(term) ?? 0) * 1e6);
  const counts = new Map<string, number>();
  let worth = 0;
  let first = 0;
  let best: { from: number; to: number; worth: number } | null = null;
  for (const last of found) {
    const before = counts.get(last.term) ?? 0;
    counts.set(last.term, before + 1);
    if (before === 0) worth += worthOf(last.term);
    for (let oldest = found[first]; oldest && last.to - oldest.from > WINDOW; oldest = found[++first]) {
      const left = (counts.get(oldest.term) ?? 0) - 1;
      counts.set(oldest.term, left);
      if (left === 0) worth -= worthOf(oldest.term);
    }
    if (best === null || worth > best.worth)
      best = { from: found[first]?.from ?? last.from, to: last.to, worth };
  }
  return best;
}
