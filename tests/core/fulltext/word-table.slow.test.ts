import fc from 'fast-check';
import { WordTable } from '../../../src/core/fulltext/reader';
import { unitsOf } from '../../../src/core/fulltext/words';

function whole(table: WordTable, word: string): number | undefined {
  return table.get(unitsOf(word), 0, word.length);
}

function keep(table: WordTable, word: string, value: number): void {
  table.add(unitsOf(word), 0, word.length, value);
}

describe('WordTable', () => {
  it('finds a word wherever it stands in a text', () => {
    const table = new WordTable();
    table.add(unitsOf('the quick fox'), 4, 9, 7);
    expect(whole(table, 'quick')).toBe(7);
    expect(table.get(unitsOf('be quick, be quiet'), 3, 8)).toBe(7);
    expect(table.get(unitsOf('be quick, be quiet'), 13, 18)).toBeUndefined();
    expect(whole(table, 'quic')).toBeUndefined();
    expect(whole(table, 'Quick')).toBeUndefined();
  });

  it('never answers with the number of another word', () => {
    const word = fc.oneof(
      fc.string({ minLength: 1, maxLength: 3 }),
      fc.string({ unit: 'binary', minLength: 1 }),
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(word, fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }))), (entries) => {
        const table = new WordTable();
        const model = new Map<string, number>();
        for (const [each, value] of entries) {
          if (model.has(each)) continue;
          keep(table, each, value);
          model.set(each, value);
        }
        for (const [each, value] of model) expect([value, undefined]).toContain(whole(table, each));
        // So few words all find a place.
        if (model.size <= 8) for (const [each, value] of model) expect(whole(table, each)).toBe(value);
      }),
      { numRuns: 1000 },
    );
  });

  it('remembers nearly all of a vocabulary, and forgets rather than grows', () => {
    const table = new WordTable();
    const wrong: number[] = [];
    const remembered = (count: number) => {
      let found = 0;
      for (let n = 0; n < count; n += 1) {
        const value = whole(table, `word${n}`);
        if (value === undefined) continue;
        found += 1;
        if (value !== n) wrong.push(n);
      }
      return found;
    };
    for (let n = 0; n < 50_000; n += 1) keep(table, `word${n}`, n);
    expect(remembered(50_000)).toBeGreaterThan(49_000);
    for (let n = 50_000; n < 400_000; n += 1) keep(table, `word${n}`, n);
    expect(remembered(400_000)).toBeLessThan(170_000);
    expect(whole(table, 'word399999')).toBe(399_999);
    expect(wrong).toEqual([]);
  });

  it('forgets rather than grows when the words are long', () => {
    const table = new WordTable();
    const wordOf = (n: number) => `${n} `.repeat(100).slice(0, 100);
    for (let n = 1; n <= 60_000; n += 1) keep(table, wordOf(n), n);
    const kept = Array.from({ length: 60_000 }, (_, at) => at + 1).filter(
      (n) => whole(table, wordOf(n)) === n,
    );
    expect(kept.length).toBeLessThan(27_000);
    expect(kept.at(-1)).toBe(60_000);
  });

  it('knows nothing after it was cleared', () => {
    const table = new WordTable();
    keep(table, 'quick', 7);
    table.clear();
    expect(whole(table, 'quick')).toBeUndefined();
  });

  it('keeps a few of the words that were made to meet in one slot, so that a look-up stays short', () => {
    const table = new WordTable();
    const words = wordsWithOneHash();
    expect(words.length).toBeGreaterThan(10_000);
    words.forEach((word, n) => keep(table, word, n));
    const kept = words.filter((word) => whole(table, word) !== undefined);
    expect(kept.length).toBeGreaterThan(0);
    expect(kept.length).toBeLessThanOrEqual(12);
  });
});

/** Words of four units that FNV-1a gives one hash: two lead to many states, of which the others make one again. */
function wordsWithOneHash(): string[] {
  const prime = 0x01000193;
  const inverse = 0x359c449b; // prime * inverse = 1 in 32 bits
  const step = (state: number, unit: number) => Math.imul(state ^ unit, prime);
  const byHighHalf = new Map<number, { beginning: string; state: number }>();
  for (let unit = 0; unit < 0x10000; unit += 1) {
    const state = step(step(0x811c9dc5, unit), 0x61);
    byHighHalf.set(state >>> 16, { beginning: String.fromCharCode(unit, 0x61), state });
  }
  const words: string[] = [];
  for (let last = 0; last < 0x10000; last += 1) {
    // The state that comes to the one hash by some third unit and this last one, but for its low half.
    const wanted = Math.imul(0x12345678 ^ last, inverse);
    const found = byHighHalf.get(wanted >>> 16);
    if (found !== undefined)
      words.push(found.beginning + String.fromCharCode((found.state ^ wanted) & 0xffff, last));
  }
  return words;
}
