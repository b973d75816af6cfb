import fc from 'fast-check';
import {
  decodeSegment,
  encodeSegment,
  quantise,
  type SegmentContent,
} from '../../../src/adapters/local/segment';
import { finish } from '../../../src/core/base/steps';
import { DIMENSIONS, normalised } from '../../../src/core/embeddings/pieces';
import { vaultPath } from '../../../src/core/vocabulary/paths';
import { cosine } from '../../support/memory-vectors';
import { randomNumbers, topicalVectors } from '../../support/random-vectors';

const PATHS = ['wiki/a/facts/x.md', `wiki/Home Lab/facts/"odd" \\ ñ 漢.md`, 'wiki/b/facts/y.md'].map(
  vaultPath,
);

function contentOf(rows: number): SegmentContent {
  return {
    rows: topicalVectors(rows, 5).map((vector, at) => ({
      path: vaultPath(`wiki/w/facts/${at}.md`),
      updatedAt: 1_700_000_000_000 + at,
      ...quantise(vector),
    })),
    moved: PATHS.map((path, at) => [path, at]),
    removed: PATHS,
  };
}

it.each([0, 1, 16])('reads %s rows as they were written', (rows) => {
  const content = contentOf(rows);
  expect(finish(decodeSegment(finish(encodeSegment(7, content)), 7))).toEqual(content);
  expect(finish(decodeSegment(finish(encodeSegment(7, content)), 8))).toBeNull();
});

it('takes none of 2,000 segments that are cut off, lengthened or changed', () => {
  const random = randomNumbers(11);
  const below = (count: number) => Math.floor(random() * count);
  const whole = [0, 1, 3].map((rows) => finish(encodeSegment(3, contentOf(rows))));
  for (let trial = 0; trial < 2_000; trial += 1) {
    const good = whole[trial % whole.length] ?? new Uint8Array();
    const kind = trial % 4;
    let bytes = good.slice();
    if (kind === 0) bytes = good.slice(0, below(good.length));
    else if (kind === 1) bytes[below(good.length)] = (bytes[below(good.length)] ?? 0) ^ (1 << below(8));
    else if (kind === 2)
      bytes = Uint8Array.from([...good, ...Array.from({ length: 1 + below(9) }, () => below(256))]);
    else bytes.fill(0, below(good.length));
    // A change may have put back what was there.
    if (bytes.length === good.length && bytes.every((byte, at) => byte === good[at])) continue;
    expect(finish(decodeSegment(bytes, 3))).toBeNull();
  }
});

it('moves no cosine by more than 1e-4 when it rounds', () => {
  const vector = fc
    .array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: DIMENSIONS, maxLength: DIMENSIONS })
    .map((values) => normalised(values))
    .filter((unit) => unit !== null);
  fc.assert(
    fc.property(vector, vector, (one, other) => {
      const { numbers, scale } = quantise(one);
      const rounded = Float32Array.from(numbers, (value) => value * scale);
      expect(Math.abs(cosine(rounded, other) - cosine(one, other))).toBeLessThan(1e-4);
    }),
    { numRuns: 100 },
  );
});
