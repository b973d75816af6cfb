/**
 * How much is tried: `BRAIN_FUZZ_RUNS=100` tries a hundred times as much as `npm test` does, for a night, and something else
 * each time; and `BRAIN_FUZZ_SEED` tries again what another run has tried, with the same number of runs. Without either the
 * same is tried every time, so that a change is judged by what it changes.
 */
export const FACTOR = numberFrom('BRAIN_FUZZ_RUNS', 1);
export const SEED = numberFrom(
  'BRAIN_FUZZ_SEED',
  FACTOR === 1 ? 20_261_122 : Math.trunc(Math.random() * 2 ** 31),
);

function numberFrom(variable: string, otherwise: number): number {
  const text = process.env[variable] ?? '';
  if (text === '') return otherwise;
  if (/^-?\d+(?:\.\d+)?$/.test(text)) return Number(text);
  throw new Error(`${variable} is "${text}", which is no number.`);
}
