/** Whether the runs of the night are on, which have the time for every variant: `BRAIN_LONG_TESTS` is set. */
export const IS_NIGHT = (process.env.BRAIN_LONG_TESTS ?? '') !== '';

/** The variants of a test that are tried now: all by night, and else the first `count`, so the ones that say most come first. */
export function byDay<T>(count: number, variants: readonly T[]): readonly T[] {
  return IS_NIGHT ? variants : variants.slice(0, count);
}
