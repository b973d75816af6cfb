import type { Dictionary } from './dictionary';
import { Phrase } from './phrase';
import type { Postings } from './postings';
import type { PhrasePlan } from './quoted-phrases';
import type { Streams } from './streams';
import { FIELD_END, unpackTerms } from './term-stream';
import { Wholes } from './wholes';

/** Where phrases are looked for. */
interface Searched {
  readonly dictionary: Dictionary;
  readonly postings: Postings;
  readonly streams: Streams;
}

/** Tells of a document whether it holds every phrase; its terms are unpacked at most once. */
export function phraseTest(
  wanted: readonly PhrasePlan[],
  { dictionary, postings, streams }: Searched,
): (doc: number) => boolean {
  const phrases = wanted.map((plan) => new Phrase(plan));
  const sequences = phrases.filter(({ isOneTerm }) => !isOneTerm);
  const wholes = new Wholes();
  const texts = new Map<number, string>([[FIELD_END, '']]);
  const textOf = (term: number): string => {
    const known = texts.get(term);
    if (known !== undefined) return known;
    const text = dictionary.text(term);
    texts.set(term, text);
    return text;
  };
  return (doc) => {
    if (!phrases.every((phrase) => phrase.mayOccur((term) => postings.has(term, doc)))) return false;
    if (sequences.length === 0) return true;
    const terms = unpackTerms(streams.of(doc));
    const textAt = (place: number) => textOf(terms[place] ?? FIELD_END);
    return sequences.every((phrase) => phrase.occursIn(terms, textAt, wholes));
  };
}
