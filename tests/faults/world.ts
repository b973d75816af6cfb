import { prepareState } from '../../src/adapters/files/state-folder';
import type { Brain, BrainPorts } from '../../src/core/operation/context';
import { settleConfig } from '../../src/core/config/config';
import { openBrain } from '../../src/core/vault/open';
import { type Operation, perform } from '../../src/core/operation/operation';
import { fakeDocuments } from '../support/fake-documents';
import { fakeModel, type FakeModel } from '../support/fake-model';
import { type FaultyFileSystem, faultyFileSystem } from '../support/faulty-file-system';
import { fixedClock } from '../support/fixed-clock';
import { memoryFileSystem, type MemoryFileSystem } from '../support/memory-file-system';
import { silentLog } from '../support/silent-log';
import { agent, NOW } from '../support/test-brain';
import { sourceFilesIn } from './source-files-in';
import { uploadsIn } from './uploads-in';
import { alone } from '../../src/core/ports/ports';

export const DEVICE = 'test';
export const ROOT = '/vault';

/** Files with their texts, and folders with a trailing slash, relative to the vault. */
export type Image = Readonly<Record<string, string>>;

/** A service that runs on a file system, of which any call may be made to fail. */
export interface Running {
  readonly brain: Brain;
  readonly fs: FaultyFileSystem;
  readonly model: FakeModel;
  readonly log: ReturnType<typeof silentLog>;
  /** What this start has settled. */
  readonly settled: Brain['recovery'];
  /** Performs an operation as an agent that may do everything. */
  run(op: Operation, input: unknown): Promise<unknown>;
  /** Resolves when the host has heard of everything that happened on the disk. */
  heard(): Promise<void>;
  /** Ends the service as its owner does. */
  stop(): Promise<void>;
  /** Forgets it, as a crash does. */
  abandon(): Promise<void>;
}

/** A vault in memory that holds `files`, with the state of a service that has not run yet. */
export async function vaultWith(files: Image): Promise<MemoryFileSystem> {
  const fs = memoryFileSystem({
    [`${ROOT}/`]: '',
    ...Object.fromEntries(Object.entries(files).map(([at, text]) => [`${ROOT}/${at}`, text])),
  });
  await prepareState(ROOT, { device: DEVICE, fs });
  return fs;
}

/** The two stores of a host, and how it lets go of them. */
export interface Stores extends Pick<BrainPorts, 'vault' | 'state'> {
  close(): Promise<void>;
  /** Resolves when the host has heard of everything that happened on the disk; at once where it hears of nothing. */
  heard?(): Promise<void>;
  /** What the host forgets with a crash, where that is more than what the file system forgets. */
  abandon?(): void;
}

/**
 * Starts the service on a file system, with the adapter of one host and the whole core; `arm` is called before the first call
 * that belongs to the opening of the brain. Resolves when the notes have been read and the maps are right.
 */
export type Start = (disk: MemoryFileSystem, arm?: (fs: FaultyFileSystem) => void) => Promise<Running>;

/** A start on the stores that `open` opens. It calls `arm` itself, as what of its work belongs to the opening only it knows. */
export function startOn(open: (fs: FaultyFileSystem, arm: () => void) => Promise<Stores>): Start {
  return async (disk, arm = () => undefined) => {
    const fs = faultyFileSystem(disk);
    let stores: Stores | null = null;
    const abandon = async (): Promise<void> => {
      fs.arm();
      stores?.abandon?.();
      await fs.abandon();
    };
    try {
      stores = await open(fs, () => arm(fs));
      return await serve(fs, stores, abandon);
    } catch (error) {
      await abandon();
      throw error;
    }
  };
}

async function serve(fs: FaultyFileSystem, stores: Stores, abandon: () => Promise<void>): Promise<Running> {
  const { vault, state } = stores;
  const clock = fixedClock(NOW);
  const log = silentLog();
  const model = fakeModel();
  const documents = fakeDocuments();
  const ports = {
    vault,
    state,
    clock,
    log,
    documents,
    servers: alone,
    model,
    sources: sourceFilesIn(vault),
    uploads: uploadsIn(vault),
  };
  const opened = await openBrain(ports, settleConfig({}, {}), {
    device: DEVICE,
    version: '0.0.0-test',
    place: ROOT,
    sleep: () => new Promise(() => undefined),
    breathe: async () => undefined,
  });
  await opened.loaded;
  const { brain } = opened;
  return {
    ...{ brain, fs, model, log, settled: brain.recovery, abandon },
    run: (op, input) => perform(brain, op, input, agent),
    heard: async () => stores.heard?.(),
    async stop() {
      await opened.close();
      await stores.close();
    },
  };
}

/** Starts the service and ends it again, as an owner does after a crash; resolves with what the start settled. */
export async function restarted(start: Start, disk: MemoryFileSystem): Promise<Brain['recovery']> {
  const running = await start(disk);
  await running.stop();
  return running.settled;
}

/** The vault without the service's state and without the trash of the app, empty folders included. */
export function vaultOf(disk: MemoryFileSystem): Image {
  return Object.fromEntries(
    Object.entries(disk.image(ROOT)).filter(([at]) => !/^\.(brain|trash)\//.test(at)),
  );
}

/** What the app has moved into the trash of the vault. */
export function trashOf(disk: MemoryFileSystem): Image {
  return Object.fromEntries(Object.entries(disk.image(ROOT)).filter(([at]) => at.startsWith('.trash/')));
}

/** The service's state, by path below `.brain/`. */
export function stateOf(disk: MemoryFileSystem): Image {
  return Object.fromEntries(
    Object.entries(disk.image(ROOT)).flatMap(([at, text]) =>
      at.startsWith('.brain/') && !at.endsWith('/') ? [[at.slice('.brain/'.length), text]] : [],
    ),
  );
}
