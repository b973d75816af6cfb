import type { Dictionary } from './dictionary';
import { Phrase } from './phrase';
import type { Postings } from './postings';
import type { SearchPlan } from './query-terms';
import type { Streams } from './streams';
import { unpackTerms } from './term-stream';

/** Where phrases are looked for. */
interface Searched {
  readonly dictionary: Dictionary;
  readonly postings: Postings;
  readonly streams: Streams;
}

/** Tells of a document whether it holds every phrase; its terms are unpacked at most once. */
export function phraseTest(
  wanted: SearchPlan['phrases'],
  { dictionary, postings, streams }: Searched,
): (doc: number) => boolean {
  const phrases = wanted.map((places) => new Phrase(places));
  // A phrase of one word occurs when its word does.
  const sequences = phrases.filter(({ length }) => length > 1);
  const textOf = (term: number) => dictionary.text(term);
  return (doc) => {
    if (!phrases.every((phrase) => phrase.mayOccur((term) => postings.has(term, doc)))) return false;
    if (sequences.length === 0) return true;
    const terms = unpackTerms(streams.of(doc));
    return sequences.every((phrase) => phrase.occursIn(terms, textOf));
  };
}
