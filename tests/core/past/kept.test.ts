import * as fc from 'fast-check';
import { sha256 } from '../../../src/core/base/hash';
import { asciiJson } from '../../../src/core/base/json';
import { Past, type PastReader } from '../../../src/core/past/past';
import { ChangeLog } from '../../../src/core/storage/change-log';
import { fixedClock } from '../../support/fixed-clock';
import { createMemoryState, type MemoryState } from '../../support/memory-state';

const pace = { run: async <T>(work: () => T): Promise<T> => work() };
const FOLDER = 'local.here/past';
const HASHES = ['a', 'b', 'c'].map((text) => sha256(text));
const PATHS = ['wiki/net/facts/mtu.md', 'raw/東京.md', 'mtu.md'];
/** Those that are closed in March: months that are over, and a segment that another one follows. */
const CLOSED = ['changes/2026-01.here.jsonl', 'changes/2026-02.there.jsonl', 'past/here.a1.1.jsonl'];
const LOGS = [
  ...CLOSED,
  'changes/2026-03.here.jsonl',
  'past/here.a1.2.jsonl',
  'past/there.a1.1.jsonl',
  'past/here.a1.1 (conflict).jsonl',
];

function programOn(state: MemoryState, device = 'here'): Past {
  const clock = fixedClock('2026-03-10T10:00:00Z');
  return new Past(state, pace, new ChangeLog({ state, clock, device }), FOLDER);
}

/** What a reader answers to every question. */
async function answersOf(reader: PastReader): Promise<unknown[]> {
  const answers: unknown[] = [];
  for (const name of [...HASHES, ...PATHS]) answers.push(await reader.naming(name), reader.countOf(name));
  answers.push(await reader.of(['write', 'promote']), await reader.withKey('k1'));
  answers.push(await reader.lastOf(['write', 'promote'], 3), reader.timesOfRule('calm').sort());
  answers.push(await reader.since('2026-01-20T00:00:00Z'));
  return answers;
}

async function answersAnew(state: MemoryState): Promise<unknown[]> {
  const bare = createMemoryState(Object.fromEntries(state.files));
  return answersOf(await programOn(bare).read());
}

const hash = fc.constantFrom(...HASHES, null);
const at = fc.integer({ min: Date.parse('2026-01-01'), max: Date.parse('2026-03-09') });
const change = fc.record(
  {
    id: fc.uuid(),
    at,
    op: fc.constantFrom('write', 'update', 'promote'),
    notes: fc.array(fc.tuple(fc.constantFrom(...PATHS), hash, hash), { minLength: 1, maxLength: 3 }),
    decision: fc.constant({ by: 'rule:calm' }),
    key: fc.constantFrom('k1', 'k2'),
  },
  { requiredKeys: ['id', 'at', 'op', 'notes'] },
);
const line = fc.oneof(
  { weight: 6, arbitrary: change.map((each) => asciiJson(each)) },
  fc.constant('{"at":1,"op"'),
);
const text = fc
  .array(line, { maxLength: 8 })
  .map((lines) => `\n${lines.map((each) => `${each}\n`).join('')}`);
const step = fc.record({
  what: fc.constantFrom('add', 'add', 'replace', 'remove', 'copy', 'keep', 'keep', 'damage', 'restart'),
  log: fc.constantFrom(...LOGS),
  text,
  place: fc.nat(),
  bit: fc.nat(7),
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** Changes the state as a step says, and returns the program that runs then. */
async function take(
  { what, log, text: lines, place, bit }: Step,
  state: MemoryState,
  past: Past,
): Promise<Past> {
  const { files, blobs } = state;
  if (what === 'add') files.set(log, (files.get(log) ?? '') + lines);
  else if (what === 'replace') files.set(log, lines);
  else if (what === 'remove') files.delete(log);
  else if (what === 'copy')
    files.set('past/here.a1.1 (conflict).jsonl', files.get('past/here.a1.1.jsonl') ?? '');
  else if (what === 'keep') await past.keep();
  else if (what === 'restart') return programOn(state);
  else {
    for (const [path, bytes] of blobs) {
      if (bit === 0) blobs.set(path, bytes.slice(0, place % bytes.length));
      else bytes[place % bytes.length] = (bytes[place % bytes.length] ?? 0) ^ (1 << bit);
    }
    return programOn(state);
  }
  return past;
}

it('answers from kept indexes as from the lines, whatever happened to logs and indexes meanwhile', async () => {
  let used = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 10 }), async (steps) => {
      const state = createMemoryState({});
      let past = programOn(state);
      for (const each of steps) {
        past = await take(each, state, past);
        const expected = await answersAnew(state);
        expect(await answersOf(await past.read())).toEqual(expected);
        expect(await answersOf(await programOn(state).read())).toEqual(expected);
        used += state.blobs.size;
      }
    }),
    { numRuns: 80 },
  );
  expect(used).toBeGreaterThan(40);
});

const one = (at: number, after = sha256(`${at}`)): string =>
  `${asciiJson({ at: Date.parse('2026-01-01') + at, op: 'write', notes: [[`raw/${at}.md`, null, after]] })}\n`;

it('reads the open logs alone at a start, and keeps the index of no log that is open or gone', async () => {
  const state = createMemoryState(Object.fromEntries(LOGS.map((log, at) => [log, one(at)])));
  await programOn(state).keep();
  expect([...state.blobs.keys()].sort()).toEqual(CLOSED.map((log) => `${FOLDER}/${log}.index`));
  const read: string[] = [];
  const readPart = state.readPart.bind(state);
  state.readPart = (path, from, to) => {
    read.push(path);
    return readPart(path, from, to);
  };
  const past = programOn(state);
  await past.read();
  expect([...new Set(read)].sort()).toEqual(LOGS.filter((log) => !CLOSED.includes(log)).sort());
  state.files.delete('changes/2026-01.here.jsonl');
  await past.keep();
  expect([...state.blobs.keys()].sort()).toEqual(CLOSED.slice(1).map((log) => `${FOLDER}/${log}.index`));
});

it('is later than the changes of a log whose index it kept', async () => {
  const state = createMemoryState({ 'past/there.a1.1.jsonl': one(0), 'past/there.a1.2.jsonl': one(1) });
  const ahead = Date.parse('2026-03-10T11:00:00Z');
  state.files.set('past/there.a1.1.jsonl', one(ahead - Date.parse('2026-01-01')));
  await programOn(state).keep();
  const log = new ChangeLog({ state, clock: fixedClock('2026-03-10T10:00:00Z'), device: 'here' });
  await new Past(state, pace, log, FOLDER).read();
  expect((await log.begin({})).at).toBe(ahead + 1);
});

it('begins another index where one is full, and finds lines in both', async () => {
  const log = 'changes/2026-01.here.jsonl';
  const state = createMemoryState({
    [log]: Array.from({ length: 70_000 }, (_, at) => one(at, HASHES[0])).join(''),
  });
  await programOn(state).keep();
  const reader = await programOn(state).read();
  for (const at of [0, 65_535, 65_536, 69_999])
    expect((await reader.naming(`raw/${at}.md`)).map(({ notes }) => notes[0]?.after)).toEqual([HASHES[0]]);
  expect(await reader.naming('raw/70000.md')).toEqual([]);
  expect((await reader.lastOf(['write'], 1)).count).toBe(70_000);
});

it('keeps what a line is found by under a number of its own', async () => {
  const state = createMemoryState({ 'changes/2026-01.here.jsonl': one(1) });
  await programOn(state).keep();
  const [bytes = new Uint8Array()] = state.blobs.values();
  // When this changes, EDITION in kept.ts changes too, as an index of an earlier version would lack lines.
  expect(sha256(bytes)).toMatchInlineSnapshot(
    `"9cc9a2b6a7f07716e96e63726ce2282f6a2bbb9043b3ba9d05672ccbbd3f0734"`,
  );
});
