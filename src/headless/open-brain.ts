import { realpath } from 'node:fs/promises';
import { homedir } from 'node:os';
import { setImmediate as breathe, setTimeout as sleep } from 'node:timers/promises';
import { converterSettings } from '../adapters/documents/converter-settings';
import { documentReader } from '../adapters/documents/document-reader';
import { characterMapFolder, nodeThreads } from '../adapters/documents/node-thread';
import { configuredModel } from '../adapters/llm/configured-model';
import { configFolder, type Environment } from '../adapters/node/config-folder';
import { deviceId } from '../adapters/node/device';
import { VaultInUse } from '../adapters/node/lock';
import { outgoingHttp } from '../adapters/node/outgoing-http';
import { nodeSourceFiles, tellMissingRoots } from '../adapters/node/source-files';
import { openStorage } from '../adapters/node/storage';
import { systemClock } from '../adapters/node/system-clock';
import { type AuditLog, openAudit } from '../core/audit/audit-log';
import type { Brain } from '../core/brain';
import type { Config } from '../core/config';
import type { WatchChoice } from '../core/ingest/inbox-port';
import { inboxFolder } from '../core/ingest/inbox-rules';
import { followVault } from '../core/notes/follow-vault';
import { makeGuidance } from '../core/notes/first-guidance';
import { openBrain, type OpenOptions } from '../core/open-brain';
import type { Log } from '../core/host';
import { vaultPath } from '../core/rules/paths';
import { Closers } from './closers';
import { isEmptyFolder } from './empty-folder';
import { makeLayout } from './first-run';
import { CommandError } from './io';
import { openHybrid } from './open-hybrid';
import { VERSION } from './version';

/** The vault is watched once it has been read, or after so many milliseconds: until then the machine has enough to do. */
const WATCH_WAIT_MS = 10_000;

/** A vault on disk that this process alone may change, with everything that the doors need. */
export interface OpenVault {
  readonly brain: Brain;
  readonly audit: AuditLog;
  /** Finishes the write that runs, then lets go of the vault; the lock goes last. */
  close(): Promise<void>;
}

/**
 * Opens the vault in the folder `root`, which is made when it is absent: layout, lock, stores, journal, catalog. The
 * catalog is filled in the background. A folder that was empty gets the first guidance, and no other one ever does. `checks`
 * is what the host adds to the status.
 * @throws CommandError when the folder cannot be a vault or another process holds it, Error when its state cannot be read.
 * Nothing stays open then.
 */
export async function openVault(
  root: string,
  config: Config,
  env: Environment,
  log: Log,
  checks: NonNullable<OpenOptions['hostChecks']> = async () => [],
): Promise<OpenVault> {
  const closers = new Closers();
  try {
    const device = deviceId(env);
    const isNew = await isEmptyFolder(root);
    // Before anything is made: a start that is refused for its database leaves nothing behind.
    const hybridPorts = await openHybrid(config, log, closers);
    const made = await makeLayout(root);
    let startWatching: () => void = () => undefined;
    const watchAfter = new Promise<void>((resolve) => (startWatching = resolve));
    const { vault, state, ...storage } = await openStorage(root, {
      device,
      clock: systemClock,
      log,
      watchAfter,
      alsoWatch: inboxFolder(config.watchDir) ?? undefined,
    });
    closers.add(() => storage.close());
    const place = await realpath(root);
    const options = {
      device,
      version: VERSION,
      place,
      sleep: (ms: number) => sleep(ms, undefined, { ref: false }),
      breathe: () => breathe(),
      hostChecks: checks,
      inbox: { watch: watchOf(config, made) },
    };
    const model = configuredModel(config, outgoingHttp);
    const sources = nodeSourceFiles({
      root: place,
      watchDir: config.watchDir,
      allowed: config.ingestRoots,
      secret: [configFolder(env, process.platform, homedir())],
    });
    void tellMissingRoots(config.ingestRoots, log);
    const documents = documentReader({
      log,
      startThread: nodeThreads(characterMapFolder()),
      http: outgoingHttp,
      settings: converterSettings(env, config),
      sleep: options.sleep,
      breathe: options.breathe,
    });
    closers.add(async () => documents.close());
    const ports = {
      ...{ vault, state, clock: systemClock, log, sources, documents },
      ...(model && { model }),
      ...(hybridPorts && { hybridPorts }),
    };
    const opened = await openBrain(ports, config, options);
    closers.add(() => opened.close());
    // That it could not be read is logged there.
    const read = opened.loaded.catch(() => undefined);
    void Promise.race([read, options.sleep(WATCH_WAIT_MS)]).then(startWatching);
    const following = followVault(opened.brain, options.sleep);
    closers.add(() => following.close());
    const ends = opened.brain.auditEnds;
    const audit = await openAudit({ state, clock: systemClock, device, ends });
    if (isNew) await guide(opened.brain);
    return { brain: opened.brain, audit, close: () => closers.close() };
  } catch (error) {
    await closers.close();
    throw error instanceof VaultInUse ? new CommandError(error.message) : error;
  }
}

/** Writes the first guidance, once everything else of the first start has succeeded. */
async function guide({ vault, config, catalog, log }: Brain): Promise<void> {
  if (!(await makeGuidance(vault, config.rootNote))) return;
  // It may stand among the notes, which are being read already.
  catalog.markDirty({ kind: 'changed', path: vaultPath(config.rootNote) });
  log.info('guidance.made', { path: config.rootNote });
}

/** An inbox that this start has made holds nothing that somebody could miss, so it is watched unless told otherwise. */
function watchOf({ watch, watchDir }: Config, made: readonly string[]): WatchChoice['watch'] {
  if (watch !== undefined) return watch ? 'on' : 'off';
  return made.includes(watchDir) ? 'made' : 'unset';
}
