import type { Brain, BrainPorts } from './brain';
import { Catalog } from './catalog/catalog';
import { loadCatalog } from './catalog/load';
import { OutsideChanges } from './catalog/outside-changes';
import type { Config } from './config';
import { BrainError } from './errors';
import type { Check } from './notes/check';
import { VersionCounts } from './notes/version-counts';
import { refreshOwnWings } from './notes/wing-index';
import { Pace } from './pace';
import { RateLimit } from './rate-limit';
import { recover } from './recover';
import { WriteQueue } from './write-queue';

/** A call that arrives while the vault is still being read waits this long before it is told to come back. */
const READY_WAIT_MS = 10_000;

export interface OpenOptions {
  readonly device: string;
  readonly version: string;
  /** Resolves after so many milliseconds without keeping the process alive. */
  readonly sleep: (milliseconds: number) => Promise<void>;
  /** Resolves in a later turn of the event loop, as soon as what waits there has had its turn. */
  readonly breathe: () => Promise<void>;
  /** What the host adds to the checks of the status; asked each time. */
  readonly hostChecks?: () => Promise<readonly Check[]>;
}

export interface OpenedBrain {
  readonly brain: Brain;
  /** Resolves when the vault has been read; rejects when that failed. */
  readonly loaded: Promise<void>;
  /** Stops listening for changes and resolves when the last queued write has ended. */
  close(): Promise<void>;
}

/**
 * Opens a vault: settles what an earlier run left half done, then reads the notes in the background. Nothing else may
 * write to the vault meanwhile (the host holds the lock). Safe to be cut anywhere and begun again.
 */
export async function openBrain(
  ports: BrainPorts,
  config: Config,
  options: OpenOptions,
): Promise<OpenedBrain> {
  const recovery = await recover(ports, options.device);
  for (const message of recovery.attention) ports.log.warn('recovery.attention', { message });
  const catalog = new Catalog();
  const writer = new WriteQueue();
  const pace = new Pace(options.breathe, ports.clock);
  const stopListening = ports.vault.changes((change) => catalog.markDirty(change));
  let isReady = false;
  const read = loadCatalog({ ...ports, catalog, pace }).then(() => {
    isReady = true;
  });
  // Whoever calls learns of a failure from `ready`; that nobody calls must not end the process.
  read.catch((error: unknown) => ports.log.error('catalog.load', { message: String(error) }));
  const brain: Brain = {
    ...ports,
    config,
    version: options.version,
    startId: ports.clock.now().getTime().toString(36),
    device: options.device,
    catalog,
    outside: new OutsideChanges(),
    pace,
    writer,
    rate: new RateLimit(config.rateLimit, ports.clock),
    versions: new VersionCounts(),
    recovery,
    hostChecks: options.hostChecks ?? (async () => []),
    isReady: () => isReady,
    async ready() {
      if (isReady) return;
      const late = Symbol('late');
      const first = await Promise.race([read, options.sleep(READY_WAIT_MS).then(() => late)]);
      if (first === late && !isReady) {
        throw new BrainError('starting', 'The vault is still being read. Try again in a few seconds.', {
          retry_after: 5,
        });
      }
    },
  };
  const loaded = read.then(() => refreshOwnWings(brain));
  loaded.catch(() => undefined); // Logged above.
  return {
    brain,
    loaded,
    async close() {
      stopListening();
      await writer.idle();
    },
  };
}
