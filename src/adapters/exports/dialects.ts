import type { Dialect } from './tree';

/** The programs whose exports are read, in the order in which they are asked. */
export const DIALECTS: readonly Dialect[] = [];
