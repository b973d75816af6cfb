import type { Catalog } from './catalog/catalog';
import type { Config } from './config';
import type { VersionCounts } from './notes/version-counts';
import type { Clock, Log, StateStore, VaultStore } from './ports';
import type { RateLimit } from './rate-limit';
import type { RecoveryReport } from './recovery-report';
import type { WriteQueue } from './write-queue';

/** What the core asks of its host. */
export interface BrainPorts {
  readonly vault: VaultStore;
  readonly state: StateStore;
  readonly clock: Clock;
  readonly log: Log;
}

/** One vault, opened: ports, settings, and what is kept in memory. Every operation gets one. */
export interface Brain extends BrainPorts {
  readonly config: Config;
  readonly version: string;
  /** Eight hex digits that tell this machine and user from the others that share the vault. */
  readonly device: string;
  /** Everything known about the notes without reading the disk. Derived; files win. */
  readonly catalog: Catalog;
  /** One writer at a time for the whole vault. */
  readonly writer: WriteQueue;
  readonly rate: RateLimit;
  readonly versions: VersionCounts;
  /** What start-up finished, undid, or leaves to a person. */
  readonly recovery: RecoveryReport;
  /** True once the catalog is built. */
  isReady(): boolean;
  /** Resolves when the catalog is built; rejects with `starting` when that takes longer than ten seconds. */
  ready(): Promise<void>;
}
