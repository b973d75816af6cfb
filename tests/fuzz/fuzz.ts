import path from 'node:path';
import * as fc from 'fast-check';
import { FACTOR, SEED } from './seed';

export { FACTOR, SEED };

/** What a property may take for all its runs in the ordinary mode. */
const LIMIT_MS = 240_000;

process.stderr.write(`${fileName()}: BRAIN_FUZZ_SEED=${SEED} BRAIN_FUZZ_RUNS=${FACTOR}\n`);

/**
 * A test that tries a property so often, first of all on `examples`: the cases that failed once. A failure prints the seed
 * and the smallest input that was found.
 */
export function fuzz<Inputs>(
  title: string,
  runs: number,
  property: fc.IProperty<Inputs> | fc.IAsyncProperty<Inputs>,
  examples: Inputs[] = [],
): void {
  const numRuns = Math.max(1, Math.round(runs * FACTOR)) + examples.length;
  const parameters = { numRuns, seed: SEED, examples };
  it(
    title,
    async () => {
      await fc.assert(property, parameters);
    },
    Math.max(LIMIT_MS, LIMIT_MS * FACTOR),
  );
}

function fileName(): string {
  return path.basename(expect.getState().testPath ?? 'fuzz');
}
