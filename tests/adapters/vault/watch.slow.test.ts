import {
  chmodSync,
  mkdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { randomFrom } from '../../../bench/support';
import { DelayedRecheck, watchVault } from '../../../src/adapters/vault/watch';
import type { VaultChange } from '../../../src/core/ports/ports';
import { vaultPath } from '../../../src/core/vocabulary/paths';
import { openVault } from '../../support/node-vault-subject';
import { silentLog } from '../../support/silent-log';
import { notOn } from '../../support/systems';
import { withTempFolder } from '../../support/temp-folder';

const links = notOn(['win32'], 'a link needs a right there that most users do not have');
const openFolders = notOn(['win32'], 'a folder that is watched cannot be taken away whole');

/** Nothing but these folders is watched. */
const unwatched = (at: string): boolean => !['inbox', 'wiki'].includes(at.split('/')[0] ?? '');

/** Runs `work` on a watched folder with an empty inbox; `heard` tells whether a file was told of. */
async function watched(
  work: (root: string, heard: (file: string) => boolean) => Promise<void>,
): Promise<void> {
  await withTempFolder(async (root) => {
    mkdirSync(path.join(root, 'inbox'));
    const told = new Set<string>();
    const watch = watchVault(
      root,
      (change: VaultChange) => change.kind === 'changed' && told.add(change.path),
      silentLog(),
      { unwatched },
    );
    await watch.ready;
    try {
      await work(root, (file) => told.has(file));
    } finally {
      await watch.close();
    }
  });
}

it('tells of every file of a folder that is made and filled at once, however deep', () =>
  watched(async (root, heard) => {
    const random = randomFrom(3);
    const made: string[] = [];
    for (let round = 0; round < 60; round += 1) {
      const folder = round % 3 === 0 ? `inbox/d${round}/e/f` : `inbox/d${round}`;
      const parts = folder.split('/');
      for (let depth = 2; depth <= parts.length; depth += 1) {
        mkdirSync(path.join(root, ...parts.slice(0, depth)));
        const turns = Math.floor(random() * 30);
        for (let turn = 0; turn < turns; turn += 1) await setImmediate();
        const file = [...parts.slice(0, depth), 'note.txt'].join('/');
        writeFileSync(path.join(root, file), 'x');
        made.push(file);
      }
    }
    // The test's own time limit ends the wait.
    while (!made.every(heard)) await setTimeout(20);
  }));

it('goes on watching a folder that was made and filled at once', () =>
  watched(async (root, heard) => {
    for (let round = 0; round < 20; round += 1)
      mkdirSync(path.join(root, `inbox/a${round}/b/c`), { recursive: true });
    const first = Array.from({ length: 20 }, (_, round) => `inbox/a${round}/b/c/first.txt`);
    for (const file of first) writeFileSync(path.join(root, file), 'x');
    while (!first.every(heard)) await setTimeout(20);
    // The last look of its own, after which only the library tells.
    await setTimeout(2500);
    const second = first.map((file) => file.replace('first', 'second'));
    for (const file of second) writeFileSync(path.join(root, file), 'x');
    while (!second.every(heard)) await setTimeout(20);
  }));

it('passes over what is hidden, and folders that are none of its business', () =>
  watched(async (root, heard) => {
    for (const folder of ['inbox/.git/x', 'other/x', 'inbox/seen']) {
      mkdirSync(path.join(root, folder), { recursive: true });
      writeFileSync(path.join(root, folder, 'a.txt'), 'x');
    }
    while (!heard('inbox/seen/a.txt')) await setTimeout(20);
    expect([heard('inbox/.git/x/a.txt'), heard('other/x/a.txt')]).toEqual([false, false]);
  }));

/** Runs `work` with a folder of three notes, one of them deeper; `told` is what was told since, as `removed inbox/a.txt`. */
async function withNotes(work: (root: string, told: Set<string>) => Promise<void>): Promise<void> {
  await withTempFolder(async (root) => {
    mkdirSync(path.join(root, 'inbox/old/deep'), { recursive: true });
    for (const file of ['old/a.txt', 'old/b.txt', 'old/deep/c.txt'])
      writeFileSync(path.join(root, 'inbox', file), 'x');
    const told = new Set<string>();
    const watch = watchVault(root, ({ kind, path: at }) => told.add(`${kind} ${at}`), silentLog(), {
      unwatched,
    });
    await watch.ready;
    try {
      await work(root, told);
    } finally {
      await watch.close();
    }
  });
}

const NOTES = ['a.txt', 'b.txt', 'deep/c.txt'];

it('tells of every file of a folder that is moved, and of what happens in it afterwards', () =>
  withNotes(async (root, told) => {
    renameSync(path.join(root, 'inbox/old'), path.join(root, 'inbox/new'));
    const expected = NOTES.flatMap((file) => [`removed inbox/old/${file}`, `changed inbox/new/${file}`]);
    while (!expected.every((change) => told.has(change))) await setTimeout(20);
    told.clear();
    writeFileSync(path.join(root, 'inbox/new/deep/d.txt'), 'x');
    while (!told.has('changed inbox/new/deep/d.txt')) await setTimeout(20);
    expect([...told].filter((change) => change.includes('old'))).toEqual([]);
  }));

it('tells of the files of a folder that is taken away, and sees the one that takes its place', () =>
  withNotes(async (root, told) => {
    rmSync(path.join(root, 'inbox/old'), { recursive: true });
    while (!NOTES.every((file) => told.has(`removed inbox/old/${file}`))) await setTimeout(20);
    mkdirSync(path.join(root, 'inbox/old/deep'), { recursive: true });
    writeFileSync(path.join(root, 'inbox/old/deep/c.txt'), 'again');
    while (!told.has('changed inbox/old/deep/c.txt')) await setTimeout(20);
    told.clear();
    writeFileSync(path.join(root, 'inbox/old/deep/c.txt'), 'and again');
    while (!told.has('changed inbox/old/deep/c.txt')) await setTimeout(20);
  }));

links.it('tells of the file that changes and of no other in its folder, and follows no link', () =>
  withNotes(async (root, told) => {
    mkdirSync(path.join(root, 'elsewhere'));
    symlinkSync(path.join(root, 'elsewhere'), path.join(root, 'inbox/link'));
    writeFileSync(path.join(root, 'elsewhere/secret.txt'), 'x');
    writeFileSync(path.join(root, 'inbox/old/a.txt'), 'changed');
    while (!told.has('changed inbox/old/a.txt')) await setTimeout(20);
    expect([...told].filter((change) => !change.endsWith('inbox/link')).sort()).toEqual([
      'changed inbox/old/a.txt',
    ]);
  }),
);

it('tells that a file is gone in whose place a folder is made at once', () =>
  withNotes(async (root, told) => {
    for (const name of ['a.txt', 'b.txt']) {
      rmSync(path.join(root, 'inbox/old', name));
      mkdirSync(path.join(root, 'inbox/old', name));
    }
    writeFileSync(path.join(root, 'inbox/old/b.txt/d.txt'), 'x');
    const expected = ['removed inbox/old/a.txt', 'removed inbox/old/b.txt', 'changed inbox/old/b.txt/d.txt'];
    while (!expected.every((change) => told.has(change))) await setTimeout(20);
  }));

it('goes on watching a folder that was made in place of a file, and the folders in it, each time', () =>
  withNotes(async (root, told) => {
    const folder = path.join(root, 'inbox/old/a.txt');
    for (let round = 0; round < 2; round += 1) {
      rmSync(folder);
      mkdirSync(path.join(folder, 'early'), { recursive: true });
      while (!told.has('removed inbox/old/a.txt')) await setTimeout(20);
      mkdirSync(path.join(folder, 'sub'));
      // The last look of its own, after which only the library tells.
      await setTimeout(3000);
      told.clear();
      mkdirSync(path.join(folder, 'new'));
      const late = ['late.txt', 'early/late.txt', 'sub/late.txt', 'new/late.txt'];
      for (const file of late) writeFileSync(path.join(folder, file), 'x');
      const expected = late.map((file) => `changed inbox/old/a.txt/${file}`).sort();
      while (!expected.every((change) => told.has(change))) await setTimeout(20);
      expect([...told].sort()).toEqual(expected);
      rmSync(folder, { recursive: true });
      const gone = expected.map((change) => change.replace('changed', 'removed'));
      while (!gone.every((change) => told.has(change))) await setTimeout(20);
      writeFileSync(folder, 'x');
      while (!told.has('changed inbox/old/a.txt')) await setTimeout(20);
      told.clear();
    }
  }));

it('tells that a file is gone when the folder made in its place is gone soon as well', () =>
  withNotes(async (root, told) => {
    const folder = path.join(root, 'inbox/old/a.txt');
    rmSync(folder);
    mkdirSync(folder);
    // Long enough for the library to have seen the folder, and too short for the second look at it.
    await setTimeout(100);
    rmdirSync(folder);
    while (!told.has('removed inbox/old/a.txt')) await setTimeout(20);
  }));

it('sees a folder in place of a file that stood where a folder was', () =>
  withNotes(async (root, told) => {
    const place = path.join(root, 'inbox/old/deep');
    rmSync(place, { recursive: true });
    writeFileSync(place, 'x');
    while (!told.has('changed inbox/old/deep')) await setTimeout(20);
    await setTimeout(500);
    told.clear();
    rmSync(place);
    mkdirSync(place);
    writeFileSync(path.join(place, 'd.txt'), 'x');
    const expected = ['removed inbox/old/deep', 'changed inbox/old/deep/d.txt'];
    while (!expected.every((change) => told.has(change))) await setTimeout(20);
  }));

it('tells nothing of a folder whose time or rights change', () =>
  withNotes(async (root, told) => {
    mkdirSync(path.join(root, 'inbox/later/deep'), { recursive: true });
    writeFileSync(path.join(root, 'inbox/later/deep/d.txt'), 'x');
    while (!told.has('changed inbox/later/deep/d.txt')) await setTimeout(20);
    // Until the looks into the new folder are over.
    await setTimeout(3000);
    told.clear();
    for (const folder of ['.', 'inbox', 'inbox/old', 'inbox/old/deep', 'inbox/later', 'inbox/later/deep']) {
      utimesSync(path.join(root, folder), new Date(), new Date());
      chmodSync(path.join(root, folder), 0o700);
    }
    // Longer than the second look at a name that the library says nothing of, and the first into a new folder.
    await setTimeout(1000);
    expect([...told]).toEqual([]);
  }));

it('sees a top folder that is made later', () =>
  withNotes(async (root, told) => {
    mkdirSync(path.join(root, 'wiki/net/facts'), { recursive: true });
    writeFileSync(path.join(root, 'wiki/net/facts/mtu.md'), 'x');
    while (!told.has('changed wiki/net/facts/mtu.md')) await setTimeout(20);
  }));

openFolders.it(
  'tells of what the vault holds when its own folder was gone for a while, and of nothing outside it',
  () =>
    withNotes(async (root, told) => {
      rmSync(root, { recursive: true });
      while (!NOTES.every((file) => told.has(`removed inbox/old/${file}`))) await setTimeout(20);
      // Longer than the second look at a folder that the library says nothing of.
      await setTimeout(500);
      expect([...told].sort()).toEqual(NOTES.map((file) => `removed inbox/old/${file}`));
      mkdirSync(path.join(root, 'inbox'), { recursive: true });
      writeFileSync(path.join(root, 'inbox/a.txt'), 'x');
      while (!told.has('changed inbox/a.txt')) await setTimeout(20);
    }),
);

it('tells of a note that another program takes away before the watch can have seen it', () =>
  withTempFolder(async (root) => {
    const device = '0badcafe';
    const vault = await openVault(root, { device, watch: silentLog() });
    try {
      await vault.watching;
      const told = new Set<string>();
      vault.changes(({ path: at }) => told.add(at));
      for (const name of ['one', 'two']) await vault.create(vaultPath(`wiki/net/facts/${name}.md`), name);
      renameSync(path.join(root, 'wiki/net'), path.join(root, 'wiki/network'));
      const expected = ['net', 'network'].flatMap((wing) =>
        ['one', 'two'].map((name) => `wiki/${wing}/facts/${name}.md`),
      );
      // The test's own time limit ends the wait.
      while (!expected.every((at) => told.has(at))) await setTimeout(20);
    } finally {
      await vault.close();
    }
  }));

it('tells of each file once, some time after it was written last', async () => {
  const told: string[] = [];
  const again = new DelayedRecheck<string>(6_000, (at) => told.push(at));
  const [a, b] = [vaultPath('raw/a.md'), vaultPath('raw/b.md')];
  again.add(a);
  again.add(b);
  await setTimeout(500);
  again.add(a);
  await setTimeout(1000);
  expect(told).toEqual([]);
  while (told.length < 2) await setTimeout(20);
  expect(told).toEqual([b, a]);
  again.add(a);
  again.close();
  await setTimeout(6_500);
  expect(told).toEqual([b, a]);
}, 40_000);
