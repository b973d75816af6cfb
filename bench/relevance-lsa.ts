import lunr from 'lunr';
import type { BenchDocument } from './corpus';
import { rightSingularVectors } from './relevance-svd';
import { wordsOf } from './search-engine';

/** Dimensions of meaning that are kept, as many as most work on latent semantic analysis found to serve. */
const DIMENSIONS = 200;
/** A collection of few documents has fewer. */
const DOCUMENTS_A_DIMENSION = 3;
const SEED = 9;

type Terms = ReadonlyMap<number, number>;

/** A collection's space of meaning. A vector has length 1, or is all zeros for a text without a known word. */
export interface LsaSpace {
  /** Of the documents that it was learnt from, in their order. */
  readonly documents: readonly Float64Array[];
  /** Of any text. */
  vectorOf(text: string): Float64Array;
}

/**
 * Latent semantic analysis (Deerwester et al. 1990) in the place of an embedding model: vectors that carry meaning because they
 * are learnt from which words the collection's documents share. Log frequency times inverse document frequency,
 * documents of length 1, then the leading right singular vectors.
 * @param dimensions fewer let words that keep the same company mean the same; more tell them apart
 */
export function lsaSpace(
  documents: readonly Pick<BenchDocument, 'title' | 'text'>[],
  dimensions = Math.min(DIMENSIONS, Math.floor(documents.length / DOCUMENTS_A_DIMENSION)),
): LsaSpace {
  const numbers = new Map<string, number>();
  const counted = documents.map(({ title, text }) => count(analysed(`${title} ${text}`), numbers, true));
  const homes = new Float64Array(numbers.size);
  for (const terms of counted) for (const term of terms.keys()) homes[term] = (homes[term] ?? 0) + 1;
  const weighted = (terms: Terms) => {
    const entries = [...terms].sort(([a], [b]) => a - b);
    const values = Float64Array.from(
      entries,
      ([term, times]) => (1 + Math.log(times)) * Math.log(1 + documents.length / (homes[term] ?? 1)),
    );
    const length = Math.sqrt(values.reduce((sum, value) => sum + value * value, 0)) || 1;
    return {
      terms: Uint32Array.from(entries, ([term]) => term),
      values: values.map((value) => value / length),
    };
  };
  const rows = counted.map(weighted);
  const axes = rightSingularVectors({ rows, columns: numbers.size }, dimensions, SEED);
  const projected = ({ terms, values }: (typeof rows)[number]): Float64Array => {
    const vector = Float64Array.from(axes, (axis) =>
      terms.reduce((sum, term, at) => sum + (values[at] ?? 0) * (axis[term] ?? 0), 0),
    );
    const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0)) || 1;
    return vector.map((value) => value / length);
  };
  return {
    documents: rows.map(projected),
    vectorOf: (text) => projected(weighted(count(analysed(text), numbers, false))),
  };
}

/** The search by cosine in a collection's own space: paths, best first, ties by path. */
export function lsaSearch(documents: readonly BenchDocument[]): (query: string, limit: number) => string[] {
  const space = lsaSpace(documents);
  return (query, limit) => {
    const asked = space.vectorOf(query);
    // A query without a known word has no place in the space, hence no neighbours.
    if (asked.every((value) => value === 0)) return [];
    return space.documents
      .map((vector, index) => ({
        path: documents[index]?.path ?? '',
        score: vector.reduce((sum, value, at) => sum + value * (asked[at] ?? 0), 0),
      }))
      .sort((a, b) => b.score - a.score || (a.path < b.path ? -1 : 1))
      .slice(0, limit)
      .map(({ path }) => path);
  };
}

/** How often each term stands in a text, by number; new terms get one only when `learn` is set. */
function count(terms: readonly string[], numbers: Map<string, number>, learn: boolean): Terms {
  const counts = new Map<number, number>();
  for (const term of terms) {
    const number = numbers.get(term) ?? (learn ? numbers.size : undefined);
    if (number === undefined) continue;
    numbers.set(term, number);
    counts.set(number, (counts.get(number) ?? 0) + 1);
  }
  return counts;
}

function analysed(text: string): string[] {
  return wordsOf(text.toLowerCase()).flatMap((word) => {
    if (/[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]/u.test(word)) return pairsOf(word);
    const token = new lunr.Token(word, {});
    return lunr.stopWordFilter(token) === undefined ? [] : [lunr.stemmer(token).toString()];
  });
}

/** Scripts without spaces, two characters at a time. */
function pairsOf(word: string): string[] {
  const signs = Array.from(word);
  return signs.length < 2 ? signs : signs.slice(1).map((sign, index) => (signs[index] ?? '') + sign);
}
