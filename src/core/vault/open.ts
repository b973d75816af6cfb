import { bytesToHex, randomBytes } from '@noble/hashes/utils.js';
import { Attachments } from '../attachments/attachments';
import { AttachmentView } from '../attachments/view';
import { StopController, Semaphore } from '../base/concurrency';
import type { Sha } from '../base/hash';
import type { Log } from '../base/host';
import { Pace, type PaceWatch } from '../base/steps';
import { AlikeNotes } from '../catalog/alike';
import { Catalog } from '../catalog/catalog';
import { openCatalog, refreshCatalog } from '../catalog/load';
import { OutsideChanges } from '../catalog/outside-changes';
import { ProseCache } from '../catalog/prose';
import type { Config } from '../config/config';
import { readScopeOf } from '../documents/paths';
import type { WatchChoice } from '../documents/ports';
import { Hybrid } from '../embeddings/hybrid';
import { finishForgetting } from '../forget/forget';
import { inMemory } from '../fulltext/lexical-index';
import { privateFolders, resumeImports } from '../imports/write';
import { WatchedInbox } from '../inbox/inbox';
import { oneAtATime } from '../model/queue';
import { VersionCounts } from '../notes/versions';
import type { Brain, BrainPorts } from '../operation/context';
import { Jobs } from '../operation/jobs';
import { Keys } from '../operation/keys';
import { HeldChecks, SeenOriginals, WingMaps } from '../operation/memory';
import { OpenBatches } from '../operation/open-batches';
import { RateLimit } from '../operation/rate-limit';
import { SentTexts } from '../operation/sent';
import { type IngestAnswer, ingestAnswerShape } from '../operation/shapes';
import { SharedJobs } from '../operation/shared-jobs';
import { Past } from '../past/past';
import { Reviews } from '../past/review';
import type { StateStore } from '../ports/ports';
import { ChangeLog, refuseNewer } from '../storage/change-log';
import { Journal } from '../storage/journal';
import { Ledger } from '../storage/ledger';
import { recover, type RecoveryReport } from '../storage/recover';
import { WriterLock } from '../storage/writer';
import type { Check } from '../vocabulary/check';
import type { VaultPath } from '../vocabulary/paths';
import type { ReadScope } from '../vocabulary/read-scope';
import { type LateMap, makeMapsWhole } from '../wings/refresh';
import { Loading } from './loading';
import { LongTexts } from './long-texts';
import { Views } from './views';

/** The file of the vault's id, below `.brain/`. */
export const VAULT_ID = 'vault-id';

/** Returns true for an id of a vault: 32 hex digits. */
export function isVaultId(text: string): boolean {
  return /^[0-9a-f]{32}$/.test(text);
}

/**
 * Returns the id of the vault: 32 random hex digits in `.brain/vault-id`, created when it is asked for first. The file
 * moves with the vault, so all devices and copies share the id. A file without a valid id is replaced.
 */
export async function vaultIdOf(state: Pick<StateStore, 'read' | 'write' | 'create'>): Promise<string> {
  const made = bytesToHex(randomBytes(16));
  const there = await state.read(VAULT_ID);
  if (there === null && (await state.create(VAULT_ID, `${made}\n`))) return made;
  const id = (there ?? (await state.read(VAULT_ID)))?.trim() ?? '';
  if (isVaultId(id)) return id;
  await state.write(VAULT_ID, `${made}\n`);
  return made;
}

/** Closing waits at most this long for the database (ms). */
const HYBRID_CLOSE_MS = 3_000;
/** The number of concurrent ingests: a file has at most 50 MiB and takes several times that while it is converted. */
const FILES_AT_ONCE = 2;
/** The number of calls that may wait for an ingest before the service is busy. */
const INGESTS_WAITING = 64;

export interface OpenOptions {
  readonly device: string;
  readonly version: string;
  /** Resolves after this many milliseconds without keeping the process alive. */
  readonly sleep: (milliseconds: number) => Promise<void>;
  /** Resolves in a later turn of the event loop, after the work that is queued there. */
  readonly breathe: () => Promise<void>;
  /** Whether files in the inbox are ingested; off by default. */
  readonly inbox?: WatchChoice;
  /** True at the first start of the service in this vault. */
  readonly isFirst?: boolean;
  /** The location of the vault's folder, which identifies it on this machine. */
  readonly place?: string;
  /** What is read of the vault; by default what the settings say. */
  readonly scope?: ReadScope;
  /** Receives the duration of each slice of long work, for measurements. */
  readonly paceWatch?: PaceWatch;
  /** Returns the host's checks for the status; with `probe` it does not use cached results. */
  readonly hostChecks?: (options: { readonly probe: boolean }) => Promise<readonly Check[]>;
}

export interface OpenedBrain {
  readonly brain: Brain;
  /** Resolves when the vault has been read, at whichever try; rejects when it is closed before. */
  readonly read: Promise<void>;
  /** Resolves as `read`; rejects when the first try failed, though others follow until `close`. */
  readonly loaded: Promise<void>;
  /**
   * Stops listening for changes and cancels questions to the language model. Resolves when the last queued write has ended and
   * a snapshot of the catalog is saved. Closing the vector database delays this by at most 3 s.
   */
  close(): Promise<void>;
}

function logRecovery(log: Log, { finished, undone, attention }: RecoveryReport): void {
  for (const change of finished) log.info('recovery.finished', { change });
  for (const change of undone) log.info('recovery.undone', { change });
  for (const message of attention) log.warn('recovery.attention', { message });
}

/** The parts of an open brain that are closed with it. */
interface OpenParts {
  readonly brain: Brain;
  readonly hybrid: Hybrid | null;
  readonly stopListening: () => void;
  readonly opening: ReturnType<typeof openCatalog>;
  readonly closing: StopController;
  readonly inbox: WatchedInbox;
}

/** See `OpenedBrain.close`. */
async function closeBrain({
  brain,
  hybrid,
  stopListening,
  opening,
  closing,
  inbox,
}: OpenParts): Promise<void> {
  const { jobs, pace, sleep, writer } = brain;
  stopListening();
  // Reading a large vault takes long, and nothing needs the rest of it.
  if (!brain.isReady()) pace.stop();
  closing.stop();
  await inbox.close();
  const hybridClosed = hybrid?.close();
  // It is awaited below. Without this handler an earlier failure would be an unhandled rejection.
  hybridClosed?.catch(() => undefined);
  await jobs.close();
  await writer.close();
  await opening.close();
  if (hybridClosed) await Promise.race([hybridClosed, sleep(HYBRID_CLOSE_MS)]);
  pace.stop();
}

/** Keeps the vectors in step once the vault is read. Resolves then, and rejects when the first try to read it failed. */
function goOnAfter(
  read: Promise<void>,
  { firstTry }: OpenParts['opening'],
  hybrid: OpenParts['hybrid'],
): Promise<void> {
  // Only closing ends a load that has not succeeded.
  read.then(
    () => hybrid?.sync.keepInStep(),
    () => undefined,
  );
  const loaded = firstTry.then(() => read);
  // Each failure is logged, and `unready` tells of it.
  loaded.catch(() => undefined);
  return loaded;
}

/** Returns the jobs of this server, joined to those of the others that share the vault. */
function jobsOf({ clock, log, servers }: BrainPorts, sleep: OpenOptions['sleep']): Brain['jobs'] {
  const own = new Jobs<IngestAnswer>(clock, sleep, log);
  if (servers.jobs === null) return own;
  const readResult = (value: unknown): IngestAnswer => ingestAnswerShape.parse(value);
  return new SharedJobs(own, { records: servers.jobs, readResult, sleep, log });
}

/** Makes the state of the vault that is in memory while it is open, but for what is read of its notes. */
function memoryOf(ports: BrainPorts, config: Config, pace: Pace, { device, sleep }: OpenOptions) {
  const own = { ...ports, device };
  const changeLog = new ChangeLog(own);
  const local = `local.${ports.servers.localOf(device)}`;
  const past = new Past(ports.state, pace, changeLog, `${local}/past`);
  return {
    prose: new ProseCache(),
    alike: new AlikeNotes(),
    outside: new OutsideChanges(),
    writer: new WriterLock(),
    journal: new Journal(own),
    changeLog,
    rate: new RateLimit(config.rateLimit, ports.clock, config.rateBytes),
    jobs: jobsOf(ports, sleep),
    batches: new OpenBatches({ ...ports, config, sleep }),
    originals: new SeenOriginals(),
    privateFolders: new Set<VaultPath>(),
    busyImports: new Set<string>(),
    ledger: new Ledger(own),
    fileTurns: new Semaphore(FILES_AT_ONCE, INGESTS_WAITING),
    past,
    keys: new Keys({ ...own, past, sleep }),
    reviews: new Reviews(past, ports.vault, ports.log),
    versions: new VersionCounts(),
    maps: new WingMaps(),
    sent: new SentTexts(own, `${local}/door`),
    rulesChanged: new Set<() => void>(),
    checks: new HeldChecks(),
    auditEnds: new Map(),
  } satisfies Partial<Brain>;
}

/** Opens the words of the attachments, which are taken by whoever follows the vault, until `closing` stops that. */
async function openAttachments(
  ports: BrainPorts & Pick<Brain, 'config' | 'catalog' | 'pace'>,
  { device, version, sleep, isFirst = false }: OpenOptions,
  closing: StopController,
): Promise<Pick<Brain, 'attachments' | 'allAttachments'>> {
  const setting = ports.config.attachments;
  const all = new Attachments({ ...ports, version, sleep, local: `local.${device}`, setting });
  await all.open(isFirst);
  closing.onStop(() => all.close());
  return { attachments: new AttachmentView(all), allAttachments: all };
}

/** Marks the notes that were passed over because they end what reads them. */
function markEntangled(catalog: Catalog): void {
  for (const [path, { entangled }] of catalog.unreadable)
    if (entangled) catalog.markDirty({ kind: 'changed', path });
}

/** Does what a vault needs once it is read, until it is closed. */
async function lookAfter(
  brain: Brain,
  read: Promise<void>,
  { past, sleep, closing }: Pick<OpenOptions, 'sleep'> & Pick<OpenParts, 'closing'> & { readonly past: Past },
): Promise<void> {
  const isRead = await read.then(
    () => true,
    () => false,
  );
  // It was closed before.
  if (!isRead) return;
  await Promise.all([
    tidyDaily(brain, past, sleep),
    keepForgetting(brain, sleep),
    goOnWithImports(brain, closing),
  ]);
}

/** Goes on with the imports that a stop has cut. */
async function goOnWithImports(brain: Brain, closing: StopController): Promise<void> {
  try {
    await resumeImports(brain, { signal: closing });
  } catch (error) {
    if (!brain.pace.isStopped) brain.log.warn('import.resume', { message: String(error) });
  }
}

/** The pauses between two looks at maps that are not whole: the first and the longest (ms). */
const FIRST_PAUSE_MS = 500;
const MAX_PAUSE_MS = 10_000;

/** The first look at the maps after the vault has been read, and those that follow until none of that look is late any more. */
class MapsPass {
  /** The maps that have not been whole since the first look; null before it. */
  #late: readonly LateMap[] | null = null;
  #fault = '';

  constructor(
    private readonly brain: Brain,
    private readonly sleep: OpenOptions['sleep'],
  ) {}

  /** Says what is not whole yet, without names: whoever asks may not know any. */
  unready(): string | null {
    if (this.#late === null)
      return this.#fault === ''
        ? 'The maps of the wings are still being looked at.'
        : 'The maps of the wings cannot be looked at now; the log says why.';
    const { length } = this.#late;
    if (length === 0) return null;
    return `${length} ${length === 1 ? 'map of a wing is' : 'maps of wings are'} not up to date yet.`;
  }

  /** Resolves after the first look; the others follow in the background. */
  async run(): Promise<void> {
    await this.#look();
    void this.#goOn();
  }

  async #goOn(): Promise<void> {
    for (let pause = FIRST_PAUSE_MS; this.unready() !== null; pause = Math.min(2 * pause, MAX_PAUSE_MS)) {
      await this.sleep(pause);
      if (this.brain.pace.isStopped) return;
      await this.#look();
    }
  }

  async #look(): Promise<void> {
    const { brain } = this;
    try {
      await brain.refresh();
      const before = this.#late;
      const known = new Map(before?.map(({ wing, found }) => [wing, found]));
      // A map that was made anew since is late only for what was written after the first look.
      const isSame = ({ wing, found }: LateMap): boolean => (known.get(wing) ?? found) === found;
      const late = await makeMapsWhole(
        brain,
        before?.map(({ wing }) => wing),
      );
      this.#late = late.filter((map) => !map.isUnreadable && isSame(map));
      this.#fault = '';
      const names = this.#late.slice(0, 20).map(({ wing }) => wing);
      if (before === null && names.length > 0) brain.log.info('maps.late', { wings: names.join(', ') });
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      if (message !== this.#fault) brain.log.warn('maps.late', { message });
      this.#fault = message;
    }
  }
}

const DAY_MS = 86_400_000;
/** How often the past is asked whether a note was forgotten on another device (ms). */
const FORGET_MS = 60_000;

/** Removes what this device keeps of forgotten notes: now, and whenever another device has forgotten one, until the vault is closed. */
async function keepForgetting(brain: Brain, sleep: OpenOptions['sleep']): Promise<void> {
  while (!brain.pace.isStopped) {
    try {
      await finishForgetting(brain);
    } catch (error) {
      if (!brain.pace.isStopped) brain.log.warn('forget.finish', { message: String(error) });
    }
    await sleep(FORGET_MS);
  }
}

/**
 * Reads the past before anyone asks for it, keeps the indexes of its logs, and removes the texts as sent whose notes were decided
 * long ago: now, and every day until the vault is closed.
 */
async function tidyDaily(
  { catalog, sent, servers, pace, log }: Brain,
  past: Past,
  sleep: OpenOptions['sleep'],
): Promise<void> {
  const tidy = async (what: string, work: () => Promise<void>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      // Closing the vault ends what it is reading.
      if (!pace.isStopped) log.warn(what, { message: String(error) });
    }
  };
  const waits = (hash: Sha, path: VaultPath): boolean =>
    catalog.withHash(hash) !== null || catalog.taken(path) !== null;
  while (!pace.isStopped) {
    await tidy('past.keep', async () => {
      await past.read();
      if (await servers.duty('past')) await past.keep();
    });
    await tidy('sent.tidy', async () => {
      if (await servers.duty('sent')) await sent.tidy(waits);
    });
    await sleep(DAY_MS);
  }
}

/** Resolves false while a snapshot would hide from the next start that notes were moved while the service was off. */
async function mayKeep(
  { servers }: Pick<BrainPorts, 'servers'>,
  { outside }: Pick<Brain, 'outside'>,
): Promise<boolean> {
  return outside.missed.length === 0 && (await servers.duty('snapshot'));
}

/**
 * Opens a vault: runs recovery, then reads the notes in the background. Nothing else may write to the vault meanwhile (the host
 * holds its lock). Idempotent, also after a crash.
 * @throws BrainError `not_implemented` when another device writes the vault in a form that this program does not understand.
 */
export async function openBrain(
  ports: BrainPorts,
  config: Config,
  options: OpenOptions,
): Promise<OpenedBrain> {
  await refuseNewer(ports.state);
  // Only vectors are stored where those of another vault may be.
  const vaultId = ports.hybridPorts ? await vaultIdOf(ports.state) : null;
  const recovery = await recover(ports, options.device);
  logRecovery(ports.log, recovery);
  const catalog = new Catalog(options.scope ?? readScopeOf(config));
  const { version, device, place = '', sleep } = options;
  const texts = new LongTexts({ ...ports, device, version });
  const pace = new Pace(options.breathe, ports.clock, options.paceWatch, texts);
  const memory = memoryOf(ports, config, pace, options);
  for (const folder of await privateFolders({ ...ports, pace })) memory.privateFolders.add(folder);
  const stopListening = ports.vault.changes((change) => catalog.markDirty(change));
  const opening = openCatalog(
    { ...ports, catalog, pace, device: ports.servers.localOf(device) },
    { place, sleep, mayKeep: () => mayKeep(ports, memory), onMissed: memory.outside.miss },
  );
  const loading = new Loading(opening, options.sleep, ports.servers.store);
  const hybrid =
    ports.hybridPorts && vaultId !== null
      ? new Hybrid(ports.hybridPorts, { ...ports, config, catalog, pace, device }, vaultId, sleep)
      : null;
  const closing = new StopController();
  const attachments = await openAttachments({ ...ports, config, catalog, pace }, options, closing);
  const brain: Brain = {
    ...ports,
    ...(ports.model && { model: oneAtATime(ports.model, closing) }),
    config,
    version,
    ...(options.place !== undefined && options.place !== '' && { place: options.place }),
    startId: ports.clock.now().getTime().toString(36),
    device,
    catalog,
    index: inMemory(catalog.words, pace),
    hybrid,
    ...attachments,
    pace,
    sleep,
    ...memory,
    limits: null,
    acting: {},
    refresh: () => refreshCatalog(brain),
    async tryTextsAgain() {
      await texts.forgive();
      markEntangled(catalog);
      await attachments.allAttachments.tryAgain();
    },
    viewFor: (caller) => views.of(caller),
    // These need the brain that contains them.
    get whole(): Brain {
      return brain;
    },
    get inbox(): WatchedInbox {
      return inbox;
    },
    recovery,
    hostChecks: options.hostChecks ?? (async () => []),
    isReady: () => loading.isReady,
    unready: () => loading.unready() ?? maps.unready(),
    reading: () => opening.progress(),
    searchable: () => loading.searchable(),
    ready: () => loading.ready(),
  };
  const views = new Views(brain);
  const inbox = new WatchedInbox(brain, sleep);
  const maps = new MapsPass(brain, sleep);
  const read = loading.read.then(() => maps.run());
  void lookAfter(brain, read, { past: memory.past, sleep, closing });
  void inbox.start(options.inbox ?? { watch: 'off' }, read);
  return {
    brain,
    read,
    loaded: goOnAfter(read, opening, hybrid),
    close: () => closeBrain({ brain, hybrid, stopListening, opening, closing, inbox }),
  };
}
