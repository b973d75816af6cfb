/** Terms of a vault of many notes: those of some 20,000. */
export const MANY_TERMS = 1 << 18;

/**
 * How long an array that grows with the vocabulary becomes when it has too little room: twice as long, and from a 32nd of
 * `many` on as long as a vault of many notes needs it, at once. Node and the app give room to what is written only, while
 * every array that was outgrown leaves a hole behind, and holes were a tenth of what an index kept right after its build. Not
 * for arrays that are written all over, such as tables of hashes that stay.
 */
export function roomAfter(length: number, many: number): number {
  return length * 32 < many ? length * 2 : Math.max(length * 2, many);
}

/** The same numbers in a longer array, zeros behind them. */
export function widened(numbers: Uint32Array, length: number): Uint32Array<ArrayBuffer> {
  const wider = new Uint32Array(length);
  wider.set(numbers);
  return wider;
}
