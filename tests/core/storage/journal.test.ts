import * as fc from 'fast-check';
import { Journal, journalPath, openRecords } from '../../../src/core/storage/journal';
import type { Plan } from '../../../src/core/storage/plan';
import { vaultPath } from '../../../src/core/vocabulary/paths';
import { fixedClock } from '../../support/fixed-clock';
import { createMemoryState } from '../../support/memory-state';

const FILE = journalPath('test');

function planOf(op: string, text = 'text'): Plan {
  return { op, steps: [{ kind: 'create', path: vaultPath(`wiki/a/facts/${op}.md`), text }] };
}

function setUp() {
  const state = createMemoryState();
  const journal = new Journal({ state, clock: fixedClock(), device: 'test' });
  const text = (): string => state.files.get(FILE) ?? '';
  return { state, journal, text, open: () => openRecords(text()).map((record) => record.op) };
}

describe('journal', () => {
  it('holds what was begun until it is done', async () => {
    const { journal, open } = setUp();
    const first = await journal.begin(planOf('first'), []);
    const second = await journal.begin(planOf('second'), ['wiki']);
    expect(open()).toEqual(['first', 'second']);
    await journal.done(first);
    expect(open()).toEqual(['second']);
    await journal.done(second);
    expect(open()).toEqual([]);
  });

  it('says how much of a plan is being taken back', async () => {
    const { journal, text } = setUp();
    const id = await journal.begin(planOf('first'), []);
    await journal.undoing(id, 1);
    expect(openRecords(text())).toEqual([{ ...planOf('first'), id, folders: [], undo: 1 }]);
  });

  it('takes a line that was torn off for an announcement that never was, and goes on behind it', async () => {
    const { state, journal, text, open } = setUp();
    await journal.begin(planOf('first'), []);
    const whole = text();
    await journal.begin(planOf('second'), []);
    const torn = text().slice(0, -20);
    expect(openRecords(torn).map((record) => record.op)).toEqual(['first']);
    expect(torn.length).toBeGreaterThan(whole.length);
    state.files.set(FILE, torn);
    await journal.begin(planOf('third'), []);
    expect(open()).toEqual(['first', 'third']);
  });

  it('stays text wherever it is cut, whatever the notes hold', async () => {
    const { journal, text } = setUp();
    const id = await journal.begin(planOf('first', 'neu ß 東京 𠮷 \u2028'), []);
    expect(text()).toMatch(/^[\0-\x7f]*$/);
    expect(openRecords(text())).toEqual([
      { ...planOf('first', 'neu ß 東京 𠮷 \u2028'), id, folders: [], undo: null },
    ]);
  });

  it('writes a long plan a part at a time, durable with the last', async () => {
    const { state, journal, text } = setUp();
    const parts: { readonly length: number; readonly sync: boolean }[] = [];
    const { append } = state;
    state.append = (path, part, sync) => {
      parts.push({ length: part.length, sync });
      return append(path, part, sync);
    };
    const long = planOf('long', '東京'.repeat(100_000));
    const id = await journal.begin(long, []);
    expect(Math.max(...parts.map(({ length }) => length))).toBeLessThan(200_000);
    expect(parts.map(({ sync }) => sync)).toEqual(parts.map((_, at) => at === parts.length - 1));
    expect(openRecords(text())).toEqual([{ ...long, id, folders: [], undo: null }]);
    expect(openRecords(text().slice(0, -2))).toEqual([]);
  });

  it('cut anywhere, names exactly the plans whose line is whole', async () => {
    const { journal, text } = setUp();
    const ends: number[] = [];
    for (const op of ['a', 'b', 'c']) {
      await journal.begin(planOf(op, 'Zeile\n"ß"'), []);
      ends.push(text().trimEnd().length);
    }
    fc.assert(
      fc.property(fc.nat(text().length), (cut) => {
        expect(openRecords(text().slice(0, cut))).toHaveLength(ends.filter((end) => end <= cut).length);
      }),
      { numRuns: 1000 },
    );
  });

  it('says later what it could not say at once', async () => {
    const { state, journal, open } = setUp();
    const { append } = state;
    const id = await journal.begin(planOf('first'), []);
    state.append = () => Promise.reject(new Error('ENOSPC'));
    await expect(journal.done(id)).rejects.toThrow('ENOSPC');
    state.append = append;
    expect(open()).toEqual(['first']);
    await journal.begin(planOf('second'), []);
    expect(open()).toEqual(['second']);
  });

  it('does not leave a plan announced whose announcement failed after it was written', async () => {
    const { state, journal, open } = setUp();
    const { append } = state;
    state.append = async (...line) => {
      await append(...line);
      throw new Error('EIO in fsync');
    };
    await expect(journal.begin(planOf('first'), [])).rejects.toThrow('EIO');
    state.append = append;
    await journal.begin(planOf('second'), []);
    expect(open()).toEqual(['second']);
  });

  it('is emptied when it has grown large and nothing in it is unfinished', async () => {
    const { journal, text, open } = setUp();
    const large = planOf('large', 'x'.repeat(1024 * 1024));
    const waiting = await journal.begin(planOf('waiting'), []);
    await journal.done(await journal.begin(large, []));
    expect(open()).toEqual(['waiting']);
    await journal.done(waiting);
    expect(text()).toBe('');
  });

  it.each([
    '',
    '\n\n',
    'null',
    '{}',
    '{"id":1}',
    '{"id":"1","op":"x","steps":[{"kind":"move"}],"folders":[]}',
    '{"undo":"7","steps":1}',
  ])('finds nothing in %j', (text) => {
    expect(openRecords(text)).toEqual([]);
  });
});
