import type { FixedClock } from './fixed-clock';

/** Sleepers who wake when a test lets the time pass. */
export interface ManualSleep {
  readonly sleep: (milliseconds: number) => Promise<void>;
  /** Lets the time pass, waking those who are due in their order, each with time to fall asleep again. */
  pass(milliseconds: number): Promise<void>;
}

export function manualSleep(clock: FixedClock): ManualSleep {
  const sleepers = new Set<{ left: number; readonly wake: () => void }>();
  return {
    sleep: (milliseconds) =>
      new Promise((resolve) => sleepers.add({ left: Math.max(1, milliseconds), wake: resolve })),
    async pass(milliseconds) {
      for (let left = milliseconds; left > 0;) {
        await turn();
        const step = Math.min(left, ...[...sleepers].map((sleeper) => sleeper.left));
        clock.advance(step);
        left -= step;
        for (const sleeper of [...sleepers]) {
          sleeper.left -= step;
          if (sleeper.left > 0) continue;
          sleepers.delete(sleeper);
          sleeper.wake();
        }
        await turn();
      }
    },
  };
}

/** What is under way without timers comes to rest meanwhile. */
async function turn(): Promise<void> {
  for (let at = 0; at < 20; at += 1) await new Promise((resolve) => setImmediate(resolve));
}
