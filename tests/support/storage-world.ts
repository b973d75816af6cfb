import { mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { nodeFileSystem } from '../../src/adapters/files/file-system';
import { openNodeState, prepareState } from '../../src/adapters/files/state-folder';
import { openNodeVault } from '../../src/adapters/vault/vault';
import { commit, type Plan } from '../../src/core/storage/commit';
import { recover, type RecoveryReport } from '../../src/core/storage/recover';
import { commitPorts } from './commit-ports';
import { diskImage, layOut } from './disk-image';
import { type Fault, faultyFileSystem, withoutSync } from './faulty-file-system';
import { type MemoryFileSystem, memoryFileSystem } from './memory-file-system';
import { withTempFolder } from './temp-folder';

export const DEVICE = 'test';

/** Files with their texts, and folders with a trailing slash. */
export type Image = Readonly<Record<string, string>>;

/** What came of one act on a file system with a fault. */
interface Outcome {
  readonly error: unknown;
  /** True when the armed call was reached. */
  readonly hit: boolean;
}

/** A vault on a file system, opened anew for every act, as after a crash. */
export interface StorageWorld {
  /** Carries out a plan on a file system with this fault. */
  commit(plan: Plan, fault?: Fault): Promise<Outcome>;
  /** Starts anew, on a file system with this fault. */
  recover(fault?: Fault): Promise<Outcome & { readonly report: RecoveryReport | undefined }>;
  /** The vault without the service's state, empty folders included. */
  image(): Promise<Image>;
  /** Everything, the state included. */
  everything(): Promise<Image>;
  /** Puts the vault back to how it was, and empties the state. */
  reset(): Promise<void>;
}

type WithWorld = (files: Image, work: (world: StorageWorld) => Promise<void>) => Promise<void>;

/** A vault in a temporary folder of the real disk. */
export const withDiskWorld: WithWorld = (files, work) =>
  withTempFolder(async (top) => {
    const fs = withoutSync(nodeFileSystem);
    const root = path.join(top, 'vault');
    const reset = async (): Promise<void> => {
      await rm(root, { recursive: true, force: true });
      await mkdir(root);
      await layOut(root, files);
      await prepareState(root, { device: DEVICE, fs });
    };
    await reset();
    await work({
      ...actsOn(() => fs, root),
      everything: () => diskImage(root),
      image: async () => vaultOf(await diskImage(root)),
      reset,
    });
  });

/** A vault in memory, much quicker, that can also lose its power. */
export async function withMemoryWorld(
  files: Image,
  work: (world: StorageWorld & Pick<MemoryFileSystem, 'losePower'>) => Promise<void>,
): Promise<void> {
  const root = '/vault';
  const standing = Object.fromEntries(Object.entries(files).map(([at, text]) => [`${root}/${at}`, text]));
  let fs = memoryFileSystem();
  const reset = async (): Promise<void> => {
    fs = memoryFileSystem(standing);
    await prepareState(root, { device: DEVICE, fs });
  };
  await reset();
  await work({
    ...actsOn(() => fs, root),
    everything: async () => fs.image(root),
    image: async () => vaultOf(fs.image(root)),
    losePower: (keep) => fs.losePower(keep),
    reset,
  });
}

function actsOn(
  current: () => typeof nodeFileSystem,
  root: string,
): Pick<StorageWorld, 'commit' | 'recover'> {
  const act = async <T>(
    fault: Fault | undefined,
    work: (ports: ReturnType<typeof commitPorts>) => Promise<T>,
  ) => {
    const fs = faultyFileSystem(current());
    const vault = await openNodeVault(root, { device: DEVICE, fs });
    const state = await openNodeState(root, { device: DEVICE, fs });
    fs.arm(fault);
    let error: unknown = null;
    let result: T | undefined;
    try {
      result = await work(commitPorts(vault, state));
    } catch (thrown) {
      error = thrown;
    }
    const { hit } = fs;
    fs.arm();
    await vault.close();
    await state.close();
    await fs.abandon();
    return { error, hit, result };
  };
  return {
    commit: (plan, fault) => act(fault, (ports) => commit(ports, plan)),
    recover: async (fault) => {
      const { error, hit, result } = await act(fault, (ports) => recover(ports, DEVICE));
      return { error, hit, report: result };
    },
  };
}

function vaultOf(everything: Image): Image {
  return Object.fromEntries(Object.entries(everything).filter(([at]) => !at.startsWith('.brain/')));
}
