import { snapshotPath } from '../../../src/core/catalog/snapshot';
import { settleConfig } from '../../../src/core/config/config';
import { writeNote } from '../../../src/core/notes/write';
import { perform } from '../../../src/core/operation/operation';
import { alone, Away } from '../../../src/core/ports/ports';
import { openBrain, type OpenedBrain } from '../../../src/core/vault/open';
import { type VaultPath, vaultPath } from '../../../src/core/vocabulary/paths';
import { fakeDocuments } from '../../support/fake-documents';
import { fixedClock } from '../../support/fixed-clock';
import { type ManualSleep, manualSleep } from '../../support/manual-sleep';
import { createMemoryState } from '../../support/memory-state';
import { createMemoryVault } from '../../support/memory-vault';
import { type LogLine, silentLog } from '../../support/silent-log';
import { agent, openTestBrain } from '../../support/test-brain';

const MAP = vaultPath('wiki/net/_index.md');
const ONE_LATE = '1 map of a wing is not up to date yet.';
const away = (what: string) => new Away('busy', `The database does not answer: ${what}.`);

/** A vault of twenty notes of the service, with a map that is behind. */
async function files(): Promise<Map<VaultPath, string>> {
  const world = await openTestBrain();
  for (let number = 0; number < 20; number += 1)
    await world.run(writeNote, {
      wing: 'net',
      hall: 'facts',
      slug: `n${number}`,
      content: `# N${number}\n\nText.\n`,
    });
  await world.close();
  const made = new Map([...world.files].map(([path, text]) => [vaultPath(path), text] as const));
  made.set(MAP, (made.get(MAP) ?? '').replace(/^.*n7.*\n/m, ''));
  return made;
}

type Vault = ReturnType<typeof createMemoryVault>;
type State = ReturnType<typeof createMemoryState>;
/** Breaks a store; returns what mends it. */
type Break = (vault: Vault, state: State) => () => void;

function broken<T extends object, K extends keyof T>(store: T, method: K, by: T[K]): () => void {
  const works = store[method];
  store[method] = by;
  return () => (store[method] = works);
}

/** Breaks a method after some calls of it. */
const after =
  (calls: number, method: 'read' | 'stat', error: () => Error): Break =>
  (vault) => {
    const works = vault[method].bind(vault);
    let left = calls;
    const failing = async (path: VaultPath): Promise<unknown> => {
      left -= 1;
      return left < 0 ? Promise.reject(error()) : works(path);
    };
    Object.assign(vault, { [method]: failing });
    return () => void Object.assign(vault, { [method]: works });
  };
const listing: Break = (vault) =>
  broken(vault, 'list', () => {
    throw new Error('EIO: i/o error, scandir');
  });

interface World {
  readonly opened: OpenedBrain;
  readonly vault: Vault;
  readonly lines: readonly LogLine[];
  readonly pass: ManualSleep['pass'];
  readonly read: VaultPath[];
  readonly mend: () => void;
}

async function open(breaks: Break): Promise<World> {
  const clock = fixedClock();
  const [vault, state, time, log] = [
    createMemoryVault({}, clock),
    createMemoryState(),
    manualSleep(clock),
    silentLog(),
  ];
  for (const [path, text] of await files()) {
    vault.files.set(path, text);
    // A file gets its time when it is first looked at.
    await vault.stat(path);
  }
  clock.advance(60_000);
  const read: VaultPath[] = [];
  const works = vault.read.bind(vault);
  vault.read = async (path) => {
    const text = await works(path);
    read.push(path);
    return text;
  };
  const mend = breaks(vault, state);
  const opened = await openBrain(
    { vault, state, clock, log, documents: fakeDocuments(), servers: alone },
    settleConfig({}, {}),
    { device: 'testtest', version: '0.0.0-test', sleep: time.sleep, breathe: async () => undefined },
  );
  return { opened, vault, read, mend, lines: log.lines, pass: time.pass };
}

describe('a vault that is away while it is read', () => {
  it.each<[string, Break, RegExp]>([
    ['before its first folder', listing, /EIO: i\/o error/],
    ['at the first note', after(0, 'read', () => away('one')), /does not answer: one/],
    ['in the middle of the notes', after(9, 'read', () => away('nine')), /does not answer: nine/],
    ['at a look at a file', after(3, 'read', () => away('three')), /does not answer: three/],
    [
      'on a disk that gives each file an error of its own',
      (vault, state) => {
        const both = [
          after(5, 'read', () => new Error('ESTALE'))(vault, state),
          broken(vault, 'subfolders', () => Promise.reject(new Error('ESTALE: stale file handle'))),
        ];
        return () => both.forEach((mend) => mend());
      },
      /ESTALE: stale/,
    ],
    [
      'at the snapshot',
      (_, state) => {
        const works = state.readBytes.bind(state);
        return broken(state, 'readBytes', (path) =>
          path === snapshotPath('testtest') ? Promise.reject(away('snapshot')) : works(path),
        );
      },
      /does not answer: snapshot/,
    ],
  ])('is waited for, told of and read when it is back: %s', async (_name, breaks, why) => {
    const { opened, vault, lines, pass, mend } = await open(breaks);
    const { brain } = opened;
    await expect(opened.loaded).rejects.toThrow(why);
    await pass(60_000);
    // Names of files and databases are for the log only.
    const told = expect.stringMatching(
      /^The vault cannot be read from its disk now(?!.*(EIO|ESTALE|answer))/,
    );
    expect(brain.unready()).toEqual(told);
    const call = perform(
      brain,
      writeNote,
      { wing: 'net', hall: 'facts', slug: 'x', content: '# X\n' },
      agent,
    );
    await Promise.all([
      expect(call).rejects.toMatchObject({ code: 'starting', message: told }),
      pass(10_000),
    ]);
    // One line for one reason, however often it is tried.
    const logged = lines.filter(({ event }) => event === 'catalog.load');
    expect(logged).toMatchObject([{ fields: { message: expect.stringMatching(why) } }]);
    mend();
    await pass(20_000);
    expect([brain.unready(), brain.catalog.noteCount, brain.catalog.unreadable.size]).toEqual([null, 20, 0]);
    expect(vault.files.get(MAP)).toContain('n7');
    await opened.close();
  });

  it('is read on from where it stood', async () => {
    const { opened, read, pass, mend } = await open(after(15, 'read', () => away('late')));
    await expect(opened.loaded).rejects.toThrow('late');
    mend();
    await pass(20_000);
    expect(opened.brain.unready()).toBeNull();
    const notes = read.filter((path) => path !== MAP);
    expect([new Set(notes).size, notes.length]).toEqual([20, 20]);
    await opened.close();
  });
});

it('is not ready while a map is behind that cannot be written, and goes on by itself', async () => {
  const { opened, vault, pass, mend } = await open((store) =>
    broken(store, 'putDerived', () => Promise.reject(new Error('EROFS'))),
  );
  await opened.loaded;
  await pass(60_000);
  expect(opened.brain.isReady()).toBe(true);
  expect(opened.brain.unready()).toBe(ONE_LATE);
  mend();
  await pass(20_000);
  expect(opened.brain.unready()).toBeNull();
  expect(vault.files.get(MAP)).toContain('n7');
  await opened.close();
});

it('is ready beside a map that nobody can read, which it does not look at again', async () => {
  let looks = 0;
  const { opened, pass, lines } = await open((store) => {
    const works = store.read.bind(store);
    return broken(store, 'read', (path) => {
      if (path !== MAP) return works(path);
      looks += 1;
      return Promise.reject(new Error('EACCES: permission denied'));
    });
  });
  await opened.loaded;
  const before = looks;
  await pass(60_000);
  expect([opened.brain.unready(), looks - before]).toEqual([null, 0]);
  expect(lines.filter(({ event }) => event === 'wing_index.refresh')).not.toEqual([]);
  await opened.close();
});

/** Opens a vault whose map is behind, at a server that asks for its duty. */
async function openShared(duty: () => Promise<boolean>) {
  const clock = fixedClock();
  const [vault, time] = [createMemoryVault({}, clock), manualSleep(clock)];
  for (const [path, text] of await files()) vault.files.set(path, text);
  const opened = await openBrain(
    {
      vault,
      state: createMemoryState(),
      clock,
      log: silentLog(),
      documents: fakeDocuments(),
      servers: { ...alone, duty, maps: 'after' },
    },
    settleConfig({}, {}),
    { device: 'testtest', version: '0.0.0-test', sleep: time.sleep, breathe: async () => undefined },
  );
  await opened.loaded;
  await time.pass(60_000);
  expect([opened.brain.unready(), vault.files.get(MAP)?.includes('n7')]).toEqual([ONE_LATE, false]);
  return { opened, vault, pass: time.pass };
}

it('waits, of several servers, for the one with the duty to make the maps', async () => {
  let isOnDuty = false;
  const { opened, vault, pass } = await openShared(async () => isOnDuty);
  isOnDuty = true;
  await pass(20_000);
  expect([opened.brain.unready(), vault.files.get(MAP)?.includes('n7')]).toEqual([null, true]);
  await opened.close();
});

it('is ready once another server has made a map anew, whatever was written since', async () => {
  const { opened, vault, pass } = await openShared(async () => false);
  vault.files.set(MAP, (vault.files.get(MAP) ?? '').replace(/^.*n8.*\n/m, ''));
  await pass(20_000);
  expect(opened.brain.unready()).toBeNull();
  await opened.close();
});
