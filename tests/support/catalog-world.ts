import { Catalog } from '../../src/core/catalog/catalog';
import { snapshotPath } from '../../src/core/catalog/snapshot';
import { openCatalog, type OpeningCatalog, refreshCatalog } from '../../src/core/catalog/load';
import { OutsideChanges } from '../../src/core/catalog/outside-changes';
import { Pace } from '../../src/core/base/steps';
import { type VaultPath, vaultPath } from '../../src/core/vocabulary/paths';
import { fixedClock } from './fixed-clock';
import { createMemoryState } from './memory-state';
import { createMemoryVault } from './memory-vault';
import { type LogLine, silentLog } from './silent-log';

const DEVICE = 'testtest';
export const SNAPSHOT = snapshotPath(DEVICE);

/** One opening of the vault. */
export interface Opened {
  readonly catalog: Catalog;
  readonly opening: OpeningCatalog;
  /** Notes that were read from their files meanwhile, in no order. */
  readonly read: VaultPath[];
  readonly lines: readonly LogLine[];
  /** The notes that are gone since the last run, and those that have their texts. */
  readonly missed: VaultPath[];
  /** Lets the time pass for which those who sleep asked; resolves when they have done what they do then. */
  wake(): Promise<void>;
  /** Reads what others have changed. */
  refresh(): Promise<void>;
  /** Stops listening without a last snapshot, like a process that is killed. */
  kill(): void;
  close(): Promise<void>;
}

/** A vault in memory that is opened again and again, like by one start of the service after another. */
export function catalogWorld(files: Readonly<Record<string, string>> = {}, place = '/home/me/vault') {
  const clock = fixedClock();
  const vault = createMemoryVault(files, clock);
  const state = createMemoryState();
  return {
    clock,
    vault,
    state,
    /** False while another server keeps the snapshot. */
    isKeeper: true,
    /** The bytes of the snapshot. */
    get snapshot(): Uint8Array<ArrayBuffer> {
      const bytes = state.blobs.get(SNAPSHOT);
      if (bytes === undefined) throw new Error('There is no snapshot.');
      return bytes;
    },
    /** Changes a file while nobody looks; it keeps its time. */
    rewrite(path: string, text: string): void {
      vault.files.set(vaultPath(path), text);
    },
    /** Starts without waiting for the vault to be read. */
    start(at = place, maxBytes?: number): Opened {
      const log = silentLog();
      const catalog = new Catalog();
      const read: VaultPath[] = [];
      const missed: VaultPath[] = [];
      const sleepers: (() => void)[] = [];
      const watched = {
        ...vault,
        read: (path: VaultPath) => {
          read.push(path);
          return vault.read(path);
        },
      };
      const stop = vault.changes((change) => catalog.markDirty(change));
      const pace = new Pace(() => new Promise((resolve) => setImmediate(resolve)), clock);
      const sleep = () => new Promise<void>((resolve) => sleepers.push(resolve));
      const ports = { vault: watched, state, clock, log, catalog, pace, device: DEVICE };
      const opening = openCatalog(ports, {
        place: at,
        sleep,
        mayKeep: async () => this.isKeeper,
        onMissed: (changes) => missed.push(...changes.map((change) => change.path)),
        ...(maxBytes !== undefined && { maxBytes }),
      });
      return {
        catalog,
        opening,
        read,
        missed,
        lines: log.lines,
        async wake() {
          for (const sleeper of sleepers.splice(0)) sleeper();
          while (sleepers.length === 0) await new Promise((resolve) => setImmediate(resolve));
        },
        refresh: () => refreshCatalog({ ...ports, outside: new OutsideChanges() }),
        kill: stop,
        async close() {
          stop();
          await opening.close();
        },
      };
    },
    async open(at = place): Promise<Opened> {
      const opened = this.start(at);
      await opened.opening.read;
      return opened;
    },
  };
}
