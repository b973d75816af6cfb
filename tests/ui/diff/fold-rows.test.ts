import type { DiffRow } from '../../../src/ui/diff/model';
import { foldRows } from '../../../src/ui/diff/view';

const same = (number: number): DiffRow => ({
  kind: 'same',
  left: number,
  right: number,
  text: `line ${number}`,
});
const change: DiffRow = { kind: 'changed', change: 0, left: null, right: { number: 1, pieces: [] } };
const rows = (before: number, after: number): DiffRow[] => [
  ...Array.from({ length: before }, (_, index) => same(index)),
  change,
  ...Array.from({ length: after }, (_, index) => same(index)),
];
const drawn = (list: readonly DiffRow[], open: readonly number[] = []) =>
  foldRows(list, new Set(open)).map((item) =>
    item.kind === 'fold' ? `${item.count} hidden` : item.row.kind === 'same' ? '.' : '*',
  );

it('hides what is far from a change and keeps two rows beside it', () => {
  expect(drawn(rows(10, 10))).toEqual(['8 hidden', '.', '.', '*', '.', '.', '8 hidden']);
});

it('keeps what a button would hardly shorten', () => {
  expect(drawn(rows(4, 4))).toEqual(['.', '.', '.', '.', '*', '.', '.', '.', '.']);
});

it('keeps rows between two changes that lie close together', () => {
  const near = [change, same(1), same(2), same(3), same(4), same(5), same(6), change];
  expect(drawn(near)).toEqual(['*', '.', '.', '.', '.', '.', '.', '*']);
});

it('shows a stretch that was opened', () => {
  expect(drawn(rows(10, 10), [0])).toEqual([
    ...Array.from({ length: 10 }, () => '.'),
    '*',
    '.',
    '.',
    '8 hidden',
  ]);
});

it('hides all of two versions that are the same', () => {
  expect(drawn(rows(9, 0).slice(0, 9))).toEqual(['9 hidden']);
});
