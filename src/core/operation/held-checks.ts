import type { Check } from '../vocabulary/check';

/** What one way of searching does with the questions. */
export interface Score {
  /** The mean of 1 / log2(1 + rank) of the right note, which is nDCG@10 for one right answer (Järvelin, Kekäläinen 2002). */
  readonly ndcg: number;
  /** How often the right note comes first. */
  readonly first: number;
}

/** Search by words against search by words and meaning. */
export interface Comparison {
  readonly questions: number;
  readonly words: Score;
  readonly both: Score;
}

/** The last comparison of an open vault. */
export interface Compared {
  readonly at: number;
  readonly vectors: number;
  /** Null while the comparison runs, and after one that the embedder did not see to its end. */
  comparison: Comparison | null;
  isRunning: boolean;
  /** The failures in a row before this one. */
  readonly failures: number;
}

/** What slow checks of the doctor found last. Times are milliseconds since the epoch. */
export class HeldChecks {
  /** Whether the state can be written. */
  storage: { readonly at: number; readonly check: Check } | null = null;
  /** How many notes are outside what is read. */
  outside: { readonly at: number; readonly notes: number } | null = null;
  compared: Compared | null = null;
}
