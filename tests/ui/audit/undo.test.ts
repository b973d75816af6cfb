import { sinceOfChoice, undoGroups, type UndoItem, writersOf } from '../../../src/ui/audit/undo';

it.each([
  ['24h', '', '24h'],
  ['7d', '2026-11-20T10:32', '7d'],
  ['time', '', null],
  ['time', 'soon', null],
] as const)('asks the service for %j with the time %j as %j', (span, time, since) => {
  expect(sinceOfChoice({ by: 'laptop', span, time })).toBe(since);
});

it("means a time of one's own in the time zone of the person", () => {
  const since = sinceOfChoice({ by: 'laptop', span: 'time', time: '2026-11-20T10:32' });
  expect(new Date(since ?? '').getTime()).toBe(new Date('2026-11-20T10:32').getTime());
});

it('offers whole names, each once: no clients, no models', () => {
  expect(
    writersOf([
      'laptop (claude-code 2.1)',
      'laptop via qwen3:14b',
      'laptop (cursor 1) via passthrough',
      'human:me',
      'human:me via qwen3:14b',
      'local',
    ]),
  ).toEqual(['human:me', 'laptop', 'local']);
});

const item = (action: UndoItem['action'], path: string, why: string): UndoItem => ({
  action,
  path,
  title: path,
  why,
  linked_from: [],
});

it('puts notes together that come to the same end, and says a reason that they share once', () => {
  const queued = 'has no version of anyone else, so it goes to the review queue';
  const groups = undoGroups([
    item('queue', 'a', queued),
    item('revert', 'b', 'goes back to the version of laptop'),
    item('queue', 'c', queued),
    item('revert', 'd', 'goes back to the version of phone'),
    item('root', 'AGENTS.md', 'goes back to the text of owner'),
  ]);
  expect(groups.map(({ heading, why, items }) => [heading, why, items.map(({ path }) => path)])).toEqual([
    ['Guidance for agents, back to an earlier text', null, ['AGENTS.md']],
    ['Back to an earlier version', null, ['b', 'd']],
    ['To the review queue', `Each ${queued}.`, ['a', 'c']],
  ]);
});

it('leaves no note out, whatever is done about it', () => {
  const actions = ['revert', 'queue', 'unpromote', 'restore', 'sources', 'root'] as const;
  const items = actions.map((action) => item(action, action, 'x'));
  expect(
    undoGroups(items)
      .flatMap((group) => group.items)
      .map(({ action }) => action)
      .sort(),
  ).toEqual([...actions].sort());
  expect(undoGroups([])).toEqual([]);
});
