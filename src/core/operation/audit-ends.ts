/** Where a log ends: the file, the number and the hash of its last line. */
export interface AuditEnd {
  /** Path below `.brain/`. */
  readonly path: string;
  readonly device: string;
  readonly seq: number;
  readonly hash: string;
}

/**
 * The ends of the logs that this process writes, by their folder. Nothing in the files tells that lines are missing at their
 * end: only who has written them knows.
 */
export type AuditEnds = Map<string, AuditEnd>;
