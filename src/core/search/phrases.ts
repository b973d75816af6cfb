import type { Dictionary } from './dictionary';
import { Phrase } from './phrase';
import { docOf, type Postings } from './postings';
import type { PhrasePlan } from './quoted-phrases';
import { StreamWholes } from './stream-wholes';
import type { Streams } from './streams';
import { FIELD_END, unpackTerms } from './term-stream';
import { Wholes } from './wholes';

/** Of two terms that more documents hold it is taken for granted that they stand side by side somewhere … */
const MAX_LOOKS = 1000;
/** … and of those that documents of more units together hold, which would take longer to look through than a search. */
const MAX_UNITS = 1 << 18;

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

/**
 * True when one term stands right behind another in a document, or so much text has both that this can be supposed. To look at
 * some of it only would make the answer depend on the order in which documents came.
 */
export function standTogether(first: number, second: number, searched: Searched): boolean {
  const { postings } = searched;
  const [rare, other] = postings.count(first) < postings.count(second) ? [first, second] : [second, first];
  if (postings.count(rare) > MAX_LOOKS) return true;
  const cells = postings.cells(rare);
  const from = postings.from(rare);
  const docs: number[] = [];
  let units = 0;
  for (let at = from; at < from + postings.count(rare); at += 1) {
    const doc = docOf(cells[at] ?? 0);
    if (!postings.has(other, doc)) continue;
    docs.push(doc);
    units += searched.streams.size(doc);
  }
  if (units > MAX_UNITS) return true;
  const terms = [first, second].map((term, at) => ({ fillers: [term], from: at, to: at + 1 }));
  return docs.some(phraseTest([{ terms, last: terms.length }], searched));
}
