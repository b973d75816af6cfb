import { DirtyPaths } from '../../../src/core/catalog/catalog';
import { vaultPath } from '../../../src/core/vocabulary/paths';

const A = vaultPath('raw/a.md');
const B = vaultPath('raw/b.md');
const NOW = 1_000_000;

function dirty(...paths: (typeof A)[]) {
  const all = new DirtyPaths();
  for (const path of paths) all.mark(path);
  /** Lets a path rest from `now` on. */
  const rest = (path: typeof A, now = NOW) => all.rest(path, all.due(now).get(path) ?? NaN, now);
  return { all, rest, due: (now: number) => [...all.due(now).keys()] };
}

it('lets a path rest for a quarter of a minute, and still counts it', () => {
  const { all, rest, due } = dirty(A, B);
  rest(A);
  expect([due(NOW), due(NOW + 4_999), all.size]).toEqual([[B], [B], 2]);
  expect(all.paths().sort()).toEqual([A, B]);
  expect(due(NOW + 5_000).sort()).toEqual([A, B]);
  expect(all.size).toBe(2);
});

it.each(['mark', 'touch'] as const)('has a resting path read at once after a %s', (call) => {
  const { all, rest, due } = dirty(A);
  rest(A);
  all[call](A);
  expect([due(NOW), all.size]).toEqual([[A], 1]);
});

it('does not let a path rest that has changed since it was taken', () => {
  const { all, due } = dirty(A);
  const stamp = all.due(NOW).get(A) ?? NaN;
  all.mark(A);
  all.rest(A, stamp, NOW);
  expect(due(NOW)).toEqual([A]);
});

it('lets a path rest again that failed again, behind the others', () => {
  const { rest, due } = dirty(A, B);
  rest(A);
  rest(B, NOW + 3_000);
  expect(due(NOW + 5_000)).toEqual([A]);
  rest(A, NOW + 5_000);
  expect(due(NOW + 7_999)).toEqual([]);
  expect(due(NOW + 8_000)).toEqual([B]);
  expect(due(NOW + 10_000).sort()).toEqual([A, B]);
});

it('does not make an endless rest of a clock that was set back', () => {
  const { rest, due } = dirty(A);
  rest(A);
  expect(due(NOW - 1)).toEqual([A]);
});
