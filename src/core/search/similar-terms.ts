import { compareText } from '../rules/text';
import type { Analyser } from './analyse';
import { isStopWord } from './stop-words';

/** How many terms of a text, beside its title, say what it is about. */
const TELLING_TERMS = 12;
/** Only the beginning of a long text is asked what it is about, in UTF-16 units. */
const MAX_TEXT = 20_000;

/** What other notes tell about terms. */
interface Others {
  /** In how many of them the term occurs. */
  frequency(term: string): number;
}

/**
 * The terms to look for when one wants notes like a text: those of its title and the rarest of its own that
 * others hold.
 */
export function similarTerms(title: string, text: string, analyser: Analyser, others: Others): string[] {
  const named = new Set(analyser.all(title));
  const telling = [...new Set(analyser.all(text.slice(0, MAX_TEXT)))]
    .map((term) => ({ term, documents: others.frequency(term) }))
    .filter(({ term, documents }) => documents > 0 && !named.has(term) && !isStopWord(term))
    .sort((a, b) => a.documents - b.documents || compareText(a.term, b.term))
    .slice(0, TELLING_TERMS);
  return [...named, ...telling.map(({ term }) => term)];
}
