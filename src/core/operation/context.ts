import type { Caller } from '../access/tokens';
import type { Attachments } from '../attachments/attachments';
import type { AttachmentView } from '../attachments/view';
import type { Semaphore } from '../base/concurrency';
import type { Sha } from '../base/hash';
import type { Pacing } from '../base/steps';
import type { Knowledge } from '../catalog/knowledge';
import type { Config } from '../config/config';
import type { DocumentReader, Exports, ImportFolders, Inbox, SourceFiles, Uploads } from '../documents/ports';
import type { Vectors } from '../embeddings/retrieval';
import type { LanguageModel, Servers, StateStore, Store, TextThreads } from '../ports/ports';
import type { Past } from '../past/past';
import type { Reviews } from '../past/review';
import type { Acting, ChangeLog } from '../storage/change-log';
import type { Journal } from '../storage/journal';
import type { Ledger } from '../storage/ledger';
import type { Plan } from '../storage/plan';
import type { RecoveryReport } from '../storage/recover';
import type { WriterLock } from '../storage/writer';
import type { Check } from '../vocabulary/check';
import type { VaultPath } from '../vocabulary/paths';
import type { CallerLimits } from '../vocabulary/token-limits';
import type { AuditEnds } from './audit-ends';
import type { JobList } from './jobs';
import type { Intend, Keys } from './keys';
import type { HeldChecks, SeenOriginals, WingMaps } from './memory';
import type { OpenBatches } from './open-batches';
import type { RateLimit } from './rate-limit';
import type { SentTexts } from './sent';
import type { IngestAnswer } from './shapes';

/** A file that could not be ingested: its current path, its former path, and the reason. */
export interface QuarantinedFile {
  readonly path: VaultPath;
  readonly from: VaultPath;
  readonly code: string;
}

/** The parts that change the vault. */
interface Writing {
  /** The writer lock of the vault. */
  readonly writer: WriterLock;
  /** Called with every change of an operation, right after it is durable; must not throw. */
  readonly committed?: (plan: Plan) => void;
  readonly servers: Servers;
  /** What recovery finished, undid, or leaves to a person. */
  readonly recovery: RecoveryReport;
  readonly journal: Journal;
  readonly changeLog: ChangeLog;
  /** What happened to the notes, as the logs of all devices have it. */
  readonly past: Pick<Past, 'read' | 'recent'>;
  /** Who has reviewed the texts of notes. A view has those of the whole: it asks them of notes that it has. */
  readonly reviews: Reviews;
  readonly versions: OlderVersions;
  readonly maps: WingMaps;
  /** The calls with an idempotency key. */
  readonly keys: Keys;
  readonly sent: SentTexts;
  /** Each is called when a person has changed the rules on this device. */
  readonly rulesChanged: Set<() => void>;
}

/** The older versions of notes, by the hash that a text supersedes. */
interface OlderVersions {
  /** Resolves true for a version whose text is in the history. */
  has(state: StateStore, version: Sha): Promise<boolean>;
  /** Resolves with the hash that a version supersedes, null for none, and undefined when its text is not in the history. */
  supersededBy(state: StateStore, version: Sha): Promise<Sha | null | undefined>;
  /** Returns the number of older versions of a note with this text, as its history lists them. */
  older(brain: Pick<Brain, 'state' | 'past' | 'versions'>, path: VaultPath, text: string): Promise<number>;
  /** Drops what is known of versions whose texts were removed. */
  forget(versions: Iterable<Sha>): void;
  /**
   * Returns the older versions of a text that supersedes this hash, newest first. They end before the first whose file is
   * missing, and after `last`.
   */
  past(state: StateStore, supersedes: unknown, last?: Sha): Promise<ReadonlySet<Sha>>;
}

/** The parts that turn documents into notes. */
interface Ingestion {
  readonly documents: DocumentReader;
  /** Unpacks what an import brings; without it, files are taken as they come. */
  readonly exports?: Exports;
  /** Absent when the vault is on no disk of this machine, so that a caller cannot name a file. */
  readonly sources?: SourceFiles;
  /** Absent when the vault is on no disk of this machine. */
  readonly uploads?: Uploads;
  /** Absent when the vault is on no disk of this machine. */
  readonly imports?: ImportFolders;
  /** Absent when none is configured. */
  readonly model?: LanguageModel;
  /** Called with every file of the inbox that was put into quarantine; must not throw. */
  readonly quarantined?: (file: QuarantinedFile) => void;
  /** The inbox: files that are put into the vault to be ingested. */
  readonly inbox: Inbox;
  /** The words of PDF files and canvases, as far as the caller may see them. */
  readonly attachments: AttachmentView;
  /** Those of the whole vault, which take the words; nothing of them may enter an answer. */
  readonly allAttachments: Attachments;
  /** The ingests that run without their callers. */
  readonly jobs: JobList<IngestAnswer>;
  readonly batches: OpenBatches;
  readonly originals: SeenOriginals;
  /** The sources that were ingested. */
  readonly ledger: Ledger;
  /** Limits concurrent ingests, because each holds whole files in memory. */
  readonly fileTurns: Semaphore;
}

/** Facts about the host and the service. */
interface HostInfo {
  readonly config: Config;
  readonly version: string;
  /** The folder of the vault on this machine; absent when it is unknown. */
  readonly place?: string;
  /** Identifies this opening of the vault. */
  readonly startId: string;
  readonly rate: RateLimit;
  /** The ends of the audit logs written for this brain; each opened log records its end here. */
  readonly auditEnds: AuditEnds;
  readonly checks: HeldChecks;
  /** Returns the checks of the host for the status: port, secrets, files that listings of the vault skip. */
  readonly hostChecks: (options: { readonly probe: boolean }) => Promise<readonly Check[]>;
}

/** The ports that the core needs from its host. */
export interface BrainPorts
  extends
    Omit<Store, 'device'>,
    Pick<Ingestion, 'documents' | 'exports' | 'sources' | 'uploads' | 'imports' | 'model' | 'quarantined'>,
    Pick<Vectors, 'hybridPorts'>,
    Pick<Writing, 'committed' | 'servers'> {
  /** Absent where long texts are read on this thread, in slices. */
  readonly textThreads?: TextThreads;
}

/** What of the vault one caller sees and may change. */
interface View {
  /**
   * The brain of the whole vault; this brain itself, unless it is a view. A view cannot change anything: changes go through the
   * whole, and nothing of it may enter an answer.
   */
  readonly whole: Brain;
  /** The limits of the caller; null without any. */
  readonly limits: CallerLimits | null;
  /**
   * Returns the brain for a caller: this one, or a view of it that holds nothing but what the caller may read. Its files,
   * catalog, search index and history are those of a vault without the rest.
   */
  viewFor(caller: Caller): Brain;
  /** Who changes something through this brain; nobody but the service where it is of no caller. */
  readonly acting: Acting;
  /** Records the intent of a call with an idempotency key; absent for any other. */
  readonly intend?: Intend;
  /** The folders that exist for no token but the owner's: imports that are for their owner alone. */
  readonly privateFolders: Set<VaultPath>;
  /** The ids of the imports that are being written or taken back now. */
  readonly busyImports: Set<string>;
  /** Brings the catalog up to date with changes by anyone. */
  refresh(): Promise<void>;
  /** Forgets which texts ended what read them, so that notes that were passed over are read again. */
  tryTextsAgain(): Promise<void>;
}

/**
 * One open vault, or a caller's view of it: ports, settings, and state in memory. An operation gets one and names the parts that
 * it needs.
 */
export interface Brain extends Store, Knowledge, Pacing, Writing, Ingestion, Vectors, HostInfo, View {}
