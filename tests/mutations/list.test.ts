import { existsSync, readFileSync } from 'node:fs';
import { AREAS, MUTATIONS } from './list';

/** More of one file would say little about the others. */
const MOST_OF_A_FILE = 4;

describe('the mutations', () => {
  it('are many, in every area, and spread over the code', () => {
    expect(MUTATIONS.length).toBeGreaterThanOrEqual(60);
    expect([...new Set(MUTATIONS.map(({ area }) => area))].sort()).toEqual([...AREAS].sort());
    const files = MUTATIONS.map(({ file }) => file);
    const often = files.filter((file) => files.filter((other) => other === file).length > MOST_OF_A_FILE);
    expect(often).toEqual([]);
    expect(new Set(MUTATIONS.map(({ what }) => what)).size).toBe(MUTATIONS.length);
  });

  it.each(MUTATIONS.map((mutation) => [mutation.what, mutation] as const))('%s', (_, mutation) => {
    const { file, find, replace, suites } = mutation;
    expect(readFileSync(file, 'utf8').split(find)).toHaveLength(2);
    expect(replace).not.toBe(find);
    expect(suites.length).toBeGreaterThan(0);
    for (const suite of suites) {
      expect(suite).toMatch(/\.test\.tsx?$/);
      expect(existsSync(suite)).toBe(true);
    }
  });
});
