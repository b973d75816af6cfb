import { Phrase } from './phrase';
import { docOf, type Postings } from './postings';
import type { PhrasePlan } from './quoted-phrases';
import type { Streams } from './streams';

/** Of two terms that more documents hold it is taken for granted that they stand side by side somewhere … */
const MAX_LOOKS = 1000;
/** … and of those that documents of more units together hold, which would take longer to look through than a search. */
const MAX_UNITS = 1 << 18;

/** Where phrases are looked for. */
interface Searched {
  readonly postings: Postings;
  readonly streams: Streams;
  readonly shapes: Streams;
}

/** Tells of a document whether it holds every phrase. */
export function phraseTest(
  wanted: readonly PhrasePlan[],
  { postings, streams, shapes }: Searched,
): (doc: number) => boolean {
  const phrases = wanted.map((plan) => new Phrase(plan));
  const sequences = phrases.filter(({ isOneTerm }) => !isOneTerm);
  return (doc) => {
    if (!phrases.every((phrase) => phrase.mayOccur((term) => postings.has(term, doc)))) return false;
    if (sequences.length === 0) return true;
    const [units, shape] = [streams.of(doc), shapes.of(doc)];
    return sequences.every((phrase) => phrase.occursIn(units, shape));
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
  return docs.some(phraseTest([{ terms, apart: [], last: terms.length }], searched));
}
