import * as fc from 'fast-check';
import { sha256 } from '../../../src/core/base/hash';
import { asciiJson, isRecord } from '../../../src/core/base/json';
import { Past } from '../../../src/core/past/past';
import { createMemoryState } from '../../support/memory-state';

const pace = { run: async <T>(work: () => T): Promise<T> => work() };
const HASHES = ['a', 'b', 'c'].map((text) => sha256(text));
const NAMES = ['wiki/net/facts/mtu.md', 'wiki/net/facts/größe "x".md', 'raw/東京.md', 'mtu.md'];
const HERE = 'changes/2026-01.here.jsonl';

const hash = fc.constantFrom(...HASHES, null);
const change = fc.record({
  ts: fc.constantFrom('2026-01-01T00:00:00Z', '2026-01-01T00:00:01Z', '2026-02-01T00:00:00Z'),
  op: fc.constantFrom('update', 'write', 'move'),
  notes: fc.array(fc.tuple(fc.constantFrom(...NAMES), hash, hash), { maxLength: 3 }),
});
const torn = fc.constantFrom('', '{"ts":"2026-01-01T00:00:00Z","op":"up', `{"notes":[["${NAMES[0]}"`);
const line = fc.oneof({ weight: 5, arbitrary: change.map((each) => asciiJson(each)) }, torn);
const lines = fc.array(line, { maxLength: 12 });
/** What happens to a log between two looks: lines are added, perhaps without the last line feed; another log stands there; it is gone. */
const step = fc.record({
  log: fc.constantFrom(HERE, 'changes/2026-01.there.jsonl', 'changes/2026-02.here.jsonl'),
  what: fc.constantFrom('add', 'add', 'add', 'replace', 'remove'),
  text: fc.tuple(lines, fc.constantFrom('', '\n')).map(([all, last]) => `\n${all.join('\n')}${last}`),
});

/** What a reader finds that reads all logs whole, in the order of time, log and place. */
function plainly(files: ReadonlyMap<string, string>) {
  const logs = [...files].filter(([path]) => path.endsWith('.jsonl')).sort(([a], [b]) => (a < b ? -1 : 1));
  const found = logs.flatMap(([, text]) =>
    text.split('\n').flatMap((each) => {
      try {
        const value: unknown = JSON.parse(each);
        return isRecord(value) &&
          Array.isArray(value.notes) &&
          value.notes.length > 0 &&
          typeof value.ts === 'string'
          ? [value]
          : [];
      } catch {
        return [];
      }
    }),
  );
  const ts = (value: Record<string, unknown>) => String(value.ts);
  return found.sort((a, b) => (ts(a) < ts(b) ? -1 : Number(ts(a) > ts(b))));
}

it('answers as a reader of all logs would, whatever happened to them since it was asked last', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 6 }), async (steps) => {
      const state = createMemoryState({ 'changes/other.txt': '{"ts":"","op":"","notes":[]}' });
      const past = new Past(state, pace);
      for (const { log, what, text } of steps) {
        if (what === 'remove') state.files.delete(log);
        else state.files.set(log, what === 'add' ? (state.files.get(log) ?? '') + text : text);
        const all = plainly(state.files);
        const reader = await past.read();
        const plain = (changes: readonly { ts: string; op: string; notes: readonly object[] }[]) =>
          changes.map(({ ts, op, notes }) => ({ ts, op, notes: notes.map((note) => Object.values(note)) }));
        for (const name of [...HASHES, ...NAMES])
          expect(plain(await reader.naming(name))).toEqual(
            all.filter(({ notes }) => JSON.stringify(notes).includes(JSON.stringify(name))),
          );
        expect(plain(await reader.of(['write', 'move']))).toEqual(all.filter(({ op }) => op !== 'update'));
        for (const max of [1, 3, 100]) {
          const last = all.filter(({ op }) => op !== 'update');
          const { count, changes } = await reader.lastOf(['write', 'move'], max);
          expect([count, plain(changes)]).toEqual([last.length, last.slice(-max)]);
        }
        expect(plain(await reader.since('2026-01-01T00:00:01Z'))).toEqual(
          all.filter(({ ts }) => String(ts) >= '2026-01-01T00:00:01Z'),
        );
      }
    }),
    { numRuns: 300 },
  );
});

it('reads a long log in pieces, and of it the answer alone', async () => {
  const [wanted = ''] = HASHES;
  const long = Array.from({ length: 3000 }, (_, at) => [`wiki/a/facts/${at}.md`, null, sha256(`${at}`)]);
  const one = (at: number) => ({
    ts: '2026-01-01T00:00:00Z',
    op: 'write',
    notes: at === 4000 ? long : [[`raw/${at}.md`, null, at % 700 === 0 ? wanted : sha256(`x${at}`)]],
  });
  const state = createMemoryState({
    [HERE]: Array.from({ length: 8000 }, (_, at) => `${asciiJson(one(at))}\n`).join(''),
  });
  const spans: number[] = [];
  const readPart = state.readPart.bind(state);
  state.readPart = async (path, from, to) => {
    const bytes = await readPart(path, from, to);
    spans.push(bytes?.length ?? 0);
    return bytes;
  };
  const reader = await new Past(state, pace).read();
  expect(Math.max(...spans)).toBeLessThan(1_200_000);
  spans.length = 0;
  expect((await reader.naming(wanted)).map(({ notes }) => notes[0]?.path)).toEqual(
    Array.from({ length: 12 }, (_, at) => `raw/${at * 700}.md`),
  );
  expect(await reader.naming('wiki/a/facts/2999.md')).toHaveLength(1);
  expect(spans.reduce((sum, span) => sum + span, 0)).toBeLessThan(600_000);
});

it('follows notes and texts through moves, and reads of a long log their lines alone', async () => {
  const hash = (name: string) => sha256(name);
  const line = (second: number, notes: readonly unknown[]) => ({
    ts: `2026-01-01T00:00:0${second}Z`,
    op: 'move',
    notes,
  });
  const story = [
    line(1, [['raw/a.md', null, hash('one')]]),
    line(2, [
      ['wiki/a.md', null, hash('one')],
      ['raw/a.md', hash('one'), null],
    ]),
    // By hand the note came to another place, where its text was changed.
    line(3, [['wiki/b.md', hash('one'), hash('two')]]),
  ];
  const others = Array.from({ length: 8000 }, (_, at) => line(4, [[`raw/${at}.md`, null, hash(`x${at}`)]]));
  const lines = [...others.slice(0, 4000), ...story, ...others.slice(4000)];
  const state = createMemoryState({ [HERE]: lines.map((each) => `${asciiJson(each)}\n`).join('') });
  let read = 0;
  const readPart = state.readPart.bind(state);
  state.readPart = async (path, from, to) => {
    const bytes = await readPart(path, from, to);
    read += bytes?.length ?? 0;
    return bytes;
  };
  const reader = await new Past(state, pace).read();
  read = 0;
  const paths = async (names: readonly string[], second: number) =>
    (await reader.around(names, `2026-01-01T00:00:0${second}Z`)).map(({ notes }) => notes[0]?.path);
  expect(await paths(['wiki/b.md'], 0)).toEqual(['raw/a.md', 'wiki/a.md', 'wiki/b.md']);
  expect(await paths([hash('two')], 3)).toEqual(['wiki/b.md']);
  expect(await paths(['wiki/none.md'], 0)).toEqual([]);
  expect(read).toBeLessThan(100_000);
  // Of no more changes than names it reads all.
  const many = Array.from({ length: 8001 }, (_, at) => `wiki/${at}.md`);
  expect(await paths(many, 3)).toHaveLength(8001);
});

it('takes a first line that names more notes than its table has places', async () => {
  const notes = Array.from({ length: 2_000 }, (_, at) => [
    `wiki/a/facts/${at}.md`,
    sha256(`${at}`),
    sha256(`new ${at}`),
  ]);
  const line = asciiJson({ ts: '2026-01-01T00:00:00Z', op: 'move', notes });
  const reader = await new Past(createMemoryState({ [HERE]: `${line}\n` }), pace).read();
  expect(await reader.naming(sha256('new 1999'))).toHaveLength(1);
  expect(await reader.naming('wiki/a/facts/2000.md')).toEqual([]);
});

it('reads a log again that could not be read', async () => {
  const line = asciiJson({
    ts: '2026-01-01T00:00:00Z',
    op: 'write',
    notes: [['raw/a.md', null, sha256('a')]],
  });
  const state = createMemoryState({ [HERE]: `${line}\n` });
  const { readPart } = state;
  state.readPart = () => Promise.reject(new Error('EIO'));
  const past = new Past(state, pace);
  await expect(past.read()).rejects.toThrow('EIO');
  state.readPart = readPart;
  expect(await (await past.read()).naming('raw/a.md')).toHaveLength(1);
});

it('shares a look among those who ask at once, and gives no answer from a log that was replaced since', async () => {
  const one = (at: number) =>
    `${asciiJson({ ts: '2026-01-01T00:00:00Z', op: 'write', notes: [[`raw/${at}.md`, null, sha256(`${at}`)]] })}\n`;
  const state = createMemoryState({ [HERE]: one(1) + one(2) });
  const past = new Past(state, pace);
  let looks = 0;
  const stats = state.stats.bind(state);
  state.stats = (folder) => {
    if (folder === 'past') looks += 1;
    return stats(folder);
  };
  await past.read();
  await Promise.all(Array.from({ length: 9 }, () => past.read()));
  expect(looks).toBe(2);
  const reader = await past.read();
  state.files.set(HERE, one(3));
  await expect(reader.naming('raw/2.md')).rejects.toMatchObject({ code: 'busy' });
  expect(await (await past.read()).naming('raw/3.md')).toHaveLength(1);
});

it('notices that a line in the middle of a log was replaced by one of its length', async () => {
  const line = (name: string): string =>
    `${asciiJson({ ts: '2026-01-01T00:00:00Z', op: 'write', notes: [[`raw/${name}.md`, null, null]] })}\n`;
  const state = createMemoryState({ [HERE]: line('a') + line('b') + line('c') });
  const past = new Past(state, pace);
  const { edition } = await past.read();
  state.files.set(HERE, line('a') + line('x') + line('c'));
  const reader = await past.read();
  expect(await reader.naming('raw/x.md')).toHaveLength(1);
  expect(reader.countOf('raw/b.md')).toBe(0);
  expect(reader.edition).not.toBe(edition);
});
