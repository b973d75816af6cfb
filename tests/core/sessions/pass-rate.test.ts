import * as fc from 'fast-check';
import { BrainError } from '../../../src/core/base/errors';
import { perform } from '../../../src/core/operation/operation';
import { passRate } from '../../../src/core/sessions/pass-rate';
import { refusalOf } from '../../support/refusal';
import { callerWith, sessionBrain } from './session-brain';

const reader = callerWith('read');
const NOW = Date.parse('2026-11-20T10:32:00Z');
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

function line(status: string, at: number | string = NOW, skill = 'deploy'): string {
  return JSON.stringify({
    skill,
    timestamp: typeof at === 'number' ? new Date(at).toISOString() : at,
    status,
  });
}

function measure(files: Readonly<Record<string, string>>, raw: unknown = {}) {
  return perform(sessionBrain(files).brain, passRate, raw, reader);
}

describe('passRate', () => {
  it('answers no data, which is not zero, for a vault without logs', async () => {
    const answer = await measure({ 'wiki/x/facts/a.md': 'a' });
    expect(answer).toEqual({
      window: '7d',
      since: '2026-11-13T10:32:00Z',
      until: '2026-11-20T10:32:00Z',
      ...{ pass: 0, fail: 0, skip: 0, unknown: 0, total: 0, pass_rate: null },
      by_skill: [],
      ...{ files: 0, malformed: 0 },
    });
    expect(JSON.stringify(answer)).toContain('"pass_rate":null');
  });

  it('counts every log directly in sessions/, by skill', async () => {
    const answer = await measure({
      'sessions/2026-11.0123abcd.jsonl': [
        line('pass'),
        line('OK'),
        line('error'),
        line('skip', NOW, 'test'),
      ].join('\n'),
      'sessions/2026-11.other.jsonl': `${line('fail', NOW, 'Test')}\r\n${line('skipped', NOW, 'test')}\r\n`,
      'sessions/agent.JSONL': `\ufeff${line('pass')}\n\n  \n${line('aborted')}\n`,
      'sessions/old/agent.jsonl': `${line('pass')}\njunk`,
      'sessions/readme.md': line('pass'),
      'wiki/sessions/a.jsonl': line('pass'),
    });
    expect(answer).toEqual({
      window: '7d',
      since: '2026-11-13T10:32:00Z',
      until: '2026-11-20T10:32:00Z',
      ...{ pass: 3, fail: 2, skip: 2, unknown: 1, total: 8, pass_rate: 0.6 },
      by_skill: [
        { skill: 'Test', pass: 0, fail: 1, skip: 0, unknown: 0, total: 1, pass_rate: 0 },
        { skill: 'deploy', pass: 3, fail: 1, skip: 0, unknown: 1, total: 5, pass_rate: 0.75 },
        { skill: 'test', pass: 0, fail: 0, skip: 2, unknown: 0, total: 2, pass_rate: null },
      ],
      ...{ files: 3, malformed: 0 },
    });
    expect(passRate.output.parse(answer)).toEqual(answer);
  });

  it('limits to the exact name of a skill', async () => {
    const log = [line('pass'), line('fail', NOW, 'Deploy'), line('fail', NOW, 'deploy '), 'junk'].join('\n');
    const answer = await measure({ 'sessions/a.jsonl': log }, { skill: 'deploy' });
    expect(answer).toMatchObject({ skill: 'deploy', pass: 1, fail: 0, total: 1, pass_rate: 1, malformed: 1 });
    expect(answer).not.toHaveProperty('by_skill');
  });

  it('keeps apart skills that are named like parts of an object', async () => {
    const log = [line('pass', NOW, '__proto__'), line('fail', NOW, 'constructor')].join('\n');
    expect((await measure({ 'sessions/a.jsonl': log })).by_skill).toMatchObject([
      { skill: '__proto__', pass: 1, total: 1 },
      { skill: 'constructor', fail: 1, total: 1 },
    ]);
  });

  it('does not round', async () => {
    const log = [line('pass'), line('pass'), line('fail')].join('\n');
    expect((await measure({ 'sessions/a.jsonl': log })).pass_rate).toBe(2 / 3);
  });

  it.each([
    ['the first moment of the window', NOW - 7 * DAY, 1],
    ['just before it', NOW - 7 * DAY - 1, 0],
    ['now', NOW, 1],
    ['five minutes ahead', NOW + 5 * 60_000, 1],
    ['further ahead', NOW + 5 * 60_000 + 1, 0],
  ])('counts a record at %s or not', async (_, at, total) => {
    expect(await measure({ 'sessions/a.jsonl': line('pass', at) })).toMatchObject({ total, malformed: 0 });
  });

  it.each([
    ['1h', '2026-11-20T09:32:00Z', 1],
    ['24h', '2026-11-19T10:32:00Z', 2],
    ['1d', '2026-11-19T10:32:00Z', 2],
    ['3650d', '2016-11-22T10:32:00Z', 3],
  ])('looks back over a window of %s', async (window, since, total) => {
    const log = [line('pass'), line('pass', NOW - 20 * HOUR), line('pass', NOW - 300 * DAY)].join('\n');
    expect(await measure({ 'sessions/a.jsonl': log }, { window })).toMatchObject({ window, since, total });
  });

  it.each<[Record<string, unknown>, string]>([
    [{ window: '' }, 'invalid_window'],
    [{ window: '0d' }, 'invalid_window'],
    [{ window: '1w' }, 'invalid_window'],
    [{ window: '3651d' }, 'invalid_window'],
    [{ window: 7 }, 'invalid_window'],
    [{ skill: '' }, 'invalid_field'],
    [{ bucket: '1h' }, 'invalid_field'],
    [{ skills: 'deploy' }, 'unknown_field'],
  ])('refuses %j', async (raw, code) => {
    expect((await refusalOf(measure({}, raw))).code).toBe(code);
  });

  it('needs the scope to read', async () => {
    const work = perform(sessionBrain().brain, passRate, {}, callerWith('write'));
    expect((await refusalOf(work)).code).toBe('forbidden_scope');
  });
});

describe('logs that cannot be read', () => {
  const files = { 'sessions/a.jsonl': line('pass'), 'sessions/b.jsonl': line('fail') };

  it('a file that is not UTF-8 is one malformed line, the others are counted', async () => {
    const { brain, vault } = sessionBrain(files);
    vault.read = async (path) => {
      if (path === 'sessions/a.jsonl') throw new BrainError('unsupported_type', 'not UTF-8');
      return vault.files.get(path) ?? null;
    };
    expect(await perform(brain, passRate, {}, reader)).toMatchObject({
      pass: 0,
      fail: 1,
      files: 2,
      malformed: 1,
    });
  });

  it('a file that goes away meanwhile is not counted', async () => {
    const { brain, vault } = sessionBrain(files);
    vault.read = async (path) => (path === 'sessions/a.jsonl' ? null : (vault.files.get(path) ?? null));
    expect(await perform(brain, passRate, {}, reader)).toMatchObject({
      pass: 0,
      fail: 1,
      files: 1,
      malformed: 0,
    });
  });

  it.each([new Error('EIO'), new BrainError('busy', 'try again')])(
    'another failure is an error, not a lower figure: %s',
    async (failure) => {
      const { brain, vault } = sessionBrain(files);
      vault.read = async () => {
        throw failure;
      };
      await expect(perform(brain, passRate, {}, reader)).rejects.toBe(failure);
    },
  );
});

describe('the series', () => {
  it('has every day that the window touches, days without data too', async () => {
    const log = [
      line('pass', NOW - 2 * DAY),
      line('fail', '2026-11-18T23:59:59Z'),
      line('pass', '2026-11-20T00:00:00Z'),
      line('skip', NOW),
      line('pass', '2026-11-18T10:31:59Z'),
    ];
    const answer = await measure({ 'sessions/a.jsonl': log.join('\n') }, { window: '2d', bucket: '1d' });
    expect(answer.series).toEqual([
      { start: '2026-11-18T00:00:00Z', pass: 1, fail: 1, skip: 0, unknown: 0, pass_rate: 0.5 },
      { start: '2026-11-19T00:00:00Z', pass: 0, fail: 0, skip: 0, unknown: 0, pass_rate: null },
      { start: '2026-11-20T00:00:00Z', pass: 1, fail: 0, skip: 1, unknown: 0, pass_rate: 1 },
    ]);
    expect(passRate.output.parse(answer)).toEqual(answer);
  });

  it('is there for every skill too, up to a hundred days', async () => {
    const vault = { 'sessions/a.jsonl': [line('pass', NOW - DAY), line('fail', NOW)].join('\n') };
    const { by_skill: skills, series } = await measure(vault, { window: '1d', bucket: '1d' });
    expect(skills?.map((one) => one.series)).toEqual([series]);
    const long = await measure(vault, { window: '101d', bucket: '1d' });
    expect([long.series?.length, long.by_skill?.map((one) => one.series)]).toEqual([102, [undefined]]);
    const plain = await measure(vault, { window: '1d' });
    expect([plain.series, plain.by_skill?.map((one) => one.series)]).toEqual([undefined, [undefined]]);
  });

  it('counts what is already dated tomorrow as today', async () => {
    const { brain, vault, clock } = sessionBrain();
    clock.advance(13 * HOUR + 26 * 60_000);
    vault.files.set('sessions/a.jsonl', line('pass', '2026-11-21T00:01:00Z'));
    const { series } = await perform(brain, passRate, { window: '1h', bucket: '1d' }, reader);
    expect(series).toMatchObject([{ start: '2026-11-20T00:00:00Z', pass: 1 }]);
  });
});

describe('against a plain count', () => {
  const OUTCOME_OF: Readonly<Record<string, string>> = {
    ...{ pass: 'pass', ok: 'pass', Ok: 'pass', fail: 'fail', ERROR: 'fail', error: 'fail' },
    ...{ skip: 'skip', skipped: 'skip', cancelled: 'unknown', '': 'unknown' },
  };
  const run = fc.record({
    skill: fc.constantFrom('deploy', 'test', '__proto__', 'ünï'),
    status: fc.constantFrom(...Object.keys(OUTCOME_OF)),
    at: fc.integer({ min: Math.floor(NOW / 1000) - 20 * 86_400, max: Math.floor(NOW / 1000) + 600 }),
    write: fc.constantFrom(
      (at: number) => ({ timestamp: new Date(at * 1000).toISOString() }),
      (at: number) => ({ ts: at }),
      (at: number) => ({ time: at * 1000 }),
    ),
  });
  const junk = fc.oneof(
    fc.constantFrom(
      '{',
      '[]',
      'null',
      '{"skill":"deploy"}',
      '\0',
      '{"skill":"deploy","ts":"x","status":"pass"}',
    ),
    fc.json().filter((text) => !text.includes('skill')),
    fc.string().map((text) => `#${text.replace(/\n/g, '')}`),
  );
  const files = fc.array(
    fc.array(fc.oneof({ weight: 3, arbitrary: run }, junk, fc.constant('  ')), { maxLength: 30 }),
    {
      maxLength: 4,
    },
  );

  it('gives the same figures', async () => {
    const window = fc.constantFrom('1h', '36h', '1d', '7d', '30d');
    const skill = fc.option(fc.constantFrom('deploy', '__proto__', 'absent'), { nil: undefined });
    await fc.assert(
      fc.asyncProperty(files, window, skill, async (logs, length, only) => {
        const texts = logs.map((entries) =>
          entries.map((entry) =>
            typeof entry === 'string'
              ? entry
              : JSON.stringify({ skill: entry.skill, ...entry.write(entry.at), status: entry.status }),
          ),
        );
        const vault = Object.fromEntries(
          texts.map((lines, index) => [`sessions/${index}.jsonl`, lines.join('\n')]),
        );
        const answer = await measure(vault, { window: length, skill: only, bucket: '1d' });

        const hours = Number(length.slice(0, -1)) * (length.endsWith('d') ? 24 : 1);
        const counted = logs
          .flat()
          .filter((entry) => typeof entry !== 'string')
          .filter(({ at }) => at * 1000 >= NOW - hours * HOUR && at * 1000 <= NOW + 5 * 60_000)
          .filter((entry) => only === undefined || entry.skill === only);
        const count = (outcome: string): number =>
          counted.filter(({ status }) => OUTCOME_OF[status] === outcome).length;
        const [pass, fail] = [count('pass'), count('fail')];
        expect(answer).toMatchObject({
          ...{ pass, fail, skip: count('skip'), unknown: count('unknown'), total: counted.length },
          pass_rate: pass + fail === 0 ? null : pass / (pass + fail),
          files: logs.length,
          malformed: logs.flat().filter((entry) => typeof entry === 'string' && entry.trim() !== '').length,
        });
        const sum = (rows: readonly { pass: number; fail: number; skip: number; unknown: number }[] = []) =>
          rows.reduce((total, row) => total + row.pass + row.fail + row.skip + row.unknown, 0);
        expect(sum(answer.series)).toBe(counted.length);
        if (only === undefined) expect(sum(answer.by_skill)).toBe(counted.length);
      }),
      { numRuns: 1000 },
    );
  });
});
