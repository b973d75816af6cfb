import lunr from 'lunr';
import type { BenchDocument } from './corpus';
import { wordsOf } from './search-engines';
import { randomFrom } from './support';

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

/** A matrix of few entries, row by row: `terms[i]` and `values[i]` are the columns and values of row i. */
export interface SparseMatrix {
  readonly columns: number;
  readonly rows: readonly { readonly terms: Uint32Array; readonly values: Float64Array }[];
}

/** Directions more than asked for, which make the wanted ones exact. */
const OVERSAMPLING = 10;
/** Rounds of multiplying with the matrix and its transpose, which sharpen slowly falling spectra. */
const POWER_ROUNDS = 4;
const MAX_SWEEPS = 60;

/**
 * The right singular vectors of a matrix for its `rank` largest singular values, largest first, each of length `columns`:
 * randomised range finding with power rounds (Halko, Martinsson and Tropp 2011, algorithms 4.4 and 5.1). Fewer when
 * the matrix has fewer. The same seed gives the same vectors.
 */
export function rightSingularVectors(matrix: SparseMatrix, rank: number, seed: number): Float64Array[] {
  const { columns, rows } = matrix;
  const width = Math.min(rank + OVERSAMPLING, rows.length, columns);
  const random = randomFrom(seed);
  // Rows stand for the columns of the textbook: each is one vector over the terms.
  let basis: Float64Array[] = Array.from({ length: width }, () =>
    Float64Array.from({ length: columns }, () => random() - 0.5),
  );
  for (let round = 0; round < POWER_ROUNDS; round += 1) {
    basis = orthonormal(basis.map((vector) => timesTransposed(matrix, times(matrix, vector))));
  }
  // On that basis the matrix is small: its Gram matrix has the squared singular values.
  const images = basis.map((vector) => times(matrix, vector));
  const gram = images.map((a) => Float64Array.from(images, (b) => dot(a, b)));
  return eigenvectors(gram)
    .slice(0, rank)
    .map((weights) => combined(basis, weights));
}

function times({ rows }: SparseMatrix, vector: Float64Array): Float64Array {
  return Float64Array.from(rows, ({ terms, values }) => {
    let sum = 0;
    for (let at = 0; at < terms.length; at += 1) sum += (values[at] ?? 0) * (vector[terms[at] ?? 0] ?? 0);
    return sum;
  });
}

function timesTransposed({ rows, columns }: SparseMatrix, vector: Float64Array): Float64Array {
  const result = new Float64Array(columns);
  rows.forEach(({ terms, values }, row) => {
    const factor = vector[row] ?? 0;
    for (let at = 0; at < terms.length; at += 1) {
      const term = terms[at] ?? 0;
      result[term] = (result[term] ?? 0) + factor * (values[at] ?? 0);
    }
  });
  return result;
}

/** Gram and Schmidt, twice over, which is as good as exact; what depends on the others is left out. */
function orthonormal(vectors: readonly Float64Array[]): Float64Array[] {
  const done: Float64Array[] = [];
  for (const vector of vectors) {
    const before = Math.sqrt(dot(vector, vector));
    for (let pass = 0; pass < 2; pass += 1)
      for (const other of done) addTo(vector, other, -dot(vector, other));
    const length = Math.sqrt(dot(vector, vector));
    if (length > before * 1e-9) done.push(vector.map((value) => value / length));
  }
  return done;
}

/** Eigenvectors of a symmetric matrix by Jacobi's rotations, that of the largest eigenvalue first. */
export function eigenvectors(symmetric: readonly Float64Array[]): Float64Array[] {
  const a = symmetric.map((row) => row.slice());
  const size = a.length;
  const vectors = a.map((_, row) =>
    Float64Array.from({ length: size }, (_value, column) => (row === column ? 1 : 0)),
  );
  for (let sweep = 0; sweep < MAX_SWEEPS; sweep += 1) {
    let off = 0;
    let diagonal = 0;
    a.forEach((row, i) =>
      row.forEach((value, j) => (i === j ? (diagonal += value ** 2) : (off += value ** 2))),
    );
    if (off <= diagonal * 1e-22) break;
    for (let p = 0; p < size - 1; p += 1) for (let q = p + 1; q < size; q += 1) rotate(a, vectors, p, q);
  }
  return vectors
    .map((vector, index) => ({ vector, value: a[index]?.[index] ?? 0 }))
    .sort((x, y) => y.value - x.value)
    .map(({ vector }) => vector);
}

/** Makes entry (p, q) zero. `vectors` are rows, one for each eigenvalue. */
function rotate(a: readonly Float64Array[], vectors: readonly Float64Array[], p: number, q: number): void {
  const [rowP, rowQ] = [a[p], a[q]];
  const [vectorP, vectorQ] = [vectors[p], vectors[q]];
  if (rowP === undefined || rowQ === undefined || vectorP === undefined || vectorQ === undefined) return;
  const off = rowP[q] ?? 0;
  if (off === 0) return;
  const theta = ((rowQ[q] ?? 0) - (rowP[p] ?? 0)) / (2 * off);
  const tangent = Math.sign(theta || 1) / (Math.abs(theta) + Math.sqrt(theta * theta + 1));
  const cosine = 1 / Math.sqrt(tangent * tangent + 1);
  const sine = tangent * cosine;
  for (const row of a) turn(row, p, row, q, cosine, sine);
  for (let at = 0; at < a.length; at += 1) turn(rowP, at, rowQ, at, cosine, sine);
  for (let at = 0; at < a.length; at += 1) turn(vectorP, at, vectorQ, at, cosine, sine);
}

function turn(x: Float64Array, i: number, y: Float64Array, j: number, cosine: number, sine: number): void {
  const [left, right] = [x[i] ?? 0, y[j] ?? 0];
  x[i] = cosine * left - sine * right;
  y[j] = sine * left + cosine * right;
}

function combined(vectors: readonly Float64Array[], weights: Float64Array): Float64Array {
  const sum = new Float64Array(vectors[0]?.length ?? 0);
  vectors.forEach((vector, index) => addTo(sum, vector, weights[index] ?? 0));
  return sum;
}

function addTo(target: Float64Array, vector: Float64Array, factor: number): void {
  for (let at = 0; at < target.length; at += 1) target[at] = (target[at] ?? 0) + factor * (vector[at] ?? 0);
}

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let at = 0; at < a.length; at += 1) sum += (a[at] ?? 0) * (b[at] ?? 0);
  return sum;
}
