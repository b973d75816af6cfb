import type { Wing } from '../vocabulary/address';
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
  /** Wings whose map a person was editing when it should have been refreshed. */
  readonly late = new Set<Wing>();
}
