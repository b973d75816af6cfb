// `node:timers` and not its promises: inside the app only these functions wake Node's event loop.
import { channel } from 'node:diagnostics_channel';
import { setImmediate, setTimeout } from 'node:timers';
import type { App } from 'obsidian';
import { converterSettings } from '../../adapters/documents/converter';
import { documentReader, type OpenDocumentReader } from '../../adapters/documents/reader';
import { startWebThread } from '../../adapters/documents/web-thread';
import { processTime } from '../../adapters/host/device';
import { outgoingHttp } from '../../adapters/host/http';
import { localVectorStore } from '../../adapters/local/vector-store';
import { configuredEmbedder, configuredModel } from '../../adapters/models/configured';
import { obsidianHttp } from '../../adapters/obsidian/http';
import { exclusionsOf, openStorage, VaultInUse } from '../../adapters/obsidian/storage';
import { checkDsn, postgresSql } from '../../adapters/postgres/pg';
import { sqlVectorStore } from '../../adapters/postgres/vector-store';
import { nodeSourceFiles, logMissingRoots } from '../../adapters/vault/sources';
import { openImportFolders } from '../../adapters/vault/import-folders';
import { openUploads } from '../../adapters/vault/uploads';
import { type AuditLog, openAudit } from '../../core/audit/log';
import { Disposables } from '../../core/base/concurrency';
import type { Clock, Log } from '../../core/base/host';
import type { PaceWatch } from '../../core/base/steps';
import { type Config, LOCAL_DSN } from '../../core/config/config';
import { inboxFolder, logUnread, readScopeOf } from '../../core/documents/paths';
import type { SourceFiles, WatchChoice } from '../../core/documents/ports';
import type { HybridPorts } from '../../core/embeddings/retrieval';
import { makeGuidance } from '../../core/notes/guidance';
import type { Brain, QuarantinedFile } from '../../core/operation/context';
import { alone, type HttpClient } from '../../core/ports/ports';
import type { Plan } from '../../core/storage/plan';
import { followVault } from '../../core/vault/follow';
import { followAttachments } from '../../core/vault/follow-attachments';
import { followRules } from '../../core/vault/follow-rules';
import { openBrain } from '../../core/vault/open';
import type { Check } from '../../core/vocabulary/check';
import { LAYOUT } from '../../core/vocabulary/paths';
import { createLocalClient, type LocalClient } from './client';

/**
 * Opens the configured embedder and vector store, without a request to either. Returns null when hybrid retrieval is not configured.
 * @throws ConfigError for an invalid address.
 */
async function openHybrid(
  { pgDsn, pgSchema, pgPool, ...config }: Config,
  log: Log,
  http: HttpClient,
): Promise<HybridPorts | null> {
  if (pgDsn === undefined || config.embedUrl === undefined) return null;
  // The app's own client would send the key to any target of a redirect.
  const client = config.embedKey === undefined ? http : outgoingHttp;
  const embedder = configuredEmbedder(config.embedUrl, config, client);
  if (pgDsn === LOCAL_DSN) return { embedder, vectors: localVectorStore };
  await checkDsn(pgDsn);
  const sql = postgresSql(pgDsn, log, pgPool);
  return { embedder, vectors: ({ pace }) => sqlVectorStore(sql, pgSchema, pace) };
}

/** The diagnostics channel of paced work, for measurements inside the process. A message is the name of an event. */
const PACE_CHANNEL = 'brain-server:pace';

/** Returns a watch that publishes to the channel; undefined when the channel has no subscriber yet. */
function publishPace(): PaceWatch | undefined {
  const paceChannel = channel(PACE_CHANNEL);
  if (!paceChannel.hasSubscribers) return undefined;
  const publish = (event: keyof PaceWatch) => () => paceChannel.publish(event);
  return {
    sliceBegins: publish('sliceBegins'),
    pieceBegins: publish('pieceBegins'),
    pieceEnds: publish('pieceEnds'),
  };
}

export interface OpenVaultOptions {
  readonly app: App;
  readonly config: Config;
  readonly version: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly log: Log;
  /** True when the person has just agreed to use this vault. Its folders and first guidance are created then. */
  readonly isFirst: boolean;
  /** Called once when another service has taken the vault over while the app stood still. */
  readonly onLost: () => void;
  /** Returns the checks that only the host can make, for the status. */
  readonly hostChecks: () => Promise<readonly Check[]>;
  /** Called after every change that an operation commits. Must not throw. */
  readonly committed?: (plan: Plan) => void;
  /** Called after a file of the inbox is put into quarantine. Must not throw. */
  readonly quarantined?: (file: QuarantinedFile) => void;
}

/** The open vault of the app, with what doors and screens need. This process holds its lock. */
export interface OpenVault {
  readonly brain: Brain;
  readonly audit: AuditLog;
  /** The client of the screens. */
  readonly client: Pick<LocalClient, 'call' | 'changes' | 'ingestFile' | 'sendPart'>;
  /** Finishes the running write, closes the vault, and releases the lock last. */
  close(): Promise<void>;
}

/** An open vault, or a sentence for the person about the process that has it open. */
export type Opening = { readonly opened: OpenVault } | { readonly inUse: string };

/**
 * Opens the vault of the app, whose workspace layout must be ready: lock, stores, journal, catalog. Fills the catalog in the
 * background. Closes everything and rejects when the state of the vault is unusable.
 */
export async function openVault(options: OpenVaultOptions): Promise<Opening> {
  const { app, config, version, env, clock, log, isFirst, onLost } = options;
  const closers = new Disposables();
  const hybridPorts = await openHybrid(config, log, obsidianHttp(sleep));
  try {
    const { vault, state, device, place, keeper, ...storage } = await openStorage(app, {
      ...{ env, clock, log, breathe, onLost },
      inbox: inboxFolder(config.watchDir),
    });
    closers.add(() => storage.close());
    if (isFirst) {
      await vault.makeFolders(LAYOUT);
      if (await makeGuidance(vault, config.rootNote)) log.info('guidance.made', { path: config.rootNote });
    }
    let client: LocalClient | null = null;
    const committed = (plan: Plan): void => {
      client?.changed();
      options.committed?.(plan);
    };
    const model = configuredModel(config, obsidianHttp(sleep));
    const sources = openSources(place, config, log);
    const uploads = place === '' ? null : await openUploads(place, device, keeper);
    if (uploads !== null) closers.add(() => uploads.close());
    const imports = place === '' ? null : await openImportFolders(place, device, keeper);
    if (imports !== null) closers.add(() => imports.close());
    const documents = openDocuments(options);
    closers.add(async () => documents.close());
    const ports = {
      vault,
      state,
      clock,
      log,
      documents,
      exports: documents.exports,
      servers: alone,
      committed,
      ...(options.quarantined && { quarantined: options.quarantined }),
      ...(sources && { sources }),
      ...(uploads && { uploads }),
      ...(imports && { imports }),
      ...(model && { model }),
      ...(hybridPorts && { hybridPorts }),
    };
    const paceWatch = publishPace();
    const scope = readScopeOf(config, await exclusionsOf(app.vault));
    logUnread(scope, log);
    const opened = await openBrain(ports, config, {
      device,
      version,
      place,
      scope,
      isFirst,
      sleep,
      breathe,
      ...(paceWatch && { paceWatch }),
      hostChecks: options.hostChecks,
      inbox: watchChoice(config, device),
    });
    closers.add(() => opened.close());
    const { brain, read } = opened;
    const following = followVault(brain, sleep);
    closers.add(() => following.close());
    const rules = followRules(brain, sleep);
    closers.add(() => rules.close());
    const attachments = followAttachments(brain, sleep);
    closers.add(() => attachments.close());
    const audit = await openAudit({ state, clock, device, ends: brain.auditEnds });
    const local = (client = createLocalClient(brain));
    closers.add(async () => local.close());
    // Screens that called before the notes were read got an error, and call again now.
    read.then(
      () => local.changed(),
      () => undefined,
    );
    return { opened: { brain, audit, client: local, close: () => closers.close() } };
  } catch (error) {
    await closers.close();
    if (error instanceof VaultInUse) return { inUse: error.message };
    throw error;
  }
}

/** Returns access to the source files of this machine; null when the vault is not in a folder of it. */
function openSources(place: string, config: Config, log: Log): SourceFiles | null {
  if (place === '') return null;
  void logMissingRoots(config.ingestRoots, log);
  return nodeSourceFiles({
    root: place,
    watchDir: config.watchDir,
    allowed: config.ingestRoots,
    secret: [],
  });
}

function openDocuments({ config, env, log }: OpenVaultOptions): OpenDocumentReader {
  return documentReader({
    log,
    startThread: startWebThread,
    used: processTime,
    // The app's own client would send the converter's token to any target of a redirect.
    http: outgoingHttp,
    settings: converterSettings(env, config),
    sleep,
    breathe,
  });
}

/** Returns whether this device watches the inbox. The settings, which devices share, name the one that does. */
function watchChoice({ watch, watcherDevice }: Config, device: string): WatchChoice {
  const isHere = watcherDevice === device && watch !== false;
  return { watch: isHere ? 'on' : 'off', elsewhere: watcherDevice !== undefined && watcherDevice !== device };
}

function sleep(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds).unref();
  });
}

function breathe(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
