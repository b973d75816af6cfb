import { status } from '../../../src/core/notes/status';
import { openTestBrain } from '../../support/test-brain';

it('says what it holds and what waits', async () => {
  const { run } = await openTestBrain({
    'wiki/a/facts/b.md': 'x',
    'knowledge/c.md': 'x',
    'raw/2026-01-01-d.md': 'x',
    'inbox/quarantine/2026-01-01/e.pdf': 'x',
  });
  expect(await run(status)).toMatchObject({
    version: '0.0.0-test',
    notes: 2,
    index: { state: 'ready', notes: 2, waiting: 0 },
    hybrid: { state: 'off' },
    watcher: { state: 'off' },
    queue: { count: 1, oldest_at: '2026-01-01T00:00:00Z' },
    quarantine: ['inbox/quarantine/2026-01-01/e.pdf'],
    checks: [{ state: 'ok' }, { state: 'ok' }, { state: 'ok' }],
  });
});

it('warns of what its owner should look at', async () => {
  const { run, state } = await openTestBrain(
    {},
    { auth: false, pgDsn: 'postgres://x', embedUrl: 'http://x' },
  );
  const left = {
    id: 'x',
    op: 'promote',
    steps: [{ kind: 'create', path: 'wiki/a/facts/b.md', text: 'x' }],
    folders: [],
  };
  await state.append('local.other/journal.jsonl', `${JSON.stringify(left)}\n`, true);
  await state.append('local.done/journal.jsonl', `${JSON.stringify(left)}\n{"done":"x"}\n`, true);
  const { checks, hybrid } = await run(status);
  expect(hybrid.state).toBe('unavailable');
  expect(checks.map(({ name, state: each }) => [name, each])).toEqual([
    ['recovery', 'ok'],
    ['other devices', 'warning'],
    ['tokens', 'warning'],
  ]);
});
