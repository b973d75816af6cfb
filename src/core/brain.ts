import type { Catalog } from './catalog/catalog';
import type { OutsideChanges } from './catalog/outside-changes';
import type { Config } from './config';
import type { Check } from './notes/check';
import type { VersionCounts } from './notes/version-counts';
import type { Pace } from './pace';
import type { Plan } from './plan';
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
  /** Told of every change that an operation has made, right after it stands; must not throw. */
  readonly committed?: (plan: Plan) => void;
}

/** One vault, opened: ports, settings, and what is kept in memory. Every operation gets one. */
export interface Brain extends BrainPorts {
  readonly config: Config;
  readonly version: string;
  /** Tells this opening of the vault from every other one. */
  readonly startId: string;
  /** Eight hex digits that tell this machine and user from the others that share the vault. */
  readonly device: string;
  /** Everything known about the notes without reading the disk. Derived; files win. */
  readonly catalog: Catalog;
  /** Tells what others changed in the vault, as soon as the catalog has read it. */
  readonly outside: OutsideChanges;
  /** Work that may take long goes at this pace. */
  readonly pace: Pace;
  /** One writer at a time for the whole vault. */
  readonly writer: WriteQueue;
  readonly rate: RateLimit;
  readonly versions: VersionCounts;
  /** What start-up finished, undid, or leaves to a person. */
  readonly recovery: RecoveryReport;
  /** What the host knows of itself, for the status: port, secrets, files that the vault's listings pass over. */
  readonly hostChecks: () => Promise<readonly Check[]>;
  /** True once the catalog is built. */
  isReady(): boolean;
  /** Resolves when the catalog is built; rejects with `starting` when that takes longer than ten seconds. */
  ready(): Promise<void>;
}
