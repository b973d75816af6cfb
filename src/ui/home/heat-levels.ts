/** Below this many notes the fullest cell is not drawn in full colour: few notes are few. */
const LEAST_TOP = 12;
/** Where each shade begins, as a share of the fullest cell. */
const SHARES = [0.22, 0.44, 0.7];

/** How many notes each of the four shades of the heat map begins with, the lightest first. */
export function heatSteps(fullest: number): readonly number[] {
  const top = Math.max(fullest, LEAST_TOP);
  return [1, ...SHARES.map((share) => Math.ceil(top * share))];
}

/** The shade of a cell: 0 for an empty one, else 1 to 4. */
export function heatLevel(notes: number, steps: readonly number[]): number {
  return steps.filter((step) => notes >= step).length;
}
