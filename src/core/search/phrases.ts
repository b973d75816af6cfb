import type { Dictionary } from './dictionary';
import { Phrase } from './phrase';
import type { Postings } from './postings';
import type { PhrasePlan } from './quoted-phrases';
import { StreamWholes } from './stream-wholes';
import type { Streams } from './streams';
import { FIELD_END, unpackTerms } from './term-stream';
import { Wholes } from './wholes';

/** Where phrases are looked for. */
interface Searched {
  readonly dictionary: Dictionary;
  readonly postings: Postings;
  readonly streams: Streams;
}

/** Tells of a document whether it holds every phrase; only where that is not plain are its terms unpacked, once for all. */
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
  const inStreams = new StreamWholes(textOf, dictionary.limit, wholes);
  return (doc) => {
    if (!phrases.every((phrase) => phrase.mayOccur((term) => postings.has(term, doc)))) return false;
    if (sequences.length === 0) return true;
    const units = streams.of(doc);
    let unpacked: readonly number[] | null = null;
    return sequences.every((phrase) => {
      const scanned = phrase.scan(units, inStreams);
      if (scanned !== null) return scanned;
      const terms = (unpacked ??= unpackTerms(units));
      return phrase.occursIn(terms, (place) => textOf(terms[place] ?? FIELD_END), wholes);
    });
  };
}
