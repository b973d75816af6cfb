import type { Clock } from '../../core/base/host';

/** The machine's own clock. */
export const systemClock: Clock = { now: () => new Date() };
