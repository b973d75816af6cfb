import { openNodeState, prepareState } from '../../../src/adapters/files/state-folder';
import { BrainError } from '../../../src/core/base/errors';
import { settleConfig } from '../../../src/core/config/config';
import { alone, type StateStore, type VaultStore } from '../../../src/core/ports/ports';
import { openBrain } from '../../../src/core/vault/open';
import { vaultPath } from '../../../src/core/vocabulary/paths';
import { MemoryStorage } from '../../obsidian/storage/memory';
import { openVault } from '../../support/node-vault-subject';
import { fakeDocuments } from '../../support/fake-documents';
import { type Fault, type FaultyFileSystem, faultyFileSystem } from '../../support/faulty-file-system';
import { faultyStorage, type StorageFault } from '../../support/faulty-storage';
import { fixedClock } from '../../support/fixed-clock';
import { manualSleep } from '../../support/manual-sleep';
import { type MemoryFileSystem, memoryFileSystem } from '../../support/memory-file-system';
import { openApp } from '../../support/obsidian-subject';
import { silentLog } from '../../support/silent-log';
import { NOW } from '../../support/test-brain';

const device = 'test';
const STILL = 2500;
const QUARANTINED = vaultPath('inbox/quarantine/2026-11-20/a.txt');

type Running = Awaited<ReturnType<typeof startOn>>;

/** A service whose inbox is watched, on the given stores. */
async function startOn(vault: VaultStore, state: StateStore) {
  const clock = fixedClock(NOW);
  const time = manualSleep(clock);
  const documents = fakeDocuments();
  const log = silentLog();
  const opened = await openBrain(
    { vault, state, clock, log, documents, servers: alone },
    settleConfig({}, {}),
    {
      device,
      version: '0.0.0-test',
      sleep: time.sleep,
      breathe: async () => undefined,
      inbox: { watch: 'on' },
    },
  );
  // A crash while it starts is a crash as well.
  await opened.loaded.catch(() => undefined);
  await time.pass(1);
  return { brain: opened.brain, documents, pass: time.pass, close: () => opened.close() };
}

/** What a person wants to be done with `inbox/a.txt`, once the service runs. */
interface Act {
  readonly readable: boolean;
  /** Where the file stands at first. */
  readonly from: string;
  readonly run: (running: Running) => Promise<unknown>;
}

const ACTS: Readonly<Record<string, Act>> = {
  'taking a file': { readable: true, from: 'inbox/a.txt', run: ({ pass }) => pass(STILL) },
  'quarantining a file': { readable: false, from: 'inbox/a.txt', run: ({ pass }) => pass(STILL) },
  'giving a file back': {
    readable: true,
    from: QUARANTINED,
    run: async ({ brain, pass }) => {
      await brain.inbox.retry(QUARANTINED).catch(() => undefined);
      await pass(STILL);
    },
  },
};

/** The files that hold the text of the original, and the pages that were made of it. */
function found(image: Readonly<Record<string, string>>) {
  const at = (holds: (path: string, text: string) => boolean) =>
    Object.keys(image).filter((path) => holds(path, image[path] ?? ''));
  return {
    originals: at((path, text) => path.startsWith('inbox/') && text === 'The original.\n'),
    pages: at((path) => path.startsWith('raw/') && path.endsWith('.md')),
    notes: at((path) => path.endsWith('.error.json')),
  };
}

const ERROR_NOTE = `${JSON.stringify({ file: 'inbox/a.txt', code: 'no_text', message: 'None.', at: '', attempts: 1 })}\n`;

/** The vault in which the watch was switched on before anything was put into it. */
const filesOf = (from: string): Record<string, string> => ({
  '.brain/local.test/inbox.json': '{"v":1,"folder":"inbox","made":true,"waiting":[]}\n',
  [from]: 'The original.\n',
  ...(from === QUARANTINED && { [`${QUARANTINED}.error.json`]: ERROR_NOTE }),
});

function check(label: unknown, act: Act, image: Readonly<Record<string, string>>, isOver: boolean): void {
  const { originals, pages, notes } = found(image);
  // A cut may leave one file under two names until the next start.
  if (!isOver) {
    expect([label, originals.length]).not.toEqual([label, 0]);
    return;
  }
  const [original = ''] = originals;
  expect({ label, originals: originals.length, pages: pages.length }).toEqual({
    label,
    originals: 1,
    pages: original.startsWith('inbox/processed/') ? 1 : 0,
  });
  expect({ label, notes }).toEqual({
    label,
    notes: original.startsWith('inbox/quarantine/') ? [`${original}.error.json`] : [],
  });
  if (act.from !== QUARANTINED) expect({ label, original }).not.toEqual({ label, original: act.from });
}

describe.each(Object.entries(ACTS))('%s on a disk', (_, act) => {
  const root = '/vault';

  async function disk(): Promise<MemoryFileSystem> {
    const files = Object.entries(filesOf(act.from)).map(([at, text]) => [`${root}/${at}`, text] as const);
    const fs = memoryFileSystem(Object.fromEntries(files));
    await prepareState(root, { device, fs });
    fs.losePower(() => true);
    return fs;
  }

  /** Runs the service on the disk; with a fault until that happens, else until there is nothing to do. */
  async function run(real: MemoryFileSystem, fault?: Fault): Promise<FaultyFileSystem> {
    const fs = faultyFileSystem(real);
    const vault = await openVault(root, { device, fs });
    const state = await openNodeState(root, { device, fs });
    fs.arm(fault);
    const running = await startOn(vault, state).catch(() => null);
    if (running !== null) {
      if (!act.readable) running.documents.script('a.txt', new BrainError('no_text', 'a.txt holds no text.'));
      await (fault === undefined ? running.pass(STILL) : act.run(running));
    }
    const { hit } = fs;
    if (!hit) fs.arm();
    await running?.close().catch(() => undefined);
    fs.arm();
    await vault.close();
    await state.close();
    await fs.abandon();
    return { ...fs, hit };
  }

  it.each([
    ['a kill', () => true],
    ['a loss of power', () => false],
  ])(
    'survives %s at any moment',
    async (what, keep) => {
      let hit = true;
      for (let call = 1; hit; call += 1) {
        const real = await disk();
        ({ hit } = await run(real, { call, kind: 'crash-after' }));
        real.losePower(keep);
        const label = `${what} at call ${call}`;
        check(label, act, inVault(real.image(root)), false);
        await run(real);
        check(label, act, inVault(real.image(root)), true);
        await run(real);
        check(`${label}, again`, act, inVault(real.image(root)), true);
        const isTaken = found(inVault(real.image(root))).pages.length === 1;
        expect([label, ledgerOf(real.image(root))]).toEqual([label, isTaken ? 1 : 0]);
      }
    },
    120_000,
  );

  if (act.readable) {
    it('ends a move of which both names are left, and notes the source when that is not done', async () => {
      const real = await disk();
      await run(real, { call: Infinity, kind: 'crash-after' });
      for (const noted of [true, false]) {
        const done = `${root}/inbox/processed/2026-11-20/a.txt`;
        await real.link(done, `${root}/inbox/a.txt`);
        if (!noted) await real.unlink(`${root}/.brain/ledger.test.jsonl`);
        real.losePower(() => true);
        await run(real);
        check(`noted: ${noted}`, act, inVault(real.image(root)), true);
        expect(ledgerOf(real.image(root))).toBe(1);
      }
    });

    it('begins it anew when neither ledger nor page knows of it, whatever day and name it has', async () => {
      const real = await disk();
      const day = `${root}/inbox/processed/2026-11-01`;
      if (act.from !== 'inbox/a.txt') await real.unlink(`${root}/${act.from}.error.json`);
      for (const folder of [`${root}/inbox`, `${root}/inbox/processed`, day])
        await real.mkdir(folder).catch(() => undefined);
      await real.rename(`${root}/${act.from}`, `${day}/a-2.txt`);
      await real.link(`${day}/a-2.txt`, `${root}/inbox/a.txt`);
      real.losePower(() => true);
      await run(real);
      check('days ago', act, inVault(real.image(root)), true);
      expect(ledgerOf(real.image(root))).toBe(1);
    });
  }
});

/** How many sources the ledger knows. */
function ledgerOf(image: Record<string, string>): number {
  const lines = image['.brain/ledger.test.jsonl']?.split('\n').filter((line) => line.startsWith('{'));
  return new Set(lines?.map((line) => JSON.parse(line).source_hash)).size;
}

function inVault(image: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(image)
      .map(([at, text]) => [at.replace('/vault/', ''), text] as const)
      .filter(([at]) => !at.startsWith('.brain')),
  );
}

describe.each(Object.entries(ACTS))('%s inside the app', (_, act) => {
  async function run(storage: Parameters<typeof openApp>[0]): Promise<void> {
    const { host, vault, state } = await openApp(storage);
    const running = await startOn(vault, state).catch(() => null);
    if (running !== null) {
      if (!act.readable) running.documents.script('a.txt', new BrainError('no_text', 'a.txt holds no text.'));
      await act.run(running);
      await running.close().catch(() => undefined);
    }
    host.dispose();
  }

  async function image(storage: MemoryStorage, folder = ''): Promise<Record<string, string>> {
    const { files, folders } = await storage.list(folder);
    const all: Record<string, string> = {};
    for (const path of files) all[path] = new TextDecoder().decode(await storage.read(path));
    for (const path of folders) if (!path.startsWith('.')) Object.assign(all, await image(storage, path));
    return all;
  }

  it.each<StorageFault>(['crash-before', 'crash-after', 'crash-torn', 'crash-emptied'])(
    'survives %s at any moment',
    async (fault) => {
      let hit = true;
      for (let call = 1; hit; call += 1) {
        const real = new MemoryStorage();
        for (const [path, text] of Object.entries(filesOf(act.from))) {
          await real.mkdir(path.slice(0, path.lastIndexOf('/')));
          await real.write(path, new TextEncoder().encode(text));
        }
        const storage = faultyStorage(real);
        storage.arm(call, fault);
        await run(storage).catch(() => undefined);
        ({ hit } = storage);
        const label = `${fault} at call ${call}`;
        check(label, act, await image(real), false);
        await run(real);
        check(label, act, await image(real), true);
      }
    },
    120_000,
  );
});
