import { barOf, outcomeLines } from '../../../src/headless/cli/embeddings';

it('shows how far it is on one line of the same length', () => {
  const line = (done: number, total: number) => barOf({ phase: 'embedding', done, total });
  expect(line(0, 0)).toBe(`embedding [${' '.repeat(30)}] 0/0`);
  expect(line(10, 40)).toBe(`embedding [${'#'.repeat(8)}${' '.repeat(22)}] 10/40`);
  expect(line(40, 40)).toBe(`embedding [${'#'.repeat(30)}] 40/40`);
});

it('says what was done and what was not, and lets no note speak to the terminal', () => {
  expect(
    outcomeLines({
      added: 1,
      deleted: 2,
      errors: [{ path: 'wiki/a/facts/\u001b[2Jx.md', error: 'HTTP 500.' }, { error: '3 more notes wait.' }],
    }),
  ).toEqual([
    '1 note embedded, 2 vectors removed.',
    '  wiki/a/facts/[2Jx.md: HTTP 500.',
    '  3 more notes wait.',
  ]);
});
