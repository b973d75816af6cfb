import { TFile } from 'obsidian';
import { readText } from '../../../src/adapters/obsidian/vault';
import { MAX_NOTE_BYTES } from '../../../src/core/vocabulary/limits';
import { withMemoryApp } from '../../support/obsidian-subject';

const A = 'wiki/home/facts/a.md';

it.each([
  ['asks the app for none of a note whose size says that it is too large', MAX_NOTE_BYTES + 1, 1, 0],
  ['keeps nothing of one that has grown meanwhile', 1, MAX_NOTE_BYTES + 1, 1],
])('%s', (_, told, held, asked) =>
  withMemoryApp({ [A]: 'a' }, async ({ host }) => {
    const file = host.app.vault.getAbstractFileByPath(A);
    if (!(file instanceof TFile)) throw new Error('The note is not there.');
    file.stat.size = told;
    let reads = 0;
    const read = async (): Promise<ArrayBuffer> => {
      reads += 1;
      return new ArrayBuffer(held);
    };
    await expect(readText(file, read)).rejects.toMatchObject({ code: 'unsupported_type' });
    expect(reads).toBe(asked);
  }),
);
