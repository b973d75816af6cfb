import type * as FastCheck from 'fast-check';
import { SEED } from '../fuzz/seed';
import { IS_NIGHT } from './by-night';

const asksForAll = [process.env.BRAIN_FUZZ_RUNS, process.env.BRAIN_FUZZ_SEED].some(
  (value) => (value ?? '') !== '',
);

/** A property that names more than two hundred runs and no seed draws a fifth of them by day, and at least a hundred. */
function runsNow({ numRuns = 0, seed }: { numRuns?: number; seed?: number }): number {
  const isWhole = IS_NIGHT || asksForAll || seed !== undefined || numRuns <= 200;
  return isWhole ? numRuns : Math.max(100, Math.ceil(numRuns / 5));
}

// Properties that name no seed draw the same in every ordinary run. The seed of a property that fails is in its message.
// Only the suites that use the module load it.
jest.mock('fast-check', () => {
  const real = jest.requireActual<typeof FastCheck>('fast-check');
  real.configureGlobal({ seed: SEED });
  function assert<T>(property: FastCheck.IProperty<T>, settings: FastCheck.Parameters<T> = {}): unknown {
    const named = settings.numRuns === undefined ? settings : { ...settings, numRuns: runsNow(settings) };
    return real.assert(property, named);
  }
  return { ...real, assert, default: { ...real.default, assert }, __esModule: true };
});
