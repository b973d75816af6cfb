import { sha256 } from '../../../src/core/base/hash';
import { commit } from '../../../src/core/storage/commit';
import { historyPath } from '../../../src/core/storage/history';
import { isOptional, type Plan, type Step } from '../../../src/core/storage/plan';
import { recover, type RecoveryReport } from '../../../src/core/storage/recover';
import { vaultPath } from '../../../src/core/vocabulary/paths';
import { DiskStorage } from '../../obsidian/storage/disk';
import { MemoryStorage } from '../../obsidian/storage/memory';
import type { Storage } from '../../obsidian/storage/storage';
import { commitPorts } from '../../support/commit-ports';
import { type FaultyStorage, faultyStorage, type StorageFault } from '../../support/faulty-storage';
import { type AppStores, DEVICE, imageOf, openApp } from '../../support/obsidian-subject';
import { withTempFolder } from '../../support/temp-folder';

const RAW = vaultPath('raw/2026-11-20-mtu.md');
const WIKI = vaultPath('wiki/home/facts/mtu.md');
const NEW = vaultPath('wiki/new/decisions/mtu.md');
const OTHER = vaultPath('wiki/home/facts/other.md');
const SECOND = vaultPath('wiki/home/facts/second.md');
/** An empty folder of the person's own must come through everything. */
// Half of each text, the former and the new one, ends within a character.
const FILES = { [RAW]: 'ß生\n', [OTHER]: '元の文', [SECOND]: '二番', 'wiki/empty/hall/': '' };

const create: Step = { kind: 'create', path: NEW, text: '知識橋' };
const edit: Step = { kind: 'edit', path: OTHER, before: sha256(FILES[OTHER] ?? ''), text: '変更文' };
/** A link that follows: carried out or skipped, but never half. */
const relink: Step = { ...edit, optional: true };
const remove: Step = { kind: 'remove', path: RAW, before: sha256(FILES[RAW] ?? '') };
const PLANS: readonly (readonly [string, Plan])[] = [
  ['write', { op: 'write', steps: [{ ...create, path: WIKI, text: 'plain letters' }] }],
  ['write into new folders', { op: 'write', steps: [create] }],
  ['update', { op: 'update', steps: [edit] }],
  ['update to plain letters', { op: 'update', steps: [{ ...edit, text: 'edited words' }] }],
  ['remove', { op: 'remove', steps: [remove] }],
  ['promote', { op: 'promote', steps: [create, remove] }],
  ['merge', { op: 'merge', steps: [create, edit, remove] }],
  ['move', { op: 'move', steps: [create, remove, edit] }],
  ['relink', { op: 'relink', steps: [relink] }],
  ['promote with a link that follows', { op: 'promote', steps: [create, remove, relink] }],
  [
    'promote with links that follow',
    { op: 'promote', steps: [create, remove, relink, { ...relink, path: SECOND, before: sha256('二番') }] },
  ],
];
const CRASHES: readonly StorageFault[] = ['crash-before', 'crash-after', 'crash-emptied', 'crash-torn'];
const ERRORS: readonly StorageFault[] = ['error-before', 'error-after', 'error-torn'];

type Image = Record<string, string>;

/** The vault after the plan. */
function carriedOut(image: Image, { steps }: Plan): Image {
  const after = { ...image };
  for (const step of steps) {
    if (step.kind === 'remove') delete after[step.path];
    else after[step.path] = step.text;
    const parents = step.path.split('/').slice(0, -1);
    if (step.kind === 'create')
      parents.forEach((_, index) => (after[`${parents.slice(0, index + 1).join('/')}/`] = ''));
  }
  return after;
}

/** Every vault that a plan may leave that did not fail: an optional edit may be missing. */
function outcomes(image: Image, plan: Plan): Image[] {
  let all: Step[][] = [plan.steps.filter((step) => !isOptional(step))];
  for (const step of plan.steps.filter(isOptional)) all = [...all, ...all.map((steps) => [...steps, step])];
  return all.map((steps) => carriedOut(image, { ...plan, steps }));
}

async function committed(
  storage: FaultyStorage,
  plan: Plan,
  ...faults: Parameters<FaultyStorage['arm']>
): Promise<unknown> {
  const { host, vault, state } = await openApp(storage);
  storage.arm(...faults);
  try {
    await commit(commitPorts(vault, state), plan);
    return null;
  } catch (error) {
    return error;
  } finally {
    storage.disarm();
    host.dispose();
  }
}

/** A start of the app. */
async function started(storage: Storage): Promise<RecoveryReport> {
  const { host, vault, state } = await openApp(storage);
  try {
    return await recover(commitPorts(vault, state), DEVICE);
  } finally {
    host.dispose();
  }
}

/** After a start: exactly before or after, nothing lost, nothing temporary, nothing unfinished; and a second start agrees. */
async function expectSettled(storage: Storage, plan: Plan, before: Image): Promise<void> {
  expect((await started(storage)).attention).toEqual([]);
  expect([before, ...outcomes(before, plan)]).toContainEqual(await imageOf(storage));
  const everything = await imageOf(storage, true);
  for (const [path, text] of Object.entries(FILES)) {
    const kept = everything[path] === text || everything[`.brain/${historyPath(sha256(text))}`] === text;
    if (!path.endsWith('/')) expect({ path, kept }).toEqual({ path, kept: true });
  }
  expect(Object.keys(everything).filter((path) => /\/tmp\/./.test(path))).toEqual([]);
  expect((everything[`.brain/local.${DEVICE}/journal.jsonl`] ?? '').trim()).toBe('');
  expect(await started(storage)).toEqual({ finished: [], undone: [], attention: [] });
  expect(await imageOf(storage, true)).toEqual(everything);
}

/** Commits with the fault at the first call, the second, … until no call is left to fail, and checks each time. */
async function atEveryCall(
  fresh: () => Promise<Storage>,
  plan: Plan,
  fault: StorageFault,
  check: (storage: Storage, before: Image, error: unknown) => Promise<void>,
): Promise<number> {
  for (let call = 1; ; call += 1) {
    const real = await fresh();
    await started(real);
    const before = await imageOf(real);
    const storage = faultyStorage(real);
    const error = await committed(storage, plan, call, fault);
    if (!storage.hit) {
      expect(error).toBeNull();
      expect(await imageOf(real)).toEqual(carriedOut(before, plan));
      return call - 1;
    }
    await check(real, before, error);
  }
}

/** A start that is cut at the n-th call; resolves false when there are not so many. */
async function startedAndCut(real: Storage, call: number, fault: StorageFault): Promise<boolean> {
  const storage = faultyStorage(real);
  storage.arm(call, fault);
  let host: AppStores['host'] | null = null;
  try {
    const stores = await openApp(storage);
    ({ host } = stores);
    await recover(commitPorts(stores.vault, stores.state), DEVICE);
  } catch (error) {
    if (!storage.hit) throw error;
  } finally {
    host?.dispose();
  }
  return storage.hit;
}

async function inMemory(): Promise<Storage> {
  const storage = new MemoryStorage();
  await layOut(storage);
  return storage;
}

async function layOut(storage: Storage): Promise<void> {
  for (const [path, text] of Object.entries(FILES)) {
    await storage.mkdir(path.slice(0, path.lastIndexOf('/')));
    if (!path.endsWith('/')) await storage.write(path, new TextEncoder().encode(text));
  }
}

describe.each(PLANS)('"%s", cut anywhere', (_, plan) => {
  it.each(CRASHES)('is whole or not at all after the next start (%s)', async (fault) => {
    const calls = await atEveryCall(inMemory, plan, fault, (storage, before) =>
      expectSettled(storage, plan, before),
    );
    expect(calls).toBeGreaterThan(0);
  });

  it.each(ERRORS)('is taken back when the disk fails, at once or at the next start (%s)', async (fault) => {
    const calls = await atEveryCall(inMemory, plan, fault, async (storage, before, error) => {
      const image = await imageOf(storage);
      // What fails after the last step can be repaired and is only logged.
      if (error === null) expect(outcomes(before, plan)).toContainEqual(image);
      await expectSettled(storage, plan, before);
    });
    expect(calls).toBeGreaterThan(0);
  });
});

/** Plans of which something stands when a later step fails, so that it has to be taken back. */
describe.each(PLANS.filter(([, { steps }]) => steps.length > 1))('"%s", being taken back', (_, plan) => {
  it.each([...CRASHES, ...ERRORS])(
    'is whole or not at all when that meets another fault anywhere (%s)',
    async (fault) => {
      let again = 0;
      let found = true;
      for (let call = 1; found; call += 1) {
        let foundAgain = true;
        for (let calls = 1; foundAgain; calls += 1) {
          const real = await inMemory();
          await started(real);
          const before = await imageOf(real);
          const storage = faultyStorage(real);
          await committed(storage, plan, call, 'error-torn', { calls, fault });
          found = storage.hit;
          foundAgain = storage.hitAgain;
          if (foundAgain) again += 1;
          if (found) await expectSettled(real, plan, before);
        }
      }
      expect(again).toBeGreaterThan(10);
    },
  );

  it.each(CRASHES)('is so too when the start that does it is cut anywhere (%s)', async (fault) => {
    let cuts = 0;
    let found = true;
    for (let call = 1; found; call += 1) {
      for (let cut = 1, isCut = true; isCut; cut += 1) {
        const real = await inMemory();
        await started(real);
        const before = await imageOf(real);
        const storage = faultyStorage(real);
        // The disk is full, and the app dies while it takes back what it did until then.
        await committed(storage, plan, call, 'error-torn', { calls: 3, fault: 'crash-torn' });
        found = storage.hit;
        isCut = found && (await startedAndCut(real, cut, fault));
        if (isCut) cuts += 1;
        if (found) await expectSettled(real, plan, before);
      }
    }
    expect(cuts).toBeGreaterThan(10);
  });
});

it('holds on a real disk as well', () =>
  withTempFolder(async (top) => {
    let count = 0;
    const fresh = async (): Promise<Storage> => {
      const storage = new DiskStorage(`${top}/${(count += 1)}`);
      await storage.mkdir('');
      await layOut(storage);
      return storage;
    };
    const plan: Plan = { op: 'merge', steps: [create, edit, remove] };
    const calls = await atEveryCall(fresh, plan, 'crash-torn', (storage, before) =>
      expectSettled(storage, plan, before),
    );
    expect(calls).toBeGreaterThan(5);
  }));
