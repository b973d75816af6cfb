import { realpath } from 'node:fs/promises';
import { setImmediate as breathe, setTimeout as sleep } from 'node:timers/promises';
import { configuredModel } from '../adapters/llm/configured-model';
import type { Environment } from '../adapters/node/config-folder';
import { deviceId } from '../adapters/node/device';
import { VaultInUse } from '../adapters/node/lock';
import { outgoingHttp } from '../adapters/node/outgoing-http';
import { openStorage } from '../adapters/node/storage';
import { systemClock } from '../adapters/node/system-clock';
import { type AuditLog, openAudit } from '../core/audit/audit-log';
import type { Brain } from '../core/brain';
import type { Config } from '../core/config';
import type { Check } from '../core/notes/check';
import { followVault } from '../core/notes/follow-vault';
import { makeGuidance } from '../core/notes/first-guidance';
import { openBrain } from '../core/open-brain';
import type { Log } from '../core/ports';
import { Closers } from './closers';
import { makeLayout } from './first-run';
import { CommandError } from './io';
import { openHybrid } from './open-hybrid';
import { VERSION } from './version';

/** A vault on disk that this process alone may change, with everything that the doors need. */
export interface OpenVault {
  readonly brain: Brain;
  readonly audit: AuditLog;
  /** Finishes the write that runs, then lets go of the vault; the lock goes last. */
  close(): Promise<void>;
}

/**
 * Opens the vault in the folder `root`, which is made when it is absent: layout, lock, stores, journal, catalog. The
 * catalog is filled in the background. `checks` is what the host adds to the status.
 * @throws CommandError when the folder cannot be a vault or another process holds it, Error when its state cannot be read.
 * Nothing stays open then.
 */
export async function openVault(
  root: string,
  config: Config,
  env: Environment,
  log: Log,
  checks: () => Promise<readonly Check[]> = async () => [],
): Promise<OpenVault> {
  const closers = new Closers();
  try {
    const device = deviceId(env);
    await makeLayout(root);
    const { vault, state, ...storage } = await openStorage(root, { device, clock: systemClock, log });
    closers.add(() => storage.close());
    if (await makeGuidance(vault, config.rootNote)) log.info('guidance.made', { path: config.rootNote });
    const options = {
      device,
      version: VERSION,
      place: await realpath(root),
      sleep: (ms: number) => sleep(ms, undefined, { ref: false }),
      breathe: () => breathe(),
      hostChecks: checks,
    };
    const model = configuredModel(config, outgoingHttp);
    const hybridPorts = await openHybrid(config, log, closers);
    const ports = {
      ...{ vault, state, clock: systemClock, log },
      ...(model && { model }),
      ...(hybridPorts && { hybridPorts }),
    };
    const opened = await openBrain(ports, config, options);
    closers.add(() => opened.close());
    const following = followVault(opened.brain, options.sleep);
    closers.add(() => following.close());
    const audit = await openAudit({ state, clock: systemClock, device });
    return { brain: opened.brain, audit, close: () => closers.close() };
  } catch (error) {
    await closers.close();
    throw error instanceof VaultInUse ? new CommandError(error.message) : error;
  }
}
