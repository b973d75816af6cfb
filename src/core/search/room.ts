/**
 * How long an array becomes that has too little room: twice as long, and from a 32nd of `many` on as long as the index of a
 * vault of many notes needs it, at once. Room takes no memory before it is written to, while every array that was outgrown
 * leaves a hole, and holes are most of what an index keeps from others that has just been built.
 */
export function roomAfter(length: number, many: number): number {
  return length * 32 < many ? length * 2 : Math.max(length * 2, many);
}

/** Terms of a vault of many notes: those of some 20,000. */
export const MANY_TERMS = 1 << 18;
