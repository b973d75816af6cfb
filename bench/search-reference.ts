import lunr from 'lunr';
import { type EngineKind, wordsOf } from './search-engine';

const K1 = 1.2;
const B = 0.75;
/** Lucene's English stop words. */
const STOP_WORDS = new Set(
  'a an and are as at be but by for if in into is it no not of on or such that the their then there these they this to was will with'.split(
    ' ',
  ),
);

/** How often each term occurs in each document, and how many terms a document has. */
interface Counted {
  readonly paths: string[];
  readonly lengths: number[];
  readonly postings: Map<string, Map<number, number>>;
}

/**
 * BM25 as a textbook and Lucene since version 8 write it, in the plainest form, as a yardstick: English analysis (lower case,
 * possessives off, Lucene's stop words, Porter's stemmer) over title and text in one field, which is how Lucene is run on
 * public test collections. Lengths are exact, where Lucene keeps them in a byte. Its answers are compared, not its speed.
 */
export const referenceBm25: EngineKind = {
  name: 'Lucene BM25, by the book',
  says: "k1 1.2, b 0.75, Lucene's English stop words, Porter's stemmer, title and text in one field without weights",
  timed: false,
  build(documents) {
    const counted: Counted = { paths: [], lengths: [], postings: new Map() };
    for (const { path, title, text } of documents) add(counted, path, analysed(`${title} ${text}`));
    return {
      search: (query, limit) => search(counted, analysed(query), limit),
      update: () => {
        throw new Error('The yardstick is built once.');
      },
      save: () => Promise.resolve(),
    };
  },
};

function analysed(text: string): string[] {
  return wordsOf(text.toLowerCase().replace(/['’]s\b/g, ''))
    .filter((word) => !STOP_WORDS.has(word))
    .map((word) => lunr.stemmer(new lunr.Token(word, {})).toString());
}

function add({ paths, lengths, postings }: Counted, path: string, terms: readonly string[]): void {
  const document = paths.push(path) - 1;
  lengths.push(terms.length);
  for (const term of terms) {
    const documents = postings.get(term) ?? new Map<number, number>();
    postings.set(term, documents.set(document, (documents.get(document) ?? 0) + 1));
  }
}

function search({ paths, lengths, postings }: Counted, terms: readonly string[], limit: number): string[] {
  const scores = new Map<number, number>();
  const average = lengths.reduce((sum, length) => sum + length, 0) / Math.max(1, lengths.length);
  for (const term of terms) {
    const documents = postings.get(term) ?? new Map<number, number>();
    const idf = Math.log(1 + (paths.length - documents.size + 0.5) / (documents.size + 0.5));
    for (const [document, frequency] of documents) {
      const norm = K1 * (1 - B + (B * (lengths[document] ?? 0)) / average);
      scores.set(document, (scores.get(document) ?? 0) + (idf * frequency) / (frequency + norm));
    }
  }
  // Equal scores in the order of the documents, as Lucene has them.
  return [...scores]
    .sort(([a, scoreA], [b, scoreB]) => scoreB - scoreA || a - b)
    .slice(0, limit)
    .map(([document]) => paths[document] ?? '');
}
