import type { IntakeItem } from '../../../src/ui/intake/intake';
import { progressOf } from '../../../src/ui/intake/panel';

const item = (state: IntakeItem['state'], done = 0, total = 0): IntakeItem => ({
  id: 1,
  name: 'a.pdf',
  state,
  done,
  total,
  outcome: null,
  error: null,
});

it.each([
  ['one alone, in its parts', [item('running', 3, 12)], { done: 25, total: 100, words: '3 of 12' }],
  ['one alone of which nobody knows how far it is, as unknown', [item('running')], { total: 0, words: '' }],
  [
    'several, in sources',
    [item('done'), item('failed'), item('running', 1, 2), item('waiting')],
    { done: 250, total: 400, words: '3 of 4' },
  ],
  [
    'several of which the first is begun',
    [item('running'), item('waiting')],
    { done: 0, total: 200, words: '1 of 2' },
  ],
])('tells how far it is of %s', (_, items, shown) => {
  expect(progressOf(items)).toMatchObject({ label: 'Ingesting a.pdf', ...shown });
});
