import type { Clock } from '../../core/ports';

/** The machine's own clock. */
export const systemClock: Clock = { now: () => new Date() };
