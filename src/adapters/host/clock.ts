import type { Clock } from '../../core/base/host';

/** The clock of this machine. */
export const systemClock: Clock = { now: () => new Date() };
