// Watches the plugin from inside the process of the stand-in for the app; see `slices-in-app.ts`.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import timers from 'node:timers';
import { type Summary, summary, ThreadWatch } from './thread-watch';

/** What was seen. `delay` is median, 99th percentile and longest, in milliseconds. */
export interface Seen {
  readonly slices: Summary;
  readonly gaps: Summary;
  readonly delay: readonly number[];
}

const delay = monitorEventLoopDelay({ resolution: 1 });
let thread: ThreadWatch | null = null;
let isHeld = false;

/** The turn that a slice began in is over, or the slice is: work that has had its time asks for the next turn. */
function letGo(): void {
  if (isHeld) thread?.pieceEnds();
  isHeld = false;
}

function beat(): void {
  letGo();
  if (thread !== null) timers.setImmediate(beat);
}

/** The built plugin cannot be told to be watched, but its work comes back from each rest through this one call. */
export const modules = {
  'node:timers': {
    ...timers,
    setImmediate: (run: () => void) => {
      letGo();
      return timers.setImmediate(() => {
        thread?.sliceBegins();
        thread?.pieceBegins();
        isHeld = true;
        run();
      });
    },
  },
};

export function begin(): void {
  thread = new ThreadWatch();
  delay.enable();
  beat();
}

export async function end(): Promise<Seen> {
  delay.disable();
  const ended = thread;
  thread = null;
  if (ended === null) throw new Error('The watch has not begun.');
  const { slices, gaps } = await ended.end();
  const inMs = [delay.percentile(50), delay.percentile(99), delay.max].map((time) => time / 1e6);
  return { slices: summary(slices), gaps: summary(gaps), delay: inMs };
}
