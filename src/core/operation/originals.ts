import type { Sha } from '../base/hash';
import type { FileStat } from '../ports/ports';
import type { VaultPath } from '../vocabulary/paths';

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
