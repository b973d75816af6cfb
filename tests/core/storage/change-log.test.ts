import * as fc from 'fast-check';
import { sha256 } from '../../../src/core/base/hash';
import { asciiJson } from '../../../src/core/base/json';
import { changesSince, comparePlaces, searchableLog } from '../../../src/core/storage/change-log';
import { createMemoryState } from '../../support/memory-state';

const pace = { run: async <T>(work: () => T): Promise<T> => work() };
const HASHES = ['a', 'b', 'c'].map((text) => sha256(text));
const NAMES = ['wiki/net/facts/mtu.md', 'wiki/net/facts/größe "x".md', 'raw/東京.md', 'mtu.md'];

it('finds every change that names a hash or a path, in the order of the whole log, whatever stands between', async () => {
  const hash = fc.constantFrom(...HASHES, null);
  const change = fc.record({
    ts: fc.constantFrom('2026-01-01T00:00:00Z', '2026-01-01T00:00:01Z', '2026-02-01T00:00:00Z'),
    op: fc.constant('update'),
    notes: fc.array(fc.tuple(fc.constantFrom(...NAMES), hash, hash), { maxLength: 3 }),
  });
  const torn = fc.constantFrom('', '{"ts":"2026-01-01T00:00:00Z","op":"up', `{"notes":[["${NAMES[0]}"`);
  const line = fc.oneof({ weight: 5, arbitrary: change.map((each) => asciiJson(each)) }, torn);
  const log = fc.array(line, { maxLength: 12 }).map((lines) => lines.join('\n'));
  await fc.assert(
    fc.asyncProperty(log, log, async (here, there) => {
      const state = createMemoryState({
        'changes/2026-01.here.jsonl': here,
        'changes/2026-01.there.jsonl': there,
        'changes/other.txt': here,
      });
      const all = await changesSince(state, '');
      const naming = await searchableLog(state, pace);
      for (const name of [...HASHES, ...NAMES]) {
        const found = await naming(name);
        const named = all.filter(({ notes }) =>
          notes.some((note) => [note.path, note.before, note.after].some((value) => value === name)),
        );
        expect(found.map(({ place: _, ...each }) => each)).toEqual(named);
        expect(found).toEqual(found.toSorted(comparePlaces));
      }
    }),
  );
});

it('looks through a long log in pieces, each line whole', async () => {
  const [hash = ''] = HASHES;
  const line = (at: number) =>
    asciiJson({
      ts: '2026-01-01T00:00:00Z',
      op: 'write',
      notes: [[`raw/${at}.md`, null, at % 7 === 0 ? hash : null]],
    });
  const text = Array.from({ length: 8000 }, (_, at) => line(at)).join('\n');
  expect(text.length).toBeGreaterThan(500_000);
  const state = createMemoryState({ 'changes/2026-01.here.jsonl': text });
  let pieces = 0;
  const naming = await searchableLog(state, {
    run: (work) => {
      pieces += 1;
      return pace.run(work);
    },
  });
  expect((await naming(hash)).map(({ notes }) => notes[0]?.path)).toEqual(
    Array.from({ length: Math.ceil(8000 / 7) }, (_, at) => `raw/${at * 7}.md`),
  );
  expect(pieces).toBeGreaterThan(1);
  expect(await naming('raw/7999.md')).toHaveLength(1);
});
