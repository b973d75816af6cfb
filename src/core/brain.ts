import type { AuditEnds } from './audit/audit-ends';
import type { Catalog } from './catalog/catalog';
import type { OutsideChanges } from './catalog/outside-changes';
import type { ProseCache } from './catalog/prose-cache';
import type { Config } from './config';
import type { Inbox } from './ingest/inbox-port';
import type { DocumentReader } from './ingest/document';
import type { IngestAnswer } from './ingest/ingest-answers';
import type { Jobs } from './ingest/jobs';
import type { SourceFiles } from './ingest/source-files';
import type { Turns } from './ingest/turns';
import type { Check } from './notes/check';
import type { VersionCounts } from './notes/version-counts';
import type { Pace } from './pace';
import type { Plan } from './plan';
import type { Clock, LanguageModel, Log, StateStore, VaultStore } from './ports';
import type { Progress } from './progress';
import type { RateLimit } from './rate-limit';
import type { RecoveryReport } from './recovery-report';
import type { VaultPath } from './rules/paths';
import type { HybridPorts, HybridRetrieval } from './vectors/hybrid-retrieval';
import type { WriteQueue } from './write-queue';

/** What the core asks of its host. */
export interface BrainPorts {
  readonly vault: VaultStore;
  readonly state: StateStore;
  readonly clock: Clock;
  readonly log: Log;
  readonly documents: DocumentReader;
  /** Absent where the vault is on no disk of this machine, so that nobody could name a file. */
  readonly sources?: SourceFiles;
  /** Absent when the owner has configured none. */
  readonly model?: LanguageModel;
  /** Absent when the owner has not configured hybrid retrieval. */
  readonly hybridPorts?: HybridPorts;
  /** Told of every change that an operation has made, right after it stands; must not throw. */
  readonly committed?: (plan: Plan) => void;
  /** Told of every file of the inbox that was put into quarantine; must not throw. */
  readonly quarantined?: (file: QuarantinedFile) => void;
}

/** A file that could not be ingested: where it is now, where it was, and why. */
export interface QuarantinedFile {
  readonly path: VaultPath;
  readonly from: VaultPath;
  readonly code: string;
}

export type { Progress } from './progress';

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
  /** The prose of notes that were shown lately; `proseOf` knows that of every note. */
  readonly prose: ProseCache;
  /** Search by meaning; null when it is not configured. */
  readonly hybrid: HybridRetrieval | null;
  /** Tells what others changed in the vault, as soon as the catalog has read it. */
  readonly outside: OutsideChanges;
  /** Work that may take long goes at this pace. */
  readonly pace: Pace;
  /** Resolves after so many milliseconds without keeping the process alive. */
  readonly sleep: (milliseconds: number) => Promise<void>;
  /** One writer at a time for the whole vault. */
  readonly writer: WriteQueue;
  readonly rate: RateLimit;
  /** Ingests that go on without their callers. */
  readonly jobs: Jobs<IngestAnswer>;
  /** Whole files are in memory while they are ingested, so it is done to few at a time. */
  readonly fileTurns: Turns;
  /** Files that are put into the vault to be ingested. */
  readonly inbox: Inbox;
  readonly versions: VersionCounts;
  /** Where the audit logs end that are written beside this brain; each log that is opened on it notes it there. */
  readonly auditEnds: AuditEnds;
  /** What start-up finished, undid, or leaves to a person. */
  readonly recovery: RecoveryReport;
  /** What the host knows of itself, for the status: port, secrets, files that the vault's listings pass over. */
  readonly hostChecks: (options: { readonly probe: boolean }) => Promise<readonly Check[]>;
  /** True once the catalog is built. */
  isReady(): boolean;
  /** How many notes have been read, of how many, while the catalog does not answer for all of them yet; else null. */
  reading(): Progress | null;
  /**
   * Resolves when a search finds every note, or, when that takes long, soon after every file is known; rejects with
   * `starting` like `ready`.
   */
  searchable(): Promise<void>;
  /** Resolves when the catalog is built; rejects with `starting` when that takes longer than ten seconds. */
  ready(): Promise<void>;
}
