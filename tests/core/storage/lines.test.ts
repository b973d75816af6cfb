import * as fc from 'fast-check';
import { isRecord } from '../../../src/core/base/json';
import { appendLines, valuesOf } from '../../../src/core/storage/lines';
import { createMemoryState } from '../../support/memory-state';

const FILE = 'log/laptop.jsonl';
const textIn = (value: unknown): string | null =>
  isRecord(value) && typeof value.text === 'string' ? value.text : null;

it('gives back, in ASCII, every value of an append that succeeded, wherever those before it were cut', async () => {
  const texts = fc.array(fc.string({ unit: 'grapheme' }), { maxLength: 3 });
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(texts, fc.option(fc.nat(60)))), async (appends) => {
      const state = createMemoryState();
      const whole: string[] = [];
      for (const [at, [own, cut]] of appends.entries()) {
        const before = state.files.get(FILE) ?? '';
        const marked = own.map((text) => `${at} ${text}`);
        const added = await appendLines(
          state,
          FILE,
          marked.map((text) => ({ text })),
          false,
        );
        const now = state.files.get(FILE) ?? '';
        expect(now.length).toBe(before.length + added);
        expect(now).toMatch(/^[\n -~]*$/);
        if (cut === null) whole.push(...marked);
        else state.files.set(FILE, now.slice(0, before.length + Math.min(cut, added)));
      }
      const read = valuesOf(state.files.get(FILE) ?? null, textIn);
      const isCut = (text: string): boolean => appends[Number(text.split(' ')[0])]?.[1] !== null;
      expect(read.filter((text) => !isCut(text))).toEqual(whole);
    }),
  );
});

it('passes over lines that are torn, empty or of somebody else', () => {
  const text = '\uFEFF{"text":"a"}\r\n\n{"text":"b"}\n{"other":1}\n{"te';
  expect(valuesOf(text, textIn)).toEqual(['a', 'b']);
});

it('appends long lines in pieces, of which only the last is synced', async () => {
  const state = createMemoryState();
  const appends: [length: number, sync: boolean][] = [];
  const append = async (path: string, text: string, sync: boolean): Promise<void> => {
    appends.push([text.length, sync]);
    await state.append(path, text, sync);
  };
  const value = { text: 'ö'.repeat(40_000) };
  await appendLines({ append }, FILE, [value], true);
  expect(appends.map(([, sync]) => sync)).toEqual([false, true]);
  expect(valuesOf(state.files.get(FILE) ?? null, textIn)).toEqual([value.text]);
});
