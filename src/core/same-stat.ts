import type { FileStat } from './ports';

/** True when both are of a file that has not been written or replaced in between, as far as its times and size tell. */
export function sameStat(a: FileStat | null | undefined, b: FileStat | null | undefined): boolean {
  return a?.mtime === b?.mtime && a?.size === b?.size && a?.ctime === b?.ctime;
}

/** When a file last changed in any way that the host tells of, in milliseconds since the epoch. */
export function lastChanged({ mtime, ctime }: FileStat): number {
  return Math.max(mtime, ctime ?? mtime);
}
