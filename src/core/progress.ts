import type { IfMatch } from './if-match';
import { BrainError } from './errors';
import type { StopSignal } from './host';

/** How far long work has come. */
export interface Progress {
  readonly done: number;
  readonly total: number;
}

/** Somebody who waits for long work: wants to hear how far it is, and may call it off. */
export interface Watch {
  /** What stands when it stops stays; everything else is left alone. */
  readonly signal?: StopSignal | undefined;
  /** Must not throw. */
  readonly progress?: ((progress: Progress) => void) | undefined;
  /** The versions at which the note that is changed may be, beside an `expected_hash` of the input. */
  readonly ifMatch?: IfMatch | undefined;
}

/** @throws BrainError `busy` when the work was called off. */
export function refuseStopped(signal: StopSignal | undefined): void {
  if (signal?.stopped !== true) return;
  throw new BrainError(
    'busy',
    'It was called off, and nothing was written. Start it again when it is wanted.',
  );
}
