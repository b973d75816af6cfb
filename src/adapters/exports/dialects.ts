import { joplin } from './dialect-joplin';
import { keep } from './dialect-keep';
import type { Dialect } from './tree';

/** The programs whose exports are recognised. The first one that recognises a folder has it. */
export const DIALECTS: readonly Dialect[] = [keep, joplin];
