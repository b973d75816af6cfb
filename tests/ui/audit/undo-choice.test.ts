import { sinceOfChoice, writersOf } from '../../../src/ui/audit/undo';

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
