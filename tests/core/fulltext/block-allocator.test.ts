import fc from 'fast-check';
import {
  BLOCK,
  BlockAllocator,
  nextStart,
  OFFSET,
  roomFor,
  WORDS,
} from '../../../src/core/fulltext/postings';

describe('BlockAllocator', () => {
  it('hands out places that do not overlap, whatever was given back', () => {
    const size = fc.oneof(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: BLOCK + 100 }));
    fc.assert(
      fc.property(fc.array(fc.tuple(size, fc.boolean()), { maxLength: 60 }), (steps) => {
        const arena = new BlockAllocator(WORDS);
        const places: { start: number; cells: number; mark: number }[] = [];
        steps.forEach(([cells, givesBack], at) => {
          const start = arena.allocate(cells);
          const from = start & OFFSET;
          arena.block(start).fill(at + 1, from, from + roomFor(cells));
          places.push({ start, cells, mark: at + 1 });
          const oldest = givesBack ? places.shift() : undefined;
          if (oldest !== undefined) arena.free(oldest.start, roomFor(oldest.cells));
        });
        for (const { start, cells, mark } of places) {
          const held = arena.block(start).subarray(start & OFFSET, (start & OFFSET) + cells);
          expect(held).toHaveLength(cells);
          expect(held.every((cell) => cell === mark)).toBe(true);
        }
      }),
      { numRuns: 200 },
    );
  });

  it('uses a place again that was given back', () => {
    const arena = new BlockAllocator(WORDS);
    const start = arena.allocate(100);
    arena.allocate(100);
    arena.free(start, roomFor(100));
    expect(arena.allocate(100)).toBe(start);
  });

  it('lets go of a block that one place had for itself, and uses its number again', () => {
    const arena = new BlockAllocator(WORDS);
    const [small, large] = [arena.allocate(10), arena.allocate(3 * BLOCK)];
    arena.free(large, roomFor(3 * BLOCK));
    expect(arena.block(large)).toHaveLength(0);
    const other = arena.allocate(2 * BLOCK);
    expect(other).toBe(large);
    expect(arena.block(other)).toHaveLength(roomFor(2 * BLOCK));
    expect(arena.block(small)).toHaveLength(BLOCK);
  });

  it('gives at most an eighth more room than was asked for', () => {
    for (let cells = 1; cells < 3000; cells += 1) {
      expect(roomFor(cells)).toBeGreaterThanOrEqual(cells);
      expect(roomFor(cells)).toBeLessThanOrEqual(cells * 1.125);
      expect(roomFor(roomFor(cells))).toBe(roomFor(cells));
    }
  });

  it.each([
    [0, 10, 0],
    [BLOCK - 5, 5, BLOCK - 5],
    [BLOCK - 5, 6, BLOCK],
    [BLOCK, 3 * BLOCK, BLOCK],
    [BLOCK + 1, 3 * BLOCK, 2 * BLOCK],
  ])('lays a place out after %d for %d cells at %d', (at, cells, expected) => {
    expect(nextStart(at, cells)).toBe(expected);
  });
});
