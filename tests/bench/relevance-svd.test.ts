import { eigenvectors, rightSingularVectors, type SparseMatrix } from '../../bench/relevance-lsa';
import { randomFrom } from '../../bench/support';

const random = randomFrom(1);
const dense = Array.from({ length: 30 }, () =>
  Float64Array.from({ length: 20 }, () => (random() < 0.4 ? random() : 0)),
);
const matrix: SparseMatrix = {
  columns: 20,
  rows: dense.map((row) => {
    const terms = Uint32Array.from([...row.keys()].filter((column) => row[column] !== 0));
    return { terms, values: Float64Array.from(terms, (column) => row[column] ?? 0) };
  }),
};

function dot(a: Float64Array, b: Float64Array): number {
  return a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0);
}

/** The square of the singular value that belongs to a right vector. */
function energy(vector: Float64Array): number {
  return dense.reduce((sum, row) => sum + dot(row, vector) ** 2, 0);
}

it('gives orthonormal vectors, the heaviest first', () => {
  const vectors = rightSingularVectors(matrix, 8, 1);
  expect(vectors).toHaveLength(8);
  vectors.forEach((a, i) => vectors.forEach((b, j) => expect(dot(a, b)).toBeCloseTo(i === j ? 1 : 0, 9)));
  const energies = vectors.map(energy);
  expect([...energies].sort((a, b) => b - a)).toEqual(energies);
});

it('agrees with the exact decomposition', () => {
  const gram = Array.from({ length: 20 }, (_, i) =>
    Float64Array.from({ length: 20 }, (_value, j) =>
      dense.reduce((sum, row) => sum + (row[i] ?? 0) * (row[j] ?? 0), 0),
    ),
  );
  const exact = eigenvectors(gram);
  const found = rightSingularVectors(matrix, 6, 1);
  found.forEach((vector, index) => {
    const other = exact[index] ?? new Float64Array(20);
    expect(Math.abs(dot(vector, other))).toBeCloseTo(1, 6);
  });
});

it('finds eigenvectors of a matrix with a known spectrum', () => {
  const [first, second] = eigenvectors([Float64Array.of(2, 1), Float64Array.of(1, 2)]);
  expect(
    Math.abs(dot(first ?? new Float64Array(2), Float64Array.of(Math.SQRT1_2, Math.SQRT1_2))),
  ).toBeCloseTo(1, 12);
  expect(
    Math.abs(dot(second ?? new Float64Array(2), Float64Array.of(Math.SQRT1_2, -Math.SQRT1_2))),
  ).toBeCloseTo(1, 12);
});

it('gives fewer vectors when the matrix has fewer', () => {
  const same = { terms: Uint32Array.of(0, 2), values: Float64Array.of(1, 2) };
  expect(rightSingularVectors({ columns: 3, rows: [same, same, same] }, 3, 1)).toHaveLength(1);
});
