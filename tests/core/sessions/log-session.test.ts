import { perform } from '../../../src/core/operation/operation';
import { logOneSession, logSession } from '../../../src/core/sessions/log';
import { passRate } from '../../../src/core/sessions/pass-rate';
import { refusalOf } from '../../support/refusal';
import { callerWith, sessionBrain, type SessionBrain } from './session-brain';

const FILE = 'sessions/2026-11.0123abcd.jsonl';
const writer = callerWith('write');
const run = { skill: 'deploy', status: 'pass' };

function log({ brain }: SessionBrain, raw: unknown) {
  return perform(brain, logSession, raw, writer);
}

describe('logSession', () => {
  it("makes this device's log of the month with one line a record", async () => {
    const held = sessionBrain();
    const answer = await log(held, {
      records: [
        {
          status: 'fail',
          skill: 'deploy',
          timestamp: '2026-11-20T11:00:00+01:00',
          session_id: 's1',
          agent: 'claude',
          model: 'm',
          duration_ms: 12.5,
          summary: 'Zürich\nis down',
          error: 'timeout',
          notes: ['/brain/wiki/net/facts/mtu.md'],
          v: 1,
        },
        run,
      ],
    });
    expect(answer).toEqual({ file: FILE, line: 2, count: 2 });
    expect(logSession.output.parse(answer)).toEqual(answer);
    expect(held.vault.files.get(FILE)).toBe(
      '{"v":1,"skill":"deploy","timestamp":"2026-11-20T10:00:00Z","status":"fail","session_id":"s1","agent":"claude",' +
        '"model":"m","duration_ms":12.5,"summary":"Z\\u00fcrich\\nis down","error":"timeout","notes":["wiki/net/facts/mtu.md"]}\n' +
        '{"v":1,"skill":"deploy","timestamp":"2026-11-20T10:32:00Z","status":"pass"}\n',
    );
    expect([...held.vault.files.keys()]).toEqual([FILE]);
  });

  it.each([
    ['an empty log', '', '', 1],
    ['whole lines', '{}\n\n{}\n', '', 4],
    ['a line without its end', '{}\n{"skill":"de', '\n', 3],
  ])('goes on after %s', async (_, before, gap, line) => {
    const held = sessionBrain({ [FILE]: before });
    expect(await log(held, { records: [run] })).toEqual({ file: FILE, line, count: 1 });
    const text = held.vault.files.get(FILE) ?? '';
    expect(text.startsWith(before + gap)).toBe(true);
    expect(JSON.parse(text.split('\n')[line - 1] ?? '')).toMatchObject(run);
  });

  it.each([
    ['2026-11-20T10:32:00Z', '2026-11-20T10:32:00Z'],
    ['2026-11-20', '2026-11-20T00:00:00Z'],
    [1_795_170_720, '2026-11-20T10:32:00Z'],
    [1_795_170_720_999, '2026-11-20T10:32:00Z'],
    ['1795170720', '2026-11-20T10:32:00Z'],
    ['1795170720999', '2026-11-20T10:32:00Z'],
    ['2026-11-20T12:32:00+0200', '2026-11-20T10:32:00Z'],
  ])('keeps the time %j as %s', async (timestamp, kept) => {
    const held = sessionBrain();
    await log(held, { records: [{ ...run, timestamp }] });
    expect(JSON.parse(held.vault.files.get(FILE) ?? '')).toMatchObject({ timestamp: kept });
  });

  it.each([
    [{ ts: '2026-11-20T11:32:00+01:00' }],
    [{ ts: 1_795_170_720 }],
    [{ time: '2026-11-20 10:32' }],
    [{ time: 1_795_170_720_999 }],
  ])('keeps %j as the timestamp', async (named) => {
    const held = sessionBrain();
    held.clock.advance(3_600_000);
    await log(held, { records: [{ ...run, ...named }] });
    expect(held.vault.files.get(FILE)).toBe(
      '{"v":1,"skill":"deploy","timestamp":"2026-11-20T10:32:00Z","status":"pass"}\n',
    );
  });

  it('begins a new log with the month in UTC', async () => {
    const held = sessionBrain();
    held.clock.advance(11 * 86_400_000);
    expect(await log(held, { records: [run] })).toMatchObject({
      file: 'sessions/2026-12.0123abcd.jsonl',
      line: 1,
    });
  });

  it('numbers the lines of calls that arrive together', async () => {
    const held = sessionBrain();
    const answers = await Promise.all(Array.from({ length: 20 }, () => log(held, { records: [run] })));
    expect(answers.map(({ line }) => line)).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
    expect(held.vault.files.get(FILE)?.split('\n')).toHaveLength(21);
  });

  it('answers a dry run alike and writes nothing', async () => {
    const held = sessionBrain({ [FILE]: '{}\n' });
    expect(await log(held, { records: [run, run], dry_run: true })).toEqual({
      file: FILE,
      line: 3,
      count: 2,
    });
    expect(held.vault.files.get(FILE)).toBe('{}\n');
  });

  it('says nothing was written when the disk refuses, and goes on with the next call', async () => {
    const held = sessionBrain();
    held.vault.intercept = () => {
      throw new Error('disk full');
    };
    await expect(log(held, { records: [run] })).rejects.toThrow('disk full');
    held.vault.intercept = () => undefined;
    expect(await log(held, { records: [run] })).toMatchObject({ line: 1 });
  });

  it('takes null in a record for not given', async () => {
    const held = sessionBrain();
    await log(held, { records: [{ ...run, agent: null, ts: null, notes: null, v: null }], dry_run: null });
    expect(held.vault.files.get(FILE)).toBe(
      '{"v":1,"skill":"deploy","timestamp":"2026-11-20T10:32:00Z","status":"pass"}\n',
    );
    const refused = refusalOf(log(held, { records: [{ ...run, status: null }] }));
    expect((await refused).code).toBe('missing_field');
    expect((await refusalOf(log(held, { records: [{ ...run, outcome: null }] }))).code).toBe('unknown_field');
  });

  it.each<[string, unknown, string, string]>([
    ['no records', {}, 'missing_field', '"records"'],
    ['an empty list', { records: [] }, 'invalid_field', 'at least one'],
    ['a record in place of the list', { records: run }, 'invalid_field', '"records"'],
    ['too many', { records: Array.from({ length: 1001 }, () => run) }, 'invalid_field', '"records"'],
    ['an unknown field', { records: [{ ...run, outcome: 'x' }] }, 'unknown_field', '"outcome"'],
    ['another time field', { records: [{ ...run, at: 1_795_170_720 }] }, 'unknown_field', '"at"'],
    ['a ts that is no time', { records: [{ ...run, ts: 'yesterday' }] }, 'invalid_field', '"records.0.ts"'],
    ['a time that is no time', { records: [{ ...run, time: {} }] }, 'invalid_field', '"records.0.time"'],
    [
      'two names for the time',
      { records: [run, { ...run, ts: 1_795_170_720, timestamp: 1_795_170_720 }] },
      'invalid_field',
      '"records.1.ts"',
    ],
    [
      'two other names for the time',
      { records: [{ ...run, ts: '2026-11-20', time: '2026-11-20' }] },
      'invalid_field',
      'only one of',
    ],
    ['an unknown option', { records: [run], record: run }, 'unknown_field', '"record"'],
    ['no skill', { records: [{ status: 'pass' }] }, 'missing_field', 'skill'],
    ['an empty skill', { records: [{ ...run, skill: ' ' }] }, 'invalid_field', 'empty'],
    ['a long skill', { records: [{ ...run, skill: 'a'.repeat(201) }] }, 'invalid_field', 'skill'],
    ['no status', { records: [{ skill: 'deploy' }] }, 'missing_field', 'status'],
    [
      'a status of no list',
      { records: [{ ...run, status: 'partly' }] },
      'invalid_field',
      '"pass", "fail" or "skip"',
    ],
    ['a status that is no text', { records: [{ ...run, status: true }] }, 'invalid_field', 'status'],
    ['a time that is none', { records: [{ ...run, timestamp: 'yesterday' }] }, 'invalid_field', 'timestamp'],
    ['a time past all calendars', { records: [{ ...run, timestamp: 1e300 }] }, 'invalid_field', 'timestamp'],
    ['a negative duration', { records: [{ ...run, duration_ms: -1 }] }, 'invalid_field', 'duration_ms'],
    ['notes that are no list', { records: [{ ...run, notes: 'a.md' }] }, 'invalid_field', 'notes'],
    ['a note outside the vault', { records: [{ ...run, notes: ['../a.md'] }] }, 'path_not_allowed', '".."'],
    ['another version', { records: [{ ...run, v: 2 }] }, 'invalid_field', 'records.0.v'],
    [
      'a bad record after a good one',
      { records: [run, { ...run, skill: 7 }] },
      'invalid_field',
      'records.1.skill',
    ],
  ])('refuses %s and writes nothing', async (_, raw, code, words) => {
    const held = sessionBrain();
    const refusal = await refusalOf(log(held, raw));
    expect(refusal.code).toBe(code);
    expect(refusal.message).toContain(words);
    expect(held.vault.files.size).toBe(0);
  });

  it('takes a record of 16 KiB and refuses one byte more, with all that came with it', async () => {
    const held = sessionBrain();
    const line = JSON.stringify({ v: 1, ...run, timestamp: '2026-11-20T10:32:00Z', summary: '' });
    const full = {
      ...run,
      summary: 'ü'.repeat((16 * 1024 - line.length) / 2) + 'x'.repeat((16 * 1024 - line.length) % 2),
    };
    expect(await log(held, { records: [full] })).toMatchObject({ line: 1 });
    // Counted as it was given; in the file every letter beyond ASCII is spelt out.
    const kept: unknown = JSON.parse(held.vault.files.get(FILE) ?? '');
    expect(kept).toMatchObject(full);
    expect(Buffer.byteLength(JSON.stringify(kept))).toBe(16 * 1024);
    const refusal = await refusalOf(log(held, { records: [run, { ...full, summary: `${full.summary}x` }] }));
    expect(refusal).toMatchObject({
      code: 'too_large',
      details: { index: 1, bytes: 16 * 1024 + 1, limit: 16 * 1024 },
    });
    expect(held.vault.files.get(FILE)?.split('\n')).toHaveLength(2);
  });

  it('needs the scope to write', async () => {
    const held = sessionBrain();
    const proposer = callerWith('read', 'propose');
    const many = await refusalOf(perform(held.brain, logSession, { records: [run] }, proposer));
    const one = await refusalOf(perform(held.brain, logOneSession, run, proposer));
    expect([many.code, one.code]).toEqual(['forbidden_scope', 'forbidden_scope']);
    for (const { message } of [many, one]) expect(message).toContain('"log-session"');
    expect(held.vault.files.size).toBe(0);
  });
});

describe('logOneSession', () => {
  it('takes the fields of one record', async () => {
    const held = sessionBrain({ [FILE]: '{}\n' });
    const answer = await perform(held.brain, logOneSession, { ...run, summary: 'done', error: null }, writer);
    expect(answer).toEqual({ file: FILE, line: 2, count: 1 });
    expect(held.vault.files.get(FILE)).toBe(
      '{}\n{"v":1,"skill":"deploy","timestamp":"2026-11-20T10:32:00Z","status":"pass","summary":"done"}\n',
    );
  });

  it.each<[Record<string, unknown>, string]>([
    [{ status: 'pass' }, 'missing_field'],
    [{ ...run, status: 'done' }, 'invalid_field'],
    [{ ...run, outcome: 'x' }, 'unknown_field'],
    [{ ...run, timestamp: 'yesterday' }, 'invalid_field'],
    [{ ...run, ts: '2026-11-20' }, 'unknown_field'],
    [{ ...run, summary: 'x'.repeat(17_000) }, 'too_large'],
  ])('refuses %j', async (raw, code) => {
    const held = sessionBrain();
    expect((await refusalOf(perform(held.brain, logOneSession, raw, writer))).code).toBe(code);
    expect(held.vault.files.size).toBe(0);
  });
});

it('what is logged is counted', async () => {
  const held = sessionBrain();
  await log(held, {
    records: [run, { ...run, status: 'ERROR' }, { ...run, skill: 'test', status: 'skipped' }],
  });
  expect(await perform(held.brain, passRate, {}, callerWith('read'))).toMatchObject({
    ...{ pass: 1, fail: 1, skip: 1, unknown: 0, total: 3, pass_rate: 0.5, files: 1, malformed: 0 },
  });
});
