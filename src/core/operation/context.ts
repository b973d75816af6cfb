import type { Semaphore } from '../base/concurrency';
import type { Sha } from '../base/hash';
import type { Pacing } from '../base/steps';
import type { Knowledge } from '../catalog/knowledge';
import type { Config } from '../config/config';
import type { DocumentReader, Inbox, SourceFiles } from '../documents/ports';
import type { Vectors } from '../embeddings/retrieval';
import type { LanguageModel, StateStore, Store } from '../ports/ports';
import type { Plan } from '../storage/plan';
import type { RecoveryReport } from '../storage/recover';
import type { WriterLock } from '../storage/writer';
import type { Check } from '../vocabulary/check';
import type { VaultPath } from '../vocabulary/paths';
import type { AuditEnds } from './audit-ends';
import type { Jobs } from './jobs';
import type { RateLimit } from './rate-limit';
import type { IngestAnswer } from './shapes';

/** A file that could not be ingested: where it is now, where it was, and why. */
export interface QuarantinedFile {
  readonly path: VaultPath;
  readonly from: VaultPath;
  readonly code: string;
}

/** How the vault is changed. */
interface Writing {
  /** One writer at a time for the whole vault. */
  readonly writer: WriterLock;
  /** Told of every change that an operation has made, right after it stands; must not throw. */
  readonly committed?: (plan: Plan) => void;
  /** What start-up finished, undid, or leaves to a person. */
  readonly recovery: RecoveryReport;
  readonly versions: OlderVersions;
}

/** The older versions of notes, by the hash that a state supersedes. */
interface OlderVersions {
  /** How many older versions there are of a state that supersedes this one. */
  older(state: StateStore, supersedes: unknown): Promise<number>;
  /**
   * The older versions of a state that supersedes this one, newest first; they end before the first whose bytes are not there,
   * and after `last` when they come to it.
   */
  past(state: StateStore, supersedes: unknown, last?: Sha): Promise<ReadonlySet<Sha>>;
}

/** How documents become notes. */
interface Ingestion {
  readonly documents: DocumentReader;
  /** Absent where the vault is on no disk of this machine, so that nobody could name a file. */
  readonly sources?: SourceFiles;
  /** Absent when the owner has configured none. */
  readonly model?: LanguageModel;
  /** Told of every file of the inbox that was put into quarantine; must not throw. */
  readonly quarantined?: (file: QuarantinedFile) => void;
  /** Files that are put into the vault to be ingested. */
  readonly inbox: Inbox;
  /** Ingests that go on without their callers. */
  readonly jobs: Jobs<IngestAnswer>;
  /** Whole files are in memory while they are ingested, so it is done to few at a time. */
  readonly fileTurns: Semaphore;
}

/** What the service knows of its host and of itself. */
interface HostInfo {
  readonly config: Config;
  readonly version: string;
  /** Tells this opening of the vault from every other one. */
  readonly startId: string;
  readonly rate: RateLimit;
  /** Where the audit logs end that are written beside this brain; each log that is opened on it notes it there. */
  readonly auditEnds: AuditEnds;
  /** What the host knows of itself, for the status: port, secrets, files that the vault's listings pass over. */
  readonly hostChecks: (options: { readonly probe: boolean }) => Promise<readonly Check[]>;
}

/** What the core asks of its host. */
export interface BrainPorts
  extends
    Omit<Store, 'device'>,
    Pick<Ingestion, 'documents' | 'sources' | 'model' | 'quarantined'>,
    Pick<Vectors, 'hybridPorts'>,
    Pick<Writing, 'committed'> {}

/** One vault, opened: ports, settings, and what is kept in memory. An operation gets one and names the parts that it needs. */
export interface Brain extends Store, Knowledge, Pacing, Writing, Ingestion, Vectors, HostInfo {}
