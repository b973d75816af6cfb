import path from 'node:path';
import { type LayoutFiles, makeLayout } from '../../../src/headless/server/layout';

const ROOT = path.resolve('/vault');

/** A disk with folders in one vault, which folds case or does not. `made` collects what is made on it. */
function disk(names: readonly string[], isFolding: boolean, rootExists = true) {
  const held = new Map<string, string>();
  const keyOf = (name: string): string => (isFolding ? name.toLowerCase() : name);
  for (const name of names) held.set(keyOf(name), name);
  let exists = rootExists;
  const missing = () => Object.assign(new Error('ENOENT'), { code: 'ENOENT' });
  const made: string[] = [];
  const files: LayoutFiles = {
    mkdir: async (at) => {
      exists = true;
      const name = path.basename(at);
      if (held.has(keyOf(name))) return undefined;
      held.set(keyOf(name), name);
      made.push(name);
      return at;
    },
    readdir: async () => {
      if (!exists) throw missing();
      return [...held.values()];
    },
    stat: async (at) => {
      if (!held.has(keyOf(path.basename(at)))) throw missing();
      return {};
    },
  };
  return { files, made };
}

const ALL = ['wiki', 'knowledge', 'raw', 'inbox', 'sessions'];

it.each([
  ['Inbox', 'inbox'],
  ['Raw', 'raw'],
  ['WIKI', 'wiki'],
  ['Knowledge', 'knowledge'],
  ['Sessions', 'sessions'],
])('refuses %s on a disk that folds case, before anything is made', async (name, of) => {
  const { files, made } = disk(['Notes', name], true);
  await expect(makeLayout(ROOT, files)).rejects.toThrow(
    `This disk takes the folder ${name} in ${ROOT} for ${of}, a folder of the service, and nothing was made. If it holds notes of yours, rename it in your app, to "My ${name}" for example: the links follow, and its notes stay yours. If the service may use it, rename it to ${of}.`,
  );
  expect(made).toEqual([]);
});

it('says of the inbox that the setting of its place does not help', async () => {
  const { files } = disk(['Inbox'], true);
  await expect(makeLayout(ROOT, files)).rejects.toThrow(/BRAIN_WATCH_DIR does not replace it/);
});

it.each([
  ['folds case', true, ALL],
  ['tells case apart', false, ['wiki', 'raw']],
])('makes what is missing on a disk that %s', async (_, isFolding, names) => {
  const { files, made } = disk(['Notes', ...names], isFolding);
  const missing = ALL.filter((name) => !names.includes(name));
  expect(await makeLayout(ROOT, files)).toEqual(missing);
  expect(made).toEqual(missing);
});

it('makes its folders beside those in another case on a disk that tells them apart', async () => {
  const { files } = disk(['Inbox', 'WIKI', 'ｒａｗ'], false);
  expect(await makeLayout(ROOT, files)).toEqual(ALL);
});

it('sees past a name that only looks like one of its folders to one that the disk folds', async () => {
  const { files, made } = disk(['ｗｉｋｉ', 'Sessions'], true);
  await expect(makeLayout(ROOT, files)).rejects.toThrow('takes the folder Sessions');
  expect(made).toEqual([]);
});

it('makes a vault where there is no folder yet', async () => {
  expect(await makeLayout(ROOT, disk([], true, false).files)).toEqual(ALL);
});
