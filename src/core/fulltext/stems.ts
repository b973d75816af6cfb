import lunr from 'lunr';
import { isStopWord } from './stop-words';

const ENGLISH = /^[a-z]+$/;
/** One for all calls, which need no other. */
const token = new lunr.Token('', {});

/**
 * Returns the stem of a term: that of an English word by M. F. Porter, An algorithm for suffix stripping (Program 14, 1980), as lunr has
 * it. A stop word is its own stem, as is a term with other letters than a to z.
 */
export function stemOf(term: string): string {
  if (!ENGLISH.test(term) || isStopWord(term)) return term;
  return lunr.stemmer(token.update(() => term)).toString();
}

/** Returns letters with which all words of a stem begin. */
export function startOf(stem: string): string {
  // The stemmer puts at most two letters in place of others: `ble` for `biliti`, `e` for `ing`, `i` for `y`.
  return stem.length <= CHANGED ? stem.slice(0, 1) : stem.slice(0, -CHANGED);
}

const CHANGED = 2;
