// Through the module and not its promises: inside the app only these calls wake the event loop of Node.
import { channel } from 'node:diagnostics_channel';
import { setImmediate, setTimeout } from 'node:timers';
import type { App } from 'obsidian';
import { converterSettings } from '../../adapters/documents/converter';
import { documentReader } from '../../adapters/documents/reader';
import { startWebThread } from '../../adapters/documents/web-thread';
import { outgoingHttp } from '../../adapters/host/http';
import { configuredModel } from '../../adapters/models/configured';
import { ollamaEmbedder } from '../../adapters/models/embedder';
import { obsidianHttp } from '../../adapters/obsidian/http';
import { openStorage, VaultInUse } from '../../adapters/obsidian/storage';
import { checkDsn, embeddedFolder, postgresSql } from '../../adapters/postgres/pg';
import { sqlVectorStore } from '../../adapters/postgres/vector-store';
import { nodeSourceFiles, tellMissingRoots } from '../../adapters/vault/sources';
import { type AuditLog, openAudit } from '../../core/audit/log';
import { Disposables } from '../../core/base/concurrency';
import type { Clock, Log } from '../../core/base/host';
import type { PaceWatch } from '../../core/base/steps';
import { type Config, ConfigError } from '../../core/config/config';
import { inboxFolder } from '../../core/documents/paths';
import type { WatchChoice } from '../../core/documents/ports';
import type { HybridPorts } from '../../core/embeddings/retrieval';
import { makeGuidance } from '../../core/notes/guidance';
import type { Brain, QuarantinedFile } from '../../core/operation/context';
import type { HttpClient } from '../../core/ports/ports';
import type { Plan } from '../../core/storage/plan';
import { followVault } from '../../core/vault/follow';
import { openBrain } from '../../core/vault/open';
import type { Check } from '../../core/vocabulary/check';
import { LAYOUT } from '../../core/vocabulary/paths';
import { createLocalClient, type LocalClient } from './client';

/**
 * Embedder and vector store as configured, or null when hybrid retrieval is not. Nothing is asked of either yet.
 * @throws ConfigError for an address that cannot be one, and for an embedded database: it would take half a gigabyte of the
 * app's memory.
 */
async function openHybrid(
  { pgDsn, pgSchema, pgPool, ...config }: Config,
  log: Log,
  http: HttpClient,
): Promise<HybridPorts | null> {
  if (pgDsn === undefined || config.embedUrl === undefined) return null;
  if (embeddedFolder(pgDsn) !== null) {
    throw new ConfigError(
      'BRAIN_PG_DSN begins with "pglite:", the embedded database, which runs in the headless server only. Give the address of a Postgres server, or unset BRAIN_PG_DSN and BRAIN_EMBED_URL to search by words alone.',
    );
  }
  await checkDsn(pgDsn);
  const embedder = ollamaEmbedder({
    http,
    url: config.embedUrl,
    model: config.embedModel,
    docPrefix: config.embedDocPrefix,
    queryPrefix: config.embedQueryPrefix,
  });
  return { embedder, vectors: sqlVectorStore(postgresSql(pgDsn, log, pgPool), pgSchema) };
}

/** The name by which whoever measures the plugin, from inside its process, hears of its paced work: which of these happens. */
export const PACE_CHANNEL = 'brain-server:pace';

/** Tells the channel of the pieces of work, when anybody listened to it before the vault was opened; else there is no watch. */
function watchOfChannel(): PaceWatch | undefined {
  const told = channel(PACE_CHANNEL);
  if (!told.hasSubscribers) return undefined;
  const tell = (what: keyof PaceWatch) => () => told.publish(what);
  return {
    sliceBegins: tell('sliceBegins'),
    pieceBegins: tell('pieceBegins'),
    pieceEnds: tell('pieceEnds'),
  };
}

export interface OpenVaultOptions {
  readonly app: App;
  readonly config: Config;
  readonly version: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly log: Log;
  /** True when the person has just agreed to use this vault: its folders and the first guidance are made. */
  readonly isFirst: boolean;
  /** What only the host can know of the service, for its status. */
  readonly hostChecks: () => Promise<readonly Check[]>;
  /** Told of every change that an operation has made; must not throw. */
  readonly committed?: (plan: Plan) => void;
  /** Told of every file of the inbox that was put into quarantine; must not throw. */
  readonly quarantined?: (file: QuarantinedFile) => void;
}

/** The vault of the app, which this process alone may change, with everything that doors and screens need. */
export interface OpenVault {
  readonly brain: Brain;
  readonly audit: AuditLog;
  /** The way of the person's own screens. */
  readonly client: Pick<LocalClient, 'call' | 'changes' | 'ingestFile'>;
  /** Resolves when the notes have been read; rejects when that failed. */
  readonly loaded: Promise<void>;
  /** Finishes the write that runs, then lets go of the vault; the lock goes last. */
  close(): Promise<void>;
}

/** An opened vault, or who else has it: a sentence for the person. */
export type Opening = { readonly opened: OpenVault } | { readonly inUse: string };

/**
 * Opens the vault of the app, whose layout must be ready: lock, stores, journal, catalog. The catalog is filled in the
 * background. Rejects when the state of the vault cannot be used; nothing stays open then.
 */
export async function openVault(options: OpenVaultOptions): Promise<Opening> {
  const { app, config, version, env, clock, log, isFirst } = options;
  const closers = new Disposables();
  const hybridPorts = await openHybrid(config, log, obsidianHttp(sleep));
  try {
    const { vault, state, device, place, ...storage } = await openStorage(app, {
      ...{ env, clock, log, breathe },
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
    const sources =
      place === ''
        ? null
        : nodeSourceFiles({
            root: place,
            watchDir: config.watchDir,
            allowed: config.ingestRoots,
            secret: [],
          });
    if (sources !== null) void tellMissingRoots(config.ingestRoots, log);
    const documents = documentReader({
      log,
      startThread: startWebThread,
      // The app's own client would send the converter's token wherever a redirect leads.
      http: outgoingHttp,
      settings: converterSettings(env, config),
      sleep,
      breathe,
    });
    closers.add(async () => documents.close());
    const ports = {
      vault,
      state,
      clock,
      log,
      documents,
      committed,
      ...(options.quarantined && { quarantined: options.quarantined }),
      ...(sources && { sources }),
      ...(model && { model }),
      ...(hybridPorts && { hybridPorts }),
    };
    const paceWatch = watchOfChannel();
    const opened = await openBrain(ports, config, {
      device,
      version,
      place,
      sleep,
      breathe,
      ...(paceWatch && { paceWatch }),
      hostChecks: options.hostChecks,
      inbox: watchChoice(config, device),
    });
    closers.add(() => opened.close());
    const { brain, loaded } = opened;
    const following = followVault(brain, sleep);
    closers.add(() => following.close());
    const audit = await openAudit({ state, clock, device, ends: brain.auditEnds });
    const local = (client = createLocalClient(brain));
    closers.add(async () => local.close());
    // Who asked while the notes were being read was told to come again. That the reading failed is told by `loaded` itself.
    loaded.then(
      () => local.changed(),
      () => undefined,
    );
    return { opened: { brain, audit, client: local, loaded, close: () => closers.close() } };
  } catch (error) {
    await closers.close();
    if (error instanceof VaultInUse) return { inUse: error.message };
    throw error;
  }
}

/** One device watches, by its name in the settings, which all that share the vault have: else each would take every file. */
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
