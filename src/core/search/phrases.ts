import type { Postings } from './postings';
import type { SearchPlan } from './query-terms';
import type { Streams } from './streams';
import { holdsPhrase, unpackTerms } from './term-stream';

/** Where phrases are looked for. */
interface Searched {
  readonly postings: Postings;
  readonly streams: Streams;
}

/** Tells of a document whether it holds every phrase; its terms are unpacked at most once. */
export function phraseTest(
  phrases: SearchPlan['phrases'],
  { postings, streams }: Searched,
): (doc: number) => boolean {
  if (phrases.length === 0) return () => true;
  const wanted = phrases.map((phrase) => phrase.map((group) => new Set(group)));
  const places = wanted.flat();
  // A phrase of one word occurs when its word does.
  const sequences = wanted.filter((phrase) => phrase.length > 1);
  return (doc) => {
    if (!places.every((ids) => [...ids].some((id) => postings.has(id, doc)))) return false;
    if (sequences.length === 0) return true;
    const terms = unpackTerms(streams.of(doc));
    return sequences.every((phrase) => holdsPhrase(terms, phrase));
  };
}
