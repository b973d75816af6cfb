import { readdir, readFile, realpath } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { setImmediate as breathe, setTimeout as sleep } from 'node:timers/promises';
import { converterSettings } from '../../adapters/documents/converter';
import { characterMapFolder, nodeThreads } from '../../adapters/documents/node-thread';
import { documentReader } from '../../adapters/documents/reader';
import { hasCode } from '../../adapters/files/file-system';
import { VaultInUse } from '../../adapters/files/lock';
import { deviceId, processTime, systemClock, useNodeDigest } from '../../adapters/host/device';
import { configFolder, type Environment } from '../../adapters/host/config-folder';
import { outgoingHttp } from '../../adapters/host/http';
import { localVectorStore } from '../../adapters/local/vector-store';
import { configuredEmbedder, configuredModel } from '../../adapters/models/configured';
import { checkDsn, placeOf, postgresSql } from '../../adapters/postgres/pg';
import { codeOf, explain, isAway, sqlVectorStore } from '../../adapters/postgres/vector-store';
import { storeSql } from '../../adapters/shared/address';
import { openShared, type SharedStore } from '../../adapters/shared/store';
import { PooledTextThreads, startTextThread } from '../../adapters/texts/threads';
import { nodeSourceFiles, logMissingRoots } from '../../adapters/vault/sources';
import { openStorage } from '../../adapters/vault/storage';
import { openImportFolders } from '../../adapters/vault/import-folders';
import { openUploads } from '../../adapters/vault/uploads';
import { type AuditLog, openAudit } from '../../core/audit/log';
import { BrainError } from '../../core/base/errors';
import type { Log } from '../../core/base/host';
import { type Config, ConfigError, LOCAL_DSN } from '../../core/config/config';
import { inboxFolder, logUnread, readScopeOf } from '../../core/documents/paths';
import type { WatchChoice } from '../../core/documents/ports';
import type { HybridPorts } from '../../core/embeddings/retrieval';
import { makeGuidance } from '../../core/notes/guidance';
import type { Brain, BrainPorts } from '../../core/operation/context';
import { alone, Away, type Servers, Uncertain } from '../../core/ports/ports';
import { followVault } from '../../core/vault/follow';
import { followAttachments } from '../../core/vault/follow-attachments';
import { followRules } from '../../core/vault/follow-rules';
import { openBrain, type OpenedBrain, type OpenOptions, vaultIdOf } from '../../core/vault/open';
import type { Check } from '../../core/vocabulary/check';
import { LAYOUT, vaultPath } from '../../core/vocabulary/paths';
import { type AppExclusions, appExclusions } from '../../core/vocabulary/read-scope';
import { firstWords, wasServed } from './first-words';
import { makeLayout } from './layout';
import { CommandError } from '../terminal/io';
import { Disposables, VERSION } from '../terminal/program';

/** Files that systems put into a folder when it is only opened. */
const SYSTEM_FILES = new Set(['.DS_Store', '.localized', 'Thumbs.db', 'desktop.ini', 'lost+found']);

/** Returns true when the folder is missing or has nothing but empty folders of the service; false when that is unknown. Never rejects. */
export async function isEmptyFolder(folder: string): Promise<boolean> {
  try {
    for (const name of await readdir(folder)) {
      if (SYSTEM_FILES.has(name)) continue;
      if (!LAYOUT.includes(name) || (await readdir(path.join(folder, name))).length > 0) return false;
    }
    return true;
  } catch (error) {
    return hasCode(error, 'ENOENT');
  }
}

/**
 * Returns embedder and vector store as configured, or null without hybrid retrieval. No request is sent yet: a server
 * starts while both are down.
 * @throws ConfigError for an invalid address.
 */
async function openHybrid(
  { pgDsn, pgSchema, pgPool, ...config }: Config,
  log: Log,
): Promise<HybridPorts | null> {
  if (pgDsn === undefined || config.embedUrl === undefined) return null;
  const embedder = configuredEmbedder(config.embedUrl, config, outgoingHttp);
  if (pgDsn === LOCAL_DSN) return { embedder, vectors: localVectorStore };
  await checkDsn(pgDsn);
  const sql = postgresSql(pgDsn, log, pgPool);
  return { embedder, vectors: ({ pace }) => sqlVectorStore(sql, pgSchema, pace) };
}

/** An open vault, on the disk and locked for this process or in a database, with everything that the doors need. */
export interface OpenVault {
  readonly brain: Brain;
  readonly audit: AuditLog;
  /** The tokens of all servers of a vault in a database; absent for a vault on the disk. */
  readonly tokens?: SharedStore['tokens'];
  /** The id of a vault on the disk; absent for one in a database. */
  readonly id?: string;
  /** What the first start in a folder says of it, for the owner; empty at later ones, absent for a vault in a database. */
  readonly first?: readonly string[];
  /** Finishes the running write, then releases the vault; the lock goes last. */
  close(): Promise<void>;
}

/** What a server is told of its vault, and what it adds to the vault's status. */
interface Hooks {
  /** The host's part of the status. */
  readonly checks: NonNullable<OpenOptions['hostChecks']>;
  /** Called with every change that is durable. */
  readonly committed: NonNullable<BrainPorts['committed']>;
  /** Called when this server was away for so long that another took its place. */
  readonly onLost: () => void;
  /** Ends the wait for an answer of another server of a folder. */
  readonly signal?: AbortSignal;
}

/**
 * Opens the vault in the folder `root`, which is made when it is absent: layout, lock, stores, journal, catalog. The
 * catalog is filled in the background. Only a folder that was empty gets the first guidance.
 * @throws Away while the disk does not answer, CommandError when the folder cannot be a vault or another process holds it, Error
 * when its state cannot be read.
 * Nothing stays open then.
 */
export async function openVault(
  root: string,
  config: Config,
  env: Environment,
  log: Log,
  { checks = async () => [], committed = () => undefined, onLost, signal }: Partial<Hooks> = {},
): Promise<OpenVault> {
  const closers = new Disposables();
  try {
    const device = deviceId(env);
    const isNew = await isEmptyFolder(root);
    const first = await firstWords(root, isNew);
    const isFirst = isNew || !(await wasServed(root));
    // Before anything is made: a start that fails for its database leaves nothing behind.
    const hybridPorts = await openHybrid(config, log);
    const missing = await makeLayout(root);
    // An inbox that `brain init` has made counts as made by the first start.
    const made = isNew ? LAYOUT : missing;
    let startWatching: () => void = () => undefined;
    // The machine is busy reading until then. The watcher begins with the changes that were made meanwhile.
    const watchAfter = new Promise<void>((resolve) => (startWatching = resolve));
    const inbox = inboxFolder(config.watchDir) ?? undefined;
    const scope = readScopeOf(config, await obsidianExclusions(root));
    logUnread(scope, log);
    const { vault, state, keeper, ...storage } = await openStorage(root, {
      device,
      clock: systemClock,
      log,
      onLost,
      signal,
      watchAfter,
      inbox,
      unwatched: (at) => scope.leavesOut(at) && !leadsTo(inbox, at),
    });
    closers.add(() => storage.close());
    const place = await realpath(root);
    const sources = nodeSourceFiles({
      root: place,
      watchDir: config.watchDir,
      allowed: config.ingestRoots,
      secret: [configFolder(env, process.platform, homedir())],
    });
    void logMissingRoots(config.ingestRoots, log);
    const uploads = await openUploads(place, device, keeper);
    closers.add(() => uploads.close());
    const imports = await openImportFolders(place, device, keeper);
    closers.add(() => imports.close());
    const { opened, audit } = await openOn(
      {
        vault,
        state,
        sources,
        uploads,
        imports,
        servers: alone,
        committed,
        ...(hybridPorts && { hybridPorts }),
      },
      { device, place, scope, isFirst, hostChecks: checks, inbox: { watch: watchOf(config, made) } },
      { config, env, log, closers },
    );
    // A failure to read is logged by the brain.
    const read = opened.loaded.catch(() => undefined);
    void Promise.race([read, sleep(WATCH_AFTER_MS, undefined, { ref: false })]).then(startWatching);
    if (isNew) await guide(opened.brain);
    return { brain: opened.brain, audit, id: await vaultIdOf(state), first, close: () => closers.close() };
  } catch (error) {
    // Nothing is closed properly on a disk that is away. The first error counts.
    await closers.close().catch(() => undefined);
    if (hasCode(error, ...DISK_AWAY))
      throw new Away('busy', `The disk of ${root} does not answer (${codeOf(error)}).`);
    throw error instanceof VaultInUse ? new CommandError(error.message) : error;
  }
}

/**
 * Opens the vault in the database at `dsn`, as one of the servers that share it. Nothing of it is on this machine: there is no
 * inbox and no file that a caller could name.
 * @throws Away while the database cannot be reached, ConfigError for an invalid address, CommandError when the database cannot be
 * used. Nothing stays open then.
 */
export async function openSharedVault(
  dsn: string,
  config: Config,
  env: Environment,
  log: Log,
  { checks, committed, onLost }: Hooks,
): Promise<OpenVault> {
  const closers = new Disposables();
  try {
    if (config.pgDsn === LOCAL_DSN) {
      throw new ConfigError(
        'BRAIN_PG_DSN names vectors on this machine, and servers that share a vault share its vectors. Give the address of a Postgres with pgvector, as postgres://user:password@host:5432/brain.',
      );
    }
    useNodeDigest();
    const hybridPorts = await openHybrid(config, log);
    // One more connection listens for changes.
    const { sql, warning } = await storeSql(dsn, { log, connections: STORE_CONNECTIONS - 1 });
    closers.add(() => sql.close());
    if (warning !== null) log.warn('store.unprotected', { message: warning });
    const { vault, state, device, servers, tokens, ...shared } = await openShared(sql, {
      log,
      sleep: (ms) => sleep(ms, undefined, { ref: false }),
      onLost,
    });
    closers.add(() => shared.close());
    const { opened, audit } = await openOn(
      {
        vault,
        state,
        committed,
        servers,
        ...(hybridPorts && { hybridPorts: syncedByOne(hybridPorts, servers) }),
      },
      {
        device,
        scope: readScopeOf(config),
        hostChecks: async (options) => [...(await checks(options)), protectionCheck(warning)],
        inbox: { watch: 'off' },
      },
      { config, env, log, closers },
    );
    return { brain: opened.brain, audit, tokens, close: () => closers.close() };
  } catch (error) {
    await closers.close();
    if (error instanceof Away || error instanceof ConfigError) throw error;
    // Nothing is lost where the answer to a change of the start was: the next try makes it again.
    if (error instanceof Uncertain) throw new Away('busy', error.message);
    if (isAway(error)) throw new Away('busy', explain(error, placeOf(dsn), 'BRAIN_STORE'));
    throw error instanceof BrainError ? new CommandError(error.message) : error;
  }
}

/** Returns the check of how the connections to the database are protected. */
function protectionCheck(warning: string | null): Check {
  const name = 'connection to the database';
  if (warning === null)
    return {
      name,
      state: 'ok',
      message: 'It is protected as the address of the database says, or stays on this machine.',
    };
  return {
    name,
    state: 'warning',
    message: warning,
    fix: 'Let the database offer TLS with a certificate that this machine trusts.',
  };
}

/** Gives the sync of vectors to the server with that duty, which a pooler between it and the database does not hinder. */
function syncedByOne({ embedder, vectors }: HybridPorts, servers: Servers): HybridPorts {
  const lease = async () => ((await servers.duty('vectors')) ? null : 'another server');
  return { embedder, vectors: (vault) => Object.assign(vectors(vault), { lease }) };
}

/** The connections of a server to a shared vault. */
const STORE_CONNECTIONS = 10;

/** What a host adds to a brain on its stores. */
interface Ground {
  readonly config: Config;
  readonly env: Environment;
  readonly log: Log;
  /** Closes what is opened here, before what was opened before. */
  readonly closers: Disposables;
}

/** The errors of a disk that is away, such as a server of files that does not answer. */
const DISK_AWAY = ['EIO', 'ESTALE', 'ENODEV', 'ENXIO', 'ENOTCONN', 'ETIMEDOUT', 'EHOSTDOWN', 'EHOSTUNREACH'];

/** Opens a brain on the stores of a vault, with documents, model, followers and audit log. */
async function openOn(
  stores: Pick<
    BrainPorts,
    'vault' | 'state' | 'sources' | 'uploads' | 'imports' | 'hybridPorts' | 'committed' | 'servers'
  >,
  given: Pick<OpenOptions, 'device' | 'place' | 'scope' | 'hostChecks' | 'inbox' | 'isFirst'>,
  { config, env, log, closers }: Ground,
): Promise<{ opened: OpenedBrain; audit: AuditLog }> {
  const options = {
    ...given,
    version: VERSION,
    sleep: (ms: number) => sleep(ms, undefined, { ref: false }),
    breathe: () => breathe(),
  };
  const model = configuredModel(config, outgoingHttp);
  const documents = documentReader({
    log,
    startThread: nodeThreads(characterMapFolder()),
    used: processTime,
    http: outgoingHttp,
    settings: converterSettings(env, config),
    sleep: options.sleep,
    breathe: options.breathe,
  });
  closers.add(async () => documents.close());
  const textThreads = new PooledTextThreads({
    start: startTextThread,
    used: processTime,
    sleep: options.sleep,
  });
  const { exports } = documents;
  const ports = {
    ...stores,
    clock: systemClock,
    log,
    documents,
    exports,
    textThreads,
    ...(model && { model }),
  };
  const opened = await openBrain(ports, config, options);
  closers.add(() => opened.close());
  const following = followVault(opened.brain, options.sleep);
  closers.add(() => following.close());
  const rules = followRules(opened.brain, options.sleep);
  closers.add(() => rules.close());
  const attachments = followAttachments(opened.brain, options.sleep);
  closers.add(() => attachments.close());
  // It is closed first: nothing that is being closed waits for a long text.
  closers.add(async () => textThreads.close());
  const { state } = stores;
  const audit = await openAudit({
    state,
    clock: systemClock,
    device: given.device,
    ends: opened.brain.auditEnds,
  });
  return { opened, audit };
}

/** Returns true for the folder itself, for what is in it, and for the folders above it. */
function leadsTo(folder: string | undefined, at: string): boolean {
  return folder !== undefined && (`${at}/`.startsWith(`${folder}/`) || folder.startsWith(`${at}/`));
}

/**
 * The watcher starts at the latest after this time (ms). The first reading of 10,000 notes is over by then; that of a large
 * vault or a slow drive may take far longer, and no change to a note that has been read already would be found meanwhile.
 */
const WATCH_AFTER_MS = 30_000;

/** Files that only a folder of the app's settings has. */
const APP_FILES = ['core-plugins.json', 'workspace.json', 'appearance.json'];

/** Returns what the app's settings in the vault leave out of it. */
async function obsidianExclusions(root: string): Promise<AppExclusions> {
  const read = (at: string): Promise<string | null> =>
    readFile(path.join(root, at), 'utf8').catch((error: unknown) => {
      if (hasCode(error, 'ENOENT', 'ENOTDIR')) return null;
      throw error;
    });
  // A person may give the folder of the app's settings any name that begins with a dot.
  const hidden = (await readdir(root)).filter((name) => name.startsWith('.'));
  const found = await Promise.all(
    hidden.map(async (folder) => {
      const exclusions = await appExclusions(read, folder);
      // Another program may have a file of this name, in a form of its own.
      const isApps = folder === '.obsidian' || (await hasAny(path.join(root, folder), APP_FILES));
      return isApps ? exclusions : { ...exclusions, unread: [] };
    }),
  );
  return {
    filters: found.flatMap(({ filters }) => filters),
    templates: found.flatMap(({ templates }) => templates),
    unread: found.flatMap(({ unread }) => unread),
  };
}

/** Returns true for a folder with one of these files, and for one that cannot be listed. */
async function hasAny(folder: string, names: readonly string[]): Promise<boolean> {
  try {
    return (await readdir(folder)).some((name) => names.includes(name));
  } catch (error) {
    return !hasCode(error, 'ENOENT', 'ENOTDIR');
  }
}

/** Writes the first guidance, after everything else of the first start has succeeded. */
async function guide({ vault, config, catalog, log }: Brain): Promise<void> {
  if (!(await makeGuidance(vault, config.rootNote))) return;
  // The root note may be among the notes that are being read.
  catalog.markDirty({ kind: 'changed', path: vaultPath(config.rootNote) });
  log.info('guidance.made', { path: config.rootNote });
}

/**
 * Returns the choice of watching the inbox. An inbox that this start has made is empty, so it is watched unless the setting
 * says otherwise.
 */
function watchOf({ watch, watchDir }: Config, made: readonly string[]): WatchChoice['watch'] {
  if (watch !== undefined) return watch ? 'on' : 'off';
  return made.includes(watchDir) ? 'made' : 'unset';
}
