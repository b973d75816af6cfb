import type { Pace } from '../base/steps';

/** Tells whether a value names a note that is forgotten. */
export type NamesNote = (value: unknown) => boolean;

/** The end of a log: its file, and the number and hash of its last line. */
export interface AuditEnd {
  /** The path below `.brain/`. */
  readonly path: string;
  readonly device: string;
  readonly seq: number;
  readonly hash: string;
  /** Takes what names a note out of the lines of this device. */
  readonly redact: (names: NamesNote, pace: Pick<Pace, 'run'>) => Promise<void>;
}

/**
 * The ends of the logs that this process writes, by folder. The files do not show missing lines at their end; only the process
 * that wrote them can tell.
 */
export type AuditEnds = Map<string, AuditEnd>;
