import { StopController } from '../base/concurrency';
import { refreshCatalog } from '../catalog/load';
import type { Brain } from '../operation/context';
import { runRules } from '../rules/run';
import { zoneOf } from '../vocabulary/paths';
import { afterQuiet, type Following } from './quiet';

/**
 * The rules are also run in this interval (ms): a note that was put off comes back, a new day begins, a link gets its target,
 * and none of these changes the queue.
 */
const LOOK_EVERY_MS = 10 * 60 * 1000;

/**
 * Lets the rules promote ready notes in the background: at start, after the queue or a rule has changed, and now and then. A
 * changed rule stops the run at once; the next run goes by the change.
 * @param sleep resolves after this many milliseconds without keeping the process alive
 */
export function followRules(brain: Brain, sleep: (milliseconds: number) => Promise<void>): Following {
  let stop = new StopController();
  let isClosed = false;
  const quiet = afterQuiet(
    brain,
    'rules.run',
    async () => {
      stop = new StopController();
      if (isClosed) return;
      await refreshCatalog(brain);
      await runRules(brain, stop);
    },
    sleep,
  );
  const onRulesChanged = (): void => {
    stop.stop();
    quiet.wake();
  };
  brain.rulesChanged.add(onRulesChanged);
  const stopListening = [
    () => brain.rulesChanged.delete(onRulesChanged),
    brain.catalog.follow((path) => {
      if (zoneOf(path) === 'raw') quiet.wake();
    }),
    // The catalog does not read the changes of others until somebody asks for them.
    brain.vault.changes(({ path }) => {
      if (zoneOf(path) === 'raw') quiet.wake();
    }),
  ];

  async function keepLooking(): Promise<void> {
    while (!isClosed) {
      quiet.wake();
      await sleep(LOOK_EVERY_MS);
    }
  }
  void keepLooking();

  return {
    async close() {
      isClosed = true;
      stop.stop();
      for (const stopOne of stopListening) stopOne();
      await quiet.close();
    },
  };
}
