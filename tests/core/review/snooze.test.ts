import { listPending } from '../../../src/core/review/pending';
import { snoozeNote } from '../../../src/core/review/snooze';
import { revision } from '../../../src/core/status/revision';
import { sha256 } from '../../../src/core/base/hash';
import { openTestBrain } from '../../support/test-brain';

const PATH = 'raw/2026-11-01-note.md';
const HOUR_MS = 3_600_000;

async function world() {
  const test = await openTestBrain({ [PATH]: 'A note', 'wiki/net/facts/dns.md': 'DNS' });
  const until = async () => (await test.run(listPending)).pending[0]?.snoozed_until ?? null;
  return { ...test, until };
}

it('puts a note off for a day, and the note stays in the queue as it is', async () => {
  const { run, until, clock, files } = await world();
  const before = new Map(files);
  const end = '2026-11-21T10:32:00Z';
  expect(await run(snoozeNote, { path: PATH })).toEqual({ path: PATH, snoozed_until: end });
  expect(await until()).toBe(end);
  expect(files).toEqual(before);
  clock.advance(24 * HOUR_MS - 1000);
  expect(await until()).toBe(end);
  clock.advance(1000);
  expect(await until()).toBeNull();
});

it('takes a time, and null wakes the note', async () => {
  const { run, until, clock } = await world();
  await run(snoozeNote, { path: PATH, until: '2026-12-01' });
  expect(await until()).toBe('2026-12-01T00:00:00Z');
  clock.advance(1000);
  expect(await run(snoozeNote, { path: PATH, until: null })).toEqual({ path: PATH, snoozed_until: null });
  expect(await until()).toBeNull();
  // The clock stands still: of two lines of one second the later one counts.
  await run(snoozeNote, { path: PATH });
  expect(await until()).not.toBeNull();
});

it('ends when the text changes', async () => {
  const { run, until, vault, clock } = await world();
  await run(snoozeNote, { path: PATH });
  clock.advance(1000);
  vault.outside(PATH, 'A note, revised');
  expect(await until()).toBeNull();
});

it('reads what other devices wrote, and leaves torn lines out', async () => {
  const { until, state } = await world();
  const line = (at: string, end: string | null) =>
    JSON.stringify({ path: PATH, hash: sha256('A note'), until: end, at });
  const late = '2026-11-25T00:00:00Z';
  await state.append(
    'snoozed/other.jsonl',
    `\n${line('2026-11-19T00:00:00Z', late)}\n{"path":"raw/2026`,
    false,
  );
  expect(await until()).toBe(late);
  await state.append('snoozed/third (copy).jsonl', `\n${line('2026-11-18T00:00:00Z', null)}\n`, false);
  expect(await until()).toBe(late);
  await state.append(
    'snoozed/third (copy).jsonl',
    `\n${line('2026-11-20T00:00:00Z', null)}\nx\n[]\n{}\n`,
    false,
  );
  expect(await until()).toBeNull();
});

it('goes by the later of a line of an earlier version and one of its own', async () => {
  const { run, until, state } = await world();
  const line = (at: string) => `${JSON.stringify({ path: PATH, hash: sha256('A note'), until: null, at })}\n`;
  await state.append('snoozed/other.jsonl', line('2026-11-20T10:31:00Z'), false);
  await run(snoozeNote, { path: PATH });
  expect(await until()).toBe('2026-11-21T10:32:00Z');
  await state.append('snoozed/other.jsonl', line('2026-11-20T10:33:00Z'), false);
  expect(await until()).toBeNull();
});

it('is refused where it cannot be written', async () => {
  const { run, until, state } = await world();
  const { append } = state;
  state.append = () => Promise.reject(new Error('disk full'));
  await expect(run(snoozeNote, { path: PATH })).rejects.toThrow('disk full');
  state.append = append;
  expect(await until()).toBeNull();
});

it('is told by the revision, since the vault does not change', async () => {
  const { run } = await world();
  const seen = new Set([(await run(revision)).revision]);
  await run(snoozeNote, { path: PATH, dry_run: true });
  seen.add((await run(revision)).revision);
  expect(seen.size).toBe(1);
  for (const until of [undefined, null]) {
    await run(snoozeNote, { path: PATH, until });
    seen.add((await run(revision)).revision);
  }
  expect(seen.size).toBe(3);
});

it.each<[string, Record<string, unknown>, string]>([
  ['a time that has passed', { path: PATH, until: '2026-11-20T10:32:00Z' }, 'invalid_field'],
  ['a time too far away', { path: PATH, until: '2026-12-20T10:32:01Z' }, 'invalid_field'],
  ['a text that is no time', { path: PATH, until: 'tomorrow' }, 'invalid_field'],
  ['another version', { path: PATH, expected_hash: sha256('Another') }, 'hash_mismatch'],
  ['a note that is not there', { path: 'raw/none.md' }, 'source_missing'],
  ['a note that does not wait', { path: 'wiki/net/facts/dns.md' }, 'not_in_queue'],
])('refuses %s, and writes nothing', async (_, input, code) => {
  const { refusal, state } = await world();
  expect((await refusal(snoozeNote, input)).code).toBe(code);
  expect(await state.list('past')).toEqual([]);
});
