import * as fc from 'fast-check';
import type { AuditEntry } from '../../../src/core/audit/line';
import { openAudit, OWED_LIMIT } from '../../../src/core/audit/log';
import { checkAudit } from '../../../src/core/audit/verify';
import type { StateStore } from '../../../src/core/ports/ports';
import { sha256 } from '../../../src/core/base/hash';
import { fixedClock } from '../../support/fixed-clock';
import { createMemoryState } from '../../support/memory-state';

const DEVICE = 'ab12cd34';
const FILE = 'audit/2026-11.ab12cd34.jsonl';
const ZEROS = '0'.repeat(64);

function entry(id: string, more: Partial<AuditEntry> = {}): AuditEntry {
  return {
    ts: '2026-11-20T10:32:00Z',
    id,
    tool: 'brain_get',
    actor: 'laptop',
    auth: 'read write',
    ok: true,
    args: {},
    paths: [],
    unlinked: 0,
    duration_ms: 3,
    ...more,
  };
}

function linesOf(text: string | undefined): string[] {
  return (text ?? '').split('\n').slice(0, -1);
}

function field(line: string | undefined, name: string): unknown {
  const value: unknown = JSON.parse(line ?? 'null');
  return typeof value === 'object' && value !== null
    ? Object.entries(value).find(([key]) => key === name)?.[1]
    : undefined;
}

/** A state store whose appends go wrong as `plan` says: nothing, a part or all of the text is written before it fails. */
function failing(state: StateStore, plan: (text: string) => number | 'ok'): StateStore {
  return {
    ...state,
    async append(path, text, sync) {
      const kept = plan(text);
      if (kept === 'ok') return state.append(path, text, sync);
      await state.append(path, text.slice(0, kept), sync);
      throw new Error('no space left on device');
    },
  };
}

describe('the audit log', () => {
  it('writes the documented line, in the documented order', async () => {
    const state = createMemoryState();
    const log = await openAudit({ state, clock: fixedClock(), device: DEVICE });
    await log.record(
      entry('r1', {
        tool: 'brain_write',
        client: { name: 'claude-code', version: '2.1.300' },
        ok: false,
        error: 'note_exists',
        args: { wing: 'homelab', content: { chars: 5, sha256: sha256('hello') } },
        paths: ['wiki/homelab/facts/mtu.md'],
        content_hash: sha256('x'),
        unlinked: 2,
      }),
      true,
    );
    expect(state.files.get(FILE)).toBe(
      `{"v":1,"ts":"2026-11-20T10:32:00Z","seq":1,"id":"r1","tool":"brain_write","actor":"laptop","auth":"read write",` +
        `"client":{"name":"claude-code","version":"2.1.300"},"ok":false,"error":"note_exists",` +
        `"args":{"wing":"homelab","content":{"chars":5,"sha256":"${sha256('hello')}"}},` +
        `"paths":["wiki/homelab/facts/mtu.md"],"content_hash":"${sha256('x')}","unlinked":2,"duration_ms":3,"prev":"${ZEROS}"}\n`,
    );
  });

  it('chains lines over months and restarts, and never goes back to an earlier file', async () => {
    const state = createMemoryState();
    const clock = fixedClock();
    const ports = { state, clock, device: DEVICE };
    await (await openAudit(ports)).record(entry('a'), false);
    clock.advance(30 * 86_400_000);
    const log = await openAudit(ports);
    await log.record(entry('b'), false);
    clock.advance(-30 * 86_400_000);
    await log.record(entry('c'), false);

    const [a] = linesOf(state.files.get(FILE));
    const [b, c] = linesOf(state.files.get('audit/2026-12.ab12cd34.jsonl'));
    expect([a, b, c].map((line) => field(line, 'seq'))).toEqual([1, 2, 3]);
    expect([a, b, c].map((line) => field(line, 'prev'))).toEqual([ZEROS, sha256(a ?? ''), sha256(b ?? '')]);
    expect(await checkAudit(state)).toEqual({
      files: [FILE, 'audit/2026-12.ab12cd34.jsonl'],
      lines: 3,
      problems: [],
    });
  });

  it('leaves the files of other devices, conflict copies and root edits alone', async () => {
    const state = createMemoryState({
      'audit/2026-12.ffff0000.jsonl': 'torn',
      'audit/root-edits.ab12cd34.jsonl': '{"v":1}\n',
      'audit/2026-12.ab12cd34.sync-conflict.jsonl': 'junk\n',
    });
    const log = await openAudit({ state, clock: fixedClock(), device: DEVICE });
    await log.record(entry('a'), false);
    expect(field(linesOf(state.files.get(FILE))[0], 'prev')).toBe(ZEROS);
    expect(state.files.get('audit/2026-12.ffff0000.jsonl')).toBe('torn');
  });

  it('begins a new file when one is full, in the same chain, also after a restart', async () => {
    const state = createMemoryState();
    const ports = { state, clock: fixedClock(), device: DEVICE, maxFile: 600 };
    for (const id of ['a', 'b', 'c', 'd', 'e', 'f', 'g']) {
      await (await openAudit(ports)).record(entry(id), false);
    }
    const files = ['', '.2', '.3'].map((part) => `audit/2026-11.ab12cd34${part}.jsonl`);
    const texts = files.map((file) => state.files.get(file));
    expect(texts.map((text) => linesOf(text).map((line) => field(line, 'id')))).toEqual([
      ['a', 'b', 'c'],
      ['d', 'e', 'f'],
      ['g'],
    ]);
    const last = linesOf(texts[0]).at(-1) ?? '';
    expect(field(linesOf(texts[1])[0], 'prev')).toBe(sha256(last));
    expect(await checkAudit(state)).toEqual({ files, lines: 7, problems: [] });
  });

  it('has one line for each of many calls that end at once, over several files', async () => {
    const state = createMemoryState();
    const log = await openAudit({ state, clock: fixedClock(), device: DEVICE, maxFile: 20_000 });
    const ids = Array.from({ length: 2000 }, (_, index) => `call-${index}`);
    for (let from = 0; from < ids.length; from += 200) {
      await Promise.all(
        ids.slice(from, from + 200).map((id, index) => log.record(entry(id), index % 3 === 0)),
      );
    }
    const { files, lines, problems } = await checkAudit(state);
    expect(files.length).toBeGreaterThan(10);
    expect({ lines, problems }).toEqual({ lines: ids.length, problems: [] });
    const found = files.flatMap((file) => linesOf(state.files.get(file)).map((line) => field(line, 'id')));
    expect(found).toEqual(ids);
  });

  it('goes on in the first file of a new month, however many the last one had, and past ten files of one', async () => {
    const state = createMemoryState();
    const clock = fixedClock();
    const log = await openAudit({ state, clock, device: DEVICE, maxFile: 1 });
    for (let index = 0; index < 12; index += 1) await log.record(entry(`r${index}`), false);
    clock.advance(30 * 86_400_000);
    await log.record(entry('next'), false);
    const { files, lines, problems } = await checkAudit(state);
    expect(files.slice(-4)).toEqual([
      'audit/2026-11.ab12cd34.10.jsonl',
      'audit/2026-11.ab12cd34.11.jsonl',
      'audit/2026-11.ab12cd34.12.jsonl',
      'audit/2026-12.ab12cd34.jsonl',
    ]);
    expect({ lines, problems }).toEqual({ lines: 13, problems: [] });
  });

  it('closes a torn last line, keeps it in the chain, and lets verify report it', async () => {
    const state = createMemoryState();
    const ports = { state, clock: fixedClock(), device: DEVICE };
    const log = await openAudit(ports);
    await log.record(entry('a'), false);
    await log.record(entry('b'), false);
    const whole = state.files.get(FILE) ?? '';
    state.files.set(FILE, whole.slice(0, -40));

    const again = await openAudit(ports);
    await again.record(entry('c'), false);
    const [, torn, c] = linesOf(state.files.get(FILE));
    expect(torn).toBe(whole.slice(0, -40).split('\n')[1]);
    expect(field(c, 'seq')).toBe(3);
    expect(field(c, 'prev')).toBe(sha256(torn ?? ''));
    const { problems } = await checkAudit(state);
    expect(problems).toEqual([{ file: FILE, line: 2, problem: expect.stringContaining('cannot be read') }]);
  });

  it('starts in a file that was opened but never written to', async () => {
    const state = createMemoryState();
    const ports = { state, clock: fixedClock(), device: DEVICE };
    await openAudit(ports);
    expect(state.files.get(FILE)).toBe('');
    await (await openAudit(ports)).record(entry('a'), false);
    expect((await checkAudit(state)).problems).toEqual([]);
  });

  it('shares one append among calls that end together, durable when one of them asks for it', async () => {
    const state = createMemoryState();
    const appends: { lines: number; sync: boolean }[] = [];
    const spied: StateStore = {
      ...state,
      async append(path, text, sync) {
        if (text !== '') appends.push({ lines: linesOf(text).length, sync });
        await state.append(path, text, sync);
      },
    };
    const log = await openAudit({ state: spied, clock: fixedClock(), device: DEVICE });
    await Promise.all([
      log.record(entry('a'), false),
      log.record(entry('b'), true),
      log.record(entry('c'), false),
    ]);
    await log.record(entry('d'), false);
    expect(appends).toEqual([
      { lines: 3, sync: true },
      { lines: 1, sync: false },
    ]);
  });

  it('cannot be opened while the disk refuses, and then writes what it owes first', async () => {
    const state = createMemoryState();
    let full = false;
    const ports = { state: failing(state, () => (full ? 0 : 'ok')), clock: fixedClock(), device: DEVICE };
    const log = await openAudit(ports);
    full = true;
    await expect(log.record(entry('a'), true)).rejects.toThrow('no space');
    await expect(log.open()).rejects.toThrow('no space');
    full = false;
    await log.record(entry('b'), true);
    expect(linesOf(state.files.get(FILE)).map((line) => field(line, 'id'))).toEqual(['a', 'b']);
  });

  it('refuses further lines when too many are owed', async () => {
    const state = createMemoryState();
    let full = false;
    const ports = { state: failing(state, () => (full ? 0 : 'ok')), clock: fixedClock(), device: DEVICE };
    const log = await openAudit(ports);
    full = true;
    const waiting = Array.from({ length: OWED_LIMIT }, (_, i) => log.record(entry(`r${i}`), false));
    const results = await Promise.allSettled(waiting);
    expect(results.every(({ status }) => status === 'rejected')).toBe(true);
    await expect(log.record(entry('one too many'), false)).rejects.toThrow('too many lines');
    full = false;
    await log.open();
    expect(linesOf(state.files.get(FILE))).toHaveLength(OWED_LIMIT);
  });

  it('has the line of every call, however many end at the same moment', async () => {
    const state = createMemoryState();
    const log = await openAudit({ state, clock: fixedClock(), device: DEVICE });
    const ids = Array.from({ length: 5 * OWED_LIMIT }, (_, i) => `r${i}`);
    await Promise.all(ids.map((id, i) => log.record(entry(id), i % 3 === 0)));
    expect(linesOf(state.files.get(FILE)).map((line) => field(line, 'id'))).toEqual(ids);
  });

  it('takes lines of readers again as soon as the disk does, however many are owed', async () => {
    const state = createMemoryState();
    let full = true;
    const ports = { state: failing(state, (text) => (full && text !== '' ? 0 : 'ok')), clock: fixedClock() };
    const log = await openAudit({ ...ports, device: DEVICE });
    for (let i = 0; i < OWED_LIMIT + 3; i += 1) {
      await expect(log.record(entry(`r${i}`), false)).rejects.toThrow();
    }
    full = false;
    await log.record(entry('last'), false);
    const ids = linesOf(state.files.get(FILE)).map((line) => field(line, 'id'));
    expect(ids).toHaveLength(OWED_LIMIT + 1);
    expect(ids.at(-1)).toBe('last');
  });

  it('has every call exactly once, in order, however appends fail and the process restarts', async () => {
    const step = fc.record({
      fate: fc.oneof({ weight: 2, arbitrary: fc.constant('ok' as const) }, fc.nat(400)),
      restart: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 20 }),
        fc.constantFrom(1, 900, 1e6),
        async (steps, maxFile) => {
          const state = createMemoryState();
          let fate: number | 'ok' = 'ok';
          const ports = {
            state: failing(state, (text) => (text === '' || text === '\n' ? 'ok' : fate)),
            clock: fixedClock(),
            device: DEVICE,
            maxFile,
          };
          let log = await openAudit(ports);
          const due: string[] = [];
          for (const [index, { fate: next, restart }] of steps.entries()) {
            fate = next;
            due.push(`call-${index}`);
            await log.record(entry(`call-${index}`), true).catch(() => undefined);
            if (restart) {
              fate = 'ok';
              await log.open(); // what is owed lives in memory: a process that ends writes it first
              log = await openAudit(ports);
            }
          }
          fate = 'ok';
          await log.open();
          const { files, problems } = await checkAudit(state);
          const text = files.map((file) => state.files.get(file)).join('');
          const found = [...text.matchAll(/"id":"(call-\d+)".*"prev":"[0-9a-f]{64}"}$/gm)].map(
            (match) => match[1],
          );
          expect(found).toEqual(due);
          expect(problems.filter(({ problem }) => !problem.includes('cannot be read'))).toEqual([]);
        },
      ),
      { numRuns: 300 },
    );
  });
});

it('is opened once for all calls that wait for it, and again for those that come later', async () => {
  const state = createMemoryState();
  const log = await openAudit({ state, clock: fixedClock(), device: DEVICE });
  const append = state.append.bind(state);
  const appended: string[] = [];
  state.append = async (path, text, sync) => {
    appended.push(text);
    await new Promise((resolve) => setImmediate(resolve));
    return append(path, text, sync);
  };
  await Promise.all([log.open(), log.open(), log.open()]);
  expect(appended).toEqual(['']);
  const first = log.open();
  await new Promise((resolve) => setImmediate(resolve));
  await Promise.all([first, log.open()]);
  expect(appended).toHaveLength(3);
});
