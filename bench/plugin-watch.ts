// Watches the plugin from inside the process of the stand-in for the app; see `slices-in-app.ts`.
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { type Summary, summary, ThreadWatch } from './thread-watch';

/** The diagnostics channel of the plugin (`plugin/server/open-vault.ts`), whose module needs the app. */
const PACE_CHANNEL = 'brain-server:pace';

/** What was seen. `delay` is median, 99th percentile and longest, in milliseconds. */
export interface Seen {
  readonly slices: Summary;
  readonly gaps: Summary;
  readonly delay: readonly number[];
}

const delay = monitorEventLoopDelay({ resolution: 1 });
let thread: ThreadWatch | null = null;

function told(what: unknown): void {
  if (what === 'sliceBegins') thread?.sliceBegins();
  if (what === 'pieceBegins') thread?.pieceBegins();
  if (what === 'pieceEnds') thread?.pieceEnds();
}

export function begin(): void {
  thread = new ThreadWatch();
  subscribe(PACE_CHANNEL, told);
  delay.enable();
  process.on('SIGUSR2', () => {
    thread?.forget();
    delay.reset();
  });
}

export async function end(): Promise<Seen> {
  delay.disable();
  unsubscribe(PACE_CHANNEL, told);
  const ended = thread;
  thread = null;
  if (ended === null) throw new Error('The watch has not begun.');
  const { slices, gaps } = await ended.end();
  const inMs = [delay.percentile(50), delay.percentile(99), delay.max].map((time) => time / 1e6);
  return { slices: summary(slices), gaps: summary(gaps), delay: inMs };
}
