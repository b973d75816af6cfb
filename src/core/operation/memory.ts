import type { Sha } from '../base/hash';
import type { FileStat } from '../ports/ports';
import type { Wing } from '../vocabulary/address';
import type { Check } from '../vocabulary/check';
import type { VaultPath } from '../vocabulary/paths';

/** What a refresh made of the map of a wing. */
export interface WingIndexed {
  readonly wing: Wing;
  readonly path: VaultPath;
  readonly notes: number;
  readonly changed: boolean;
  readonly warning: string | null;
}

/** The running refresh of a map, and the next one. */
export interface MapRuns {
  readonly now: Promise<WingIndexed>;
  next: Promise<WingIndexed> | null;
}

/** What this process knows of the maps that it makes. */
export class WingMaps {
  /**
   * Maps as last written, in the order of the writes, so that the next write need not read them first. A cached map is a guess: the
   * replacement compares it with the file byte for byte.
   */
  readonly texts = new Map<Wing, string>();
  readonly runs = new Map<Wing, MapRuns>();
  /** The names of new wings as they were written, such as "C#" for the folder `c`: titles of the maps that they will get. */
  readonly names = new Map<Wing, string>();
  /** Wings whose map a person was editing when it should have been refreshed. */
  readonly late = new Set<Wing>();
}

/** An original that is kept under one name. Its size and hash are those of an earlier look. */
export interface KeptFile {
  readonly path: VaultPath;
  readonly size: number;
  /** Null until a file of this size was looked for; `mtime` is absent for one that this process has kept. */
  known: { readonly hash: Sha | null; readonly mtime?: number } | null;
}

/** What this process has seen of the originals: they are many, large and rarely change. */
export class SeenOriginals {
  /** The numbers of the originals of one day: the first one of each name that was free when it was last looked for. */
  numbers = { date: '', byName: new Map<string, number>() };
  /** The originals that are kept under each name, of all days and with all numbers. */
  readonly byName = new Map<string, KeptFile[]>();
  /** Hashes, each with the time and size at which its file was read. */
  readonly hashes = new Map<VaultPath, { readonly stat: FileStat; readonly hash: Sha }>();
}

/** What one way of searching does with the questions. */
export interface Score {
  /** The mean of 1 / log2(1 + rank) of the right note, which is nDCG@10 for one right answer (Järvelin, Kekäläinen 2002). */
  readonly ndcg: number;
  /** How often the right note comes first. */
  readonly first: number;
}

/** Search by words, by meaning, and by both with reciprocal ranks, on the same questions. */
export interface Comparison {
  readonly questions: number;
  readonly words: Score;
  readonly meaning: Score;
  readonly both: Score;
}

/** The last comparison of an open vault. */
export interface Compared {
  readonly at: number;
  readonly vectors: number;
  /** The last one that came to its end; null before the first. */
  comparison: Comparison | null;
  isRunning: boolean;
  /** How often in a row the embedder did not see a comparison to its end. */
  failures: number;
}

/** What slow checks of the doctor found last. Times are milliseconds since the epoch. */
export class HeldChecks {
  /** Whether the state can be written. */
  storage: { readonly at: number; readonly check: Check } | null = null;
  /** How much room is taken by what the service keeps; valid until a time. */
  room: { readonly at: number; readonly until: number; readonly message: string } | null = null;
  /** How many notes are outside what is read. */
  outside: { readonly at: number; readonly notes: number } | null = null;
  /** Which links notes have left that were moved by hand. */
  moved: { readonly at: number; readonly check: Check } | null = null;
  compared: Compared | null = null;
}
