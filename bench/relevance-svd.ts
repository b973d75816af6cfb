import { randomFrom } from './support';

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
