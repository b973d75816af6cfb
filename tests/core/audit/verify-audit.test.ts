import * as fc from 'fast-check';
import type { AuditEnds } from '../../../src/core/operation/audit-ends';
import { AUDIT_FOLDER, openAudit, RESOURCE_FOLDER } from '../../../src/core/audit/log';
import { type AuditEntry, auditLine } from '../../../src/core/audit/line';
import { checkAudit, checkAuditEnd, verifyAudit } from '../../../src/core/audit/verify';
import { statusChecks } from '../../../src/core/status/checks';
import { Pace } from '../../../src/core/base/steps';
import { sha256 } from '../../../src/core/base/hash';
import { compareText } from '../../../src/core/base/text';
import { fixedClock } from '../../support/fixed-clock';
import { createMemoryState } from '../../support/memory-state';
import { openTestBrain } from '../../support/test-brain';

const FILE = 'audit/2026-11.ab12cd34.jsonl';

function chain(length: number): string[] {
  const lines: string[] = [];
  for (let seq = 1; seq <= length; seq += 1) {
    const entry = {
      ts: '2026-11-20T10:32:00Z',
      id: `r${seq}`,
      tool: 'brain_query',
      actor: 'laptop',
      auth: 'read',
      ok: true,
      args: { query: `number ${seq}` },
      paths: [],
      unlinked: 0,
      duration_ms: 1,
    };
    lines.push(auditLine(entry, seq, seq === 1 ? '0'.repeat(64) : sha256(lines[seq - 2] ?? '')));
  }
  return lines;
}

function entryNamed(id: string): AuditEntry {
  return {
    ts: '2026-11-20T10:32:00Z',
    id,
    tool: 'brain_get',
    actor: 'laptop',
    auth: 'read',
    ok: true,
    args: {},
    paths: [],
    unlinked: 0,
    duration_ms: 1,
  };
}

/** Takes so many lines from the end of a log, and the files that hold no line then. */
function dropLines(files: Map<string, string>, count: number): void {
  const byPart = [...files.keys()].sort((a, b) => a.length - b.length || compareText(a, b));
  for (let left = count; left > 0; left -= 1) {
    const last = byPart.filter((path) => (files.get(path) ?? '') !== '').at(-1) ?? '';
    const lines = (files.get(last) ?? '').split('\n').slice(0, -2);
    if (lines.length === 0) files.delete(last);
    else files.set(last, file(lines));
  }
}

const file = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');

describe('verifying the audit log', () => {
  it('finds nothing wrong with an empty or a whole log', async () => {
    expect(await checkAudit(createMemoryState())).toEqual({ files: [], lines: 0, problems: [] });
    const state = createMemoryState({
      [FILE]: file(chain(3)),
      'audit/2026-11.ffff0000.jsonl': file(chain(2)),
    });
    expect(await checkAudit(state)).toEqual({
      files: [FILE, 'audit/2026-11.ffff0000.jsonl'],
      lines: 5,
      problems: [],
    });
  });

  it('follows the log of what was read as a chain of its own', async () => {
    const read = 'audit-resources/2026-11.ab12cd34.jsonl';
    const whole = createMemoryState({ [FILE]: file(chain(3)), [read]: file(chain(2)) });
    expect(await checkAudit(whole)).toEqual({ files: [FILE, read], lines: 5, problems: [] });
    const [first = '', , third = ''] = chain(3);
    const { problems } = await checkAudit(
      createMemoryState({ [FILE]: file(chain(3)), [read]: file([first, third]) }),
    );
    expect(problems).toMatchObject([
      { file: read, line: 2 },
      { file: read, line: 2 },
    ]);
  });

  it.each<[string, (lines: string[]) => string, number, string]>([
    ['a removed line', ([a, , c]) => file([a ?? '', c ?? '']), 2, 'missing or was changed'],
    [
      'an edited line',
      ([a, b, c]) => file([a ?? '', (b ?? '').replace('laptop', 'desktop'), c ?? '']),
      3,
      'missing or was changed',
    ],
    [
      'two lines that changed places',
      ([a, b, c]) => file([b ?? '', a ?? '', c ?? '']),
      1,
      'missing or was changed',
    ],
    ['a line that is no JSON', ([a, , c]) => file([a ?? '', 'oops', c ?? '']), 2, 'cannot be read'],
    ['an empty line', ([a, b]) => `${file([a ?? '', b ?? ''])}\n`, 3, 'cannot be read'],
    ['a missing line feed', (lines) => file(lines).slice(0, -1), 3, 'no line feed'],
    ['a lost first line', ([, b, c]) => file([b ?? '', c ?? '']), 1, 'missing or was changed'],
  ])('reports %s', async (_, damage, line, problem) => {
    const { problems } = await checkAudit(createMemoryState({ [FILE]: damage(chain(3)) }));
    expect(problems).toContainEqual({ file: FILE, line, problem: expect.stringContaining(problem) });
  });

  it('reports a number that was changed together with the hash behind it', async () => {
    const [a = '', b = ''] = chain(2);
    const forged = b.replace('"seq":2', '"seq":7');
    const { problems } = await checkAudit(createMemoryState({ [FILE]: file([a, forged]) }));
    expect(problems).toEqual([
      { file: FILE, line: 2, problem: 'This line has the number 7 where 2 was expected.' },
    ]);
  });

  it('names the place of every line that is dropped, doubled, moved, edited or put in, over all files of a chain', async () => {
    const whole = chain(12);
    const files = [FILE, FILE.replace('.jsonl', '.2.jsonl'), FILE.replace('-11', '-12')];
    /** Place of a line among all lines of the chain, from 0. */
    const placeOf = (starts: readonly number[], at: string, line: number): number =>
      (starts[files.indexOf(at)] ?? 0) + line - 1;
    const damages = {
      drop: (lines: string[], at: number) => void lines.splice(at, 1),
      double: (lines: string[], at: number) => void lines.splice(at, 0, lines[at] ?? ''),
      edit: (lines: string[], at: number) => {
        lines[at] = (lines[at] ?? '').replace('laptop', 'lap');
      },
      insert: (lines: string[], at: number) => void lines.splice(at, 0, chain(3)[2] ?? ''),
      swap: (lines: string[], at: number) => void lines.splice(at, 2, lines[at + 1] ?? '', lines[at] ?? ''),
    };
    const kind = fc.constantFrom(...(Object.keys(damages) as (keyof typeof damages)[]));
    // What is done to the very last line alone nothing after it can tell.
    await fc.assert(
      fc.asyncProperty(kind, fc.nat(whole.length - 2), fc.nat(11), fc.nat(11), async (how, at, one, two) => {
        fc.pre(how !== 'insert' || at !== 3);
        const lines = [...whole];
        damages[how](lines, at);
        const cuts = [0, Math.min(one, two), Math.max(one, two)];
        const texts = cuts.map((from, index) => file(lines.slice(from, cuts[index + 1])));
        const held = Object.fromEntries(files.map((name, index) => [name, texts[index] ?? '']));
        const { problems } = await checkAudit(createMemoryState(held));
        const places = problems.map(({ file: name, line }) => placeOf(cuts, name, line));
        const first = Math.min(...places);
        expect({ how, at, near: first === at || first === at + 1 }).toEqual({ how, at, near: true });
      }),
      { numRuns: 500 },
    );
  });

  it('notices every change of a single character before the last line', async () => {
    const whole = file(chain(3));
    const last = whole.lastIndexOf('\n', whole.length - 2) + 1;
    await fc.assert(
      fc.asyncProperty(fc.nat(last - 1), fc.constantFrom('x', '0', '\n', ' '), async (at, character) => {
        fc.pre(whole[at] !== character);
        const changed = whole.slice(0, at) + character + whole.slice(at + 1);
        const { problems } = await checkAudit(createMemoryState({ [FILE]: changed }));
        expect(problems).not.toEqual([]);
      }),
      { numRuns: 1000 },
    );
  });
});

describe('the operation', () => {
  it('answers what the check finds, with at most 200 problems and the count of all', async () => {
    const { run, state } = await openTestBrain();
    expect(await run(verifyAudit)).toEqual({ files: [], lines: 0, problem_count: 0, problems: [] });
    await state.append(FILE, 'broken\n'.repeat(201), true);
    const answer = await run(verifyAudit);
    expect([answer.files, answer.lines, answer.problem_count]).toEqual([[FILE], 201, 201]);
    expect(answer.problems).toHaveLength(200);
    expect(answer.problems[0]).toEqual({ file: FILE, line: 1, problem: expect.stringContaining('cannot') });
  });

  it('rests while it reads a long log', async () => {
    const clock = fixedClock();
    let rests = 0;
    const breathe = async () => {
      rests += 1;
    };
    const ticking = { now: () => (clock.advance(1), clock.now()) };
    const state = createMemoryState({ [FILE]: file(chain(100)) });
    expect(await checkAudit(state, new Pace(breathe, ticking))).toEqual(await checkAudit(state));
    expect(rests).toBeGreaterThan(10);
  });
});

describe('the end of the log', () => {
  const DEVICE = 'ab12cd34';

  it('is whole in a whole log, wherever the window begins', async () => {
    for (const length of [0, 1, 199, 200, 201, 450]) {
      const state = createMemoryState({ [FILE]: file(chain(length)) });
      expect(await checkAuditEnd(state, DEVICE)).toEqual({ lines: Math.min(length, 200), problems: [] });
    }
    expect(await checkAuditEnd(createMemoryState(), DEVICE)).toEqual({ lines: 0, problems: [] });
  });

  it('tells damage in the newest file of this device, by its line in the file', async () => {
    const lines = chain(300);
    lines.splice(250, 1);
    const state = createMemoryState({
      'audit/2026-10.ab12cd34.jsonl': file([...chain(1), 'broken']),
      [FILE]: file(lines),
      'audit/2026-12.ffff0000.jsonl': 'broken\n',
    });
    expect((await checkAuditEnd(state, DEVICE)).problems).toEqual([
      { file: FILE, line: 251, problem: 'The line before this one is missing or was changed.' },
      { file: FILE, line: 251, problem: 'This line has the number 252 where 251 was expected.' },
    ]);
  });

  it('tells a line that was cut short', async () => {
    const state = createMemoryState({ [FILE]: file(chain(3)).slice(0, -1) });
    expect((await checkAuditEnd(state, DEVICE)).problems).toHaveLength(1);
  });
});

describe('beside the process that writes the log', () => {
  const DEVICE = 'ab12cd34';

  it('whatever is lost at the end or changed in the last line is told, and nothing where nothing is', async () => {
    const folders = [AUDIT_FOLDER, RESOURCE_FOLDER];
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 12 }),
        fc.integer({ min: 0, max: 12 }),
        fc.constantFrom(1, 900, 1e6),
        fc.constantFrom(...folders),
        fc.boolean(),
        async (written, lost, maxFile, folder, andGoesOn) => {
          const state = createMemoryState();
          const ends: AuditEnds = new Map();
          const ports = { state, clock: fixedClock(), device: DEVICE, maxFile, folder };
          await (await openAudit(ports)).record(entryNamed('before'), false);
          const log = await openAudit({ ...ports, ends });
          for (let n = 1; n < written; n += 1) await log.record(entryNamed(`${n}`), false);
          expect((await checkAudit(state, undefined, ends)).problems).toEqual([]);
          expect((await checkAuditEnd(state, DEVICE, ends)).problems).toEqual([]);

          const gone = Math.min(lost, written);
          dropLines(state.files, gone);
          if (andGoesOn) await log.record(entryNamed('after'), false);
          const { problems } = await checkAudit(state, undefined, ends);
          expect(problems.length > 0).toBe(gone > 0);
          const atEnd = await checkAuditEnd(state, DEVICE, ends);
          if (folder === AUDIT_FOLDER && !andGoesOn) expect(atEnd.problems).toEqual(problems);
        },
      ),
    );
  });

  it('a last line that was changed is told', async () => {
    const state = createMemoryState();
    const ends: AuditEnds = new Map();
    const log = await openAudit({ state, clock: fixedClock(), device: DEVICE, ends });
    await log.record(entryNamed('one'), false);
    state.files.set(FILE, (state.files.get(FILE) ?? '').replace('laptop', 'intern'));
    const problems = [{ file: FILE, line: 1, problem: 'This line was changed.' }];
    expect((await checkAudit(state, undefined, ends)).problems).toEqual(problems);
    expect((await checkAuditEnd(state, DEVICE, ends)).problems).toEqual(problems);
  });

  it('lines that are lost while the disk refuses others leave a gap', async () => {
    const memory = createMemoryState();
    const ends: AuditEnds = new Map();
    let full = false;
    const state = {
      ...memory,
      append: async (...args: Parameters<typeof memory.append>) => {
        if (full) throw new Error('no space left on device');
        return memory.append(...args);
      },
    };
    const log = await openAudit({ state, clock: fixedClock(), device: DEVICE, ends });
    for (const id of ['one', 'two']) await log.record(entryNamed(id), false);
    full = true;
    await log.record(entryNamed('three'), false).catch(() => undefined);
    dropLines(memory.files, 1);
    full = false;
    await log.record(entryNamed('four'), false);
    expect((await checkAudit(memory)).problems.map(({ problem }) => problem)).toEqual([
      'The line before this one is missing or was changed.',
      'This line has the number 3 where 2 was expected.',
    ]);
  });

  it('the service says so, of the last lines and of the whole file', async () => {
    const { brain, state, run } = await openTestBrain();
    const { device, clock, auditEnds: ends } = brain;
    const log = await openAudit({ state, clock, device, ends });
    const auditCheck = async () => (await statusChecks(brain)).find(({ name }) => name === 'audit');
    expect(await auditCheck()).toMatchObject({ state: 'ok', message: 'No agent has called a tool yet.' });
    await log.record(entryNamed('one'), false);
    expect(await auditCheck()).toMatchObject({ state: 'ok', message: 'The last line of the log is whole.' });
    await log.record(entryNamed('two'), false);
    expect(await run(verifyAudit)).toMatchObject({ lines: 2, problem_count: 0 });
    const at = 'audit/2026-11.testtest.jsonl';
    for (const line of [2, 1]) {
      dropLines(state.files, 1);
      const problem = 'Lines are missing at the end: the last one that was written has the number 2.';
      expect(await run(verifyAudit)).toMatchObject({
        problem_count: 1,
        problems: [{ file: at, line, problem }],
      });
      expect(await auditCheck()).toMatchObject({
        state: 'failed',
        message: `${at}, line ${line}: ${problem}`,
      });
    }
    expect(state.files.has(at)).toBe(false);
  });
});
