import { Pace } from '../../src/core/base/steps';

/** A scheduler as a server has one: slices of the event loop by the clock of this machine. */
export function nodePace(): Pace {
  return new Pace(() => new Promise((resolve) => setImmediate(resolve)), { now: () => new Date() });
}
