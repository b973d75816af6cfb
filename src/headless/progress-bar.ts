import type { Progress } from '../core/progress';

const WIDTH = 30;

/** One line of the same length, however far the work is: `embedding [#####     ] 12/40`. */
export function progressBar(what: string, { done, total }: Progress): string {
  const filled = total === 0 ? 0 : Math.round((WIDTH * done) / total);
  return `${what} [${'#'.repeat(filled)}${' '.repeat(WIDTH - filled)}] ${done}/${total}`;
}
