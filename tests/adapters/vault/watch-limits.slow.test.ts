import { EventEmitter } from 'node:events';
import {
  type FSWatcher,
  mkdirSync,
  promises,
  renameSync,
  rmSync,
  utimesSync,
  watch,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { type WatchOptions, watchVault } from '../../../src/adapters/vault/watch';
import type { VaultChange } from '../../../src/core/ports/ports';
import { notOn } from '../../support/systems';
import { withTempFolder } from '../../support/temp-folder';

const inotify = notOn(['win32', 'darwin'], 'one watch covers the whole vault there');

/** A log that keeps its events, and their messages. */
function keptLog() {
  const lines: { event: string; message: string }[] = [];
  return {
    lines,
    warn: (event: string, fields?: Readonly<Record<string, unknown>>) =>
      lines.push({ event, message: String(fields?.message) }),
  };
}

type Told = Set<string>;

/** Runs `work` on a watched folder with a note in `wiki/net`; `told` has entries such as `removed wiki/net/a.md`. */
async function watched(
  options: WatchOptions,
  work: (root: string, told: Told, log: ReturnType<typeof keptLog>) => Promise<void>,
): Promise<void> {
  await withTempFolder(async (root) => {
    mkdirSync(path.join(root, 'wiki/net'), { recursive: true });
    writeFileSync(path.join(root, 'wiki/net/a.md'), 'x');
    const told: Told = new Set();
    const log = keptLog();
    const running = watchVault(root, ({ kind, path: at }) => told.add(`${kind} ${at}`), log, options);
    await running.ready;
    try {
      await work(root, told, log);
    } finally {
      await running.close();
    }
  });
}

/** Waits until everything in `expected` was told; the test's own time limit ends the wait. */
async function until(told: Told, ...expected: readonly string[]): Promise<void> {
  while (!expected.every((change) => told.has(change))) await setTimeout(20);
}

function refusal(code: string): Error {
  return Object.assign(new Error(`${code}: watch`), { code });
}

describe('a system that has no watch left', () => {
  it.each([
    ['ENOSPC', 'fs.inotify.max_user_watches'],
    ['EMFILE', 'fs.inotify.max_user_instances'],
    ['EIO', 'the drive'],
  ])('has the folders read every few seconds (%s), which the log says once', (code, words) => {
    const watchFolder = (() => {
      throw refusal(code);
    }) as typeof watch; // Only the call that the watcher makes.
    return watched({ watchFolder, pollMs: 30 }, async (root, told, { lines }) => {
      writeFileSync(path.join(root, 'wiki/net/a.md'), 'changed');
      mkdirSync(path.join(root, 'wiki/net/new'));
      writeFileSync(path.join(root, 'wiki/net/new/b.md'), 'x');
      await until(told, 'changed wiki/net/a.md', 'changed wiki/net/new/b.md');
      writeFileSync(path.join(root, 'wiki/net/new/b.md'), 'changed');
      rmSync(path.join(root, 'wiki/net/a.md'));
      told.clear();
      await until(told, 'changed wiki/net/new/b.md', 'removed wiki/net/a.md');
      rmSync(path.join(root, 'wiki/net/new'), { recursive: true });
      await until(told, 'removed wiki/net/new/b.md');
      expect(lines.map(({ event }) => event)).toEqual(['watch.limit']);
      expect(lines[0]?.message).toContain(words);
    });
  });

  inotify.it('watches again when there is one, and loses nothing in between', () => {
    let refuses = true;
    const opened: string[] = [];
    const watchFolder = ((folder: string, options: object) => {
      if (refuses && folder.endsWith('net')) throw refusal('ENOSPC');
      opened.push(path.basename(folder));
      return watch(folder, options);
    }) as typeof watch; // Only the call that the watcher makes.
    return watched({ watchFolder, pollMs: 200 }, async (root, told) => {
      expect(opened).not.toContain('net');
      refuses = false;
      writeFileSync(path.join(root, 'wiki/net/a.md'), 'changed');
      await until(told, 'changed wiki/net/a.md');
      while (!opened.includes('net')) await setTimeout(20);
      writeFileSync(path.join(root, 'wiki/net/b.md'), 'x');
      await until(told, 'changed wiki/net/b.md');
    });
  });

  it('does so as well when a watch ends with an error', () => {
    const watchers: EventEmitter[] = [];
    const watchFolder = (() => {
      const watcher = Object.assign(new EventEmitter(), { close: () => undefined });
      watchers.push(watcher);
      return watcher as Partial<FSWatcher> as FSWatcher; // What the watcher uses of it.
    }) as typeof watch; // Only the call that the watcher makes.
    return watched({ watchFolder, pollMs: 30 }, async (root, told, { lines }) => {
      for (const watcher of watchers.splice(0)) watcher.emit('error', refusal('EPERM'));
      writeFileSync(path.join(root, 'wiki/net/b.md'), 'x');
      await until(told, 'changed wiki/net/b.md');
      expect(lines.map(({ event }) => event)).toEqual(['watch.limit']);
    });
  });
});

inotify.it('tells of every file when so many change at once that the system drops events', () =>
  watched({}, async (root, told) => {
    const folders = Array.from({ length: 4 }, (_, index) => `wiki/net/d${index}`);
    for (const folder of folders) mkdirSync(path.join(root, folder));
    for (const folder of folders) writeFileSync(path.join(root, folder, 'first.md'), 'x');
    await until(told, ...folders.map((folder) => `changed ${folder}/first.md`));
    const many = folders.flatMap((folder) =>
      Array.from({ length: 2_500 }, (_, index) => `${folder}/n${index}.md`),
    );
    // Each gives two events, and none is read before the last of them is written.
    for (const file of many) writeFileSync(path.join(root, file), 'x');
    await until(told, ...many.map((file) => `changed ${file}`));
  }),
);

it('reads no folder that is left out, also one that is made later', () => {
  const asked: string[] = [];
  const unwatched = (at: string): boolean => {
    asked.push(at);
    return at.split('/').includes('node_modules');
  };
  return watched({ unwatched }, async (root, told) => {
    for (const folder of ['code/node_modules/x', '.git/objects', 'code/own']) {
      mkdirSync(path.join(root, folder), { recursive: true });
      writeFileSync(path.join(root, folder, 'n.md'), 'x');
    }
    await until(told, 'changed code/own/n.md');
    writeFileSync(path.join(root, 'code/node_modules/x/n.md'), 'y');
    writeFileSync(path.join(root, 'code/own/n.md'), 'y');
    told.clear();
    await until(told, 'changed code/own/n.md');
    expect([...told].filter((change) => /node_modules|\.git/.test(change))).toEqual([]);
    expect(asked.filter((at) => /node_modules\/|\.git/.test(at))).toEqual([]);
  });
});

it('tells nothing of a file that nobody has changed when the system has lost events', () =>
  withTempFolder(async (root) => {
    for (const name of ['a.md', 'b.md', 'c.md']) writeFileSync(path.join(root, name), 'x');
    // Longer than a file system may take for one tick of its clock.
    await setTimeout(2_500);
    let events = new EventEmitter();
    const watchFolder = (() => {
      events = Object.assign(new EventEmitter(), { close: () => undefined });
      return events as Partial<FSWatcher> as FSWatcher; // What the watcher uses of it.
    }) as typeof watch; // Only the call that the watcher makes.
    const told: Told = new Set();
    const tell = ({ kind, path: at }: VaultChange): unknown => told.add(`${kind} ${at}`);
    const running = watchVault(root, tell, keptLog(), { recursive: true, watchFolder });
    await running.ready;
    try {
      // An older file takes the place of one: its own time is no evidence.
      writeFileSync(path.join(root, 'old'), 'y');
      utimesSync(path.join(root, 'old'), 1_000_000, 1_000_000);
      renameSync(path.join(root, 'old'), path.join(root, 'b.md'));
      writeFileSync(path.join(root, 'd.md'), 'x');
      events.emit('change', 'rename', null);
      await until(told, 'changed b.md', 'changed d.md');
      expect([...told].sort()).toEqual(['changed b.md', 'changed d.md']);
    } finally {
      await running.close();
    }
  }));

it.each([true, false])(
  'reads a folder that another one has replaced when the system has lost events (one watch: %s)',
  (recursive) =>
    withTempFolder(async (root) => {
      for (const name of ['wiki/net', 'other/deep']) mkdirSync(path.join(root, name), { recursive: true });
      writeFileSync(path.join(root, 'wiki/net/a.md'), 'old');
      writeFileSync(path.join(root, 'wiki/net/gone.md'), 'old');
      writeFileSync(path.join(root, 'other/a.md'), 'new');
      writeFileSync(path.join(root, 'other/deep/b.md'), 'new');
      // Longer than a file system may take for one tick of its clock: the times of the files are no evidence.
      await setTimeout(2_500);
      const opened: EventEmitter[] = [];
      const watchFolder = (() => {
        const events = Object.assign(new EventEmitter(), { close: () => undefined });
        opened.push(events);
        return events as Partial<FSWatcher> as FSWatcher; // What the watcher uses of it.
      }) as typeof watch; // Only the call that the watcher makes.
      const told: Told = new Set();
      const tell = ({ kind, path: at }: VaultChange): unknown => told.add(`${kind} ${at}`);
      const running = watchVault(root, tell, keptLog(), { recursive, watchFolder });
      await running.ready;
      try {
        renameSync(path.join(root, 'wiki/net'), path.join(root, 'elsewhere'));
        renameSync(path.join(root, 'other'), path.join(root, 'wiki/net'));
        const before = opened.length;
        opened[0]?.emit('change', 'rename', null);
        await until(told, 'changed wiki/net/a.md', 'changed wiki/net/deep/b.md', 'removed wiki/net/gone.md');
        // Those of wiki/net, wiki/net/deep and elsewhere.
        if (!recursive) while (opened.length < before + 3) await setTimeout(20);
      } finally {
        await running.close();
      }
    }),
);

inotify.it('keeps a folder that is made while the folder around it is read', () =>
  withTempFolder(async (root) => {
    mkdirSync(path.join(root, 'wiki'));
    const { readdir } = promises;
    let isRead = (): void => undefined;
    const reading = new Promise<void>((resolve) => (isRead = resolve));
    let goOn = (): void => undefined;
    const held = new Promise<void>((resolve) => (goOn = resolve));
    const spy = jest.spyOn(promises, 'readdir').mockImplementation((async (at: string, options: object) => {
      const entries = await readdir(at, options);
      if (path.basename(at) === 'wiki') await (isRead(), held);
      return entries;
    }) as typeof readdir); // Only the call that the watcher makes.
    const told: Told = new Set();
    const tell = ({ kind, path: at }: VaultChange): unknown => told.add(`${kind} ${at}`);
    const running = watchVault(root, tell, keptLog());
    try {
      await reading;
      mkdirSync(path.join(root, 'wiki/new'));
      writeFileSync(path.join(root, 'wiki/new/a.md'), 'x');
      writeFileSync(path.join(root, 'wiki/b.md'), 'x');
      await until(told, 'changed wiki/new/a.md', 'changed wiki/b.md');
      goOn();
      await running.ready;
      writeFileSync(path.join(root, 'wiki/new/c.md'), 'x');
      await until(told, 'changed wiki/new/c.md');
      expect([...told].filter((change) => change.startsWith('removed'))).toEqual([]);
    } finally {
      spy.mockRestore();
      await running.close();
    }
  }),
);

describe('one watch for the whole vault', () => {
  let events: EventEmitter;
  const watchFolder = (() => {
    events = Object.assign(new EventEmitter(), { close: () => undefined });
    return events as Partial<FSWatcher> as FSWatcher; // What the watcher uses of it.
  }) as typeof watch; // Only the call that the watcher makes.
  const options = { recursive: true, watchFolder };
  const native = (at: string): string => at.split('/').join(path.sep);

  it('is told paths below the root, of folders that it has not seen as well', () =>
    watched(options, async (root, told) => {
      mkdirSync(path.join(root, 'wiki/new/deep'), { recursive: true });
      writeFileSync(path.join(root, 'wiki/new/deep/b.md'), 'x');
      rmSync(path.join(root, 'wiki/net'), { recursive: true });
      events.emit('change', 'rename', native('wiki/new/deep/b.md'));
      events.emit('change', 'rename', native('wiki/net'));
      events.emit('change', 'change', native('.obsidian/workspace.json'));
      await until(told, 'changed wiki/new/deep/b.md', 'removed wiki/net/a.md');
      expect([...told].sort()).toEqual(['changed wiki/new/deep/b.md', 'removed wiki/net/a.md']);
    }));

  it('looks at everything again after an event without a name, and tells what may have changed since', () =>
    watched(options, async (root, told) => {
      const at = (name: string): string => path.join(root, 'wiki/net', name);
      for (const name of ['b.md', 'c.md']) writeFileSync(at(name), 'x');
      rmSync(at('a.md'));
      events.emit('change', 'rename', null);
      await until(told, 'removed wiki/net/a.md', 'changed wiki/net/b.md', 'changed wiki/net/c.md');
    }));
});
