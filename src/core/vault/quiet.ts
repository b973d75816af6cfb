import type { Brain } from '../operation/context';

/** Work begins when the vault has not changed for this long (ms): the move of a folder comes as many events. */
const QUIET_MS = 2000;
/** After this many waits, work begins even if the vault still changes, because someone may type for an hour. */
const MAX_WAITS = 15;

/** Work in the background that follows the changes of a vault. */
export interface Following {
  /** Stops listening and resolves when the running work has ended. Pending work is dropped. */
  close(): Promise<void>;
}

/**
 * Debounces work in the background: after each `wake`, `settle` runs once the vault has been read and no other `wake` has come
 * for 2 s, or after 30 s of them. Runs do not overlap. An error of `settle` is logged under `event`.
 * @param sleep resolves after this many milliseconds without keeping the process alive
 */
export function afterQuiet(
  { isReady, log }: Pick<Brain, 'isReady' | 'log'>,
  event: string,
  settle: () => Promise<void>,
  sleep: (milliseconds: number) => Promise<void>,
): Following & { wake(): void } {
  let events = 0;
  let done = 0;
  let stopped = false;
  let following = false;
  let settling: Promise<void> = Promise.resolve();

  async function follow(): Promise<void> {
    following = true;
    while (done < events) {
      await quiet();
      if (stopped) return;
      // Changes after this point need another run.
      done = events;
      await (settling = settle().catch((error: unknown) => {
        log.error(event, { message: String(error) });
      }));
    }
    following = false;
  }

  /** Resolves when the vault has been quiet and was read, or after a long wait. */
  async function quiet(): Promise<void> {
    let seen = -1;
    for (let waits = 0; !stopped && (!isReady() || (seen !== events && waits < MAX_WAITS)); waits += 1) {
      seen = events;
      await sleep(QUIET_MS);
    }
  }

  return {
    wake() {
      events += 1;
      if (!following) void follow();
    },
    async close() {
      stopped = true;
      await settling;
    },
  };
}
