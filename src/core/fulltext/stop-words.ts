import lunr from 'lunr';

/** The maximum length of a word in lunr's list. */
const MAX_LENGTH = 7;
/** One for all calls, which need no other. */
const token = new lunr.Token('', {});

/** Returns true for a very frequent English word, by lunr's list. It counts only in a query without other words. */
export function isStopWord(term: string): boolean {
  return term.length <= MAX_LENGTH && lunr.stopWordFilter(token.update(() => term)) === undefined;
}
