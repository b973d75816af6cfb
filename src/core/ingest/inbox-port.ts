import type { VaultPath } from '../rules/paths';

/** Why nothing is taken in by itself. */
export type OffReason = 'not_switched_on' | 'other_device' | 'folder_not_allowed';

/** What the host has found about watching when it started. */
export interface WatchChoice {
  /**
   * `on` and `off` are somebody's decision. Without one, `made` says that this start has made the inbox itself, and `unset`
   * that it stood there: then it is watched if an earlier start has made it.
   */
  readonly watch: 'on' | 'off' | 'made' | 'unset';
  /** True when it is off because another device watches. */
  readonly elsewhere?: boolean;
}

/** A file that is left where it is, and why. */
export interface LeftFile {
  readonly path: VaultPath;
  readonly reason: 'unknown_type' | 'no_converter' | 'failed';
}

/** A file that failed for a reason that may pass, and when it is tried again. */
export interface RetriedFile {
  readonly path: VaultPath;
  readonly attempts: number;
  readonly at: Date;
  readonly code: string;
  readonly message: string;
}

/** How the inbox is. */
export interface InboxState {
  readonly state: 'off' | 'starting' | 'on';
  /** Only when it is off. */
  readonly reason: OffReason | null;
  /** Null when the setting names a folder that may not be watched. */
  readonly folder: VaultPath | null;
  /** Files that stood there when it was switched on: a person says when they are taken. Sorted. */
  readonly waiting: readonly VaultPath[];
  readonly left: readonly LeftFile[];
  readonly retrying: readonly RetriedFile[];
  /** The file that is being taken, and how many of how many have been, since there was last nothing to do. */
  readonly running: { readonly file: VaultPath; readonly done: number; readonly total: number } | null;
}

/** A file that could not be taken in, and why. */
export interface QuarantinedFile {
  /** Where it stands now. */
  readonly path: VaultPath;
  /** Where it stood in the inbox; absent when the note beside it is gone. */
  readonly file?: string;
  readonly code?: string;
  readonly message?: string;
  /** RFC 3339. */
  readonly at?: string;
  readonly attempts?: number;
  readonly source_hash?: string;
}

/** The inbox, as the operations see it. */
export interface Inbox {
  readonly state: InboxState;
  /**
   * Takes in what waits for a person; resolves with how many files that are, as soon as it is certain that a restart takes
   * them too (when the inbox is watched), not when they have been taken.
   */
  takeWaiting(): Promise<number>;
  /** Every file in quarantine, by path. */
  quarantined(): Promise<QuarantinedFile[]>;
  /**
   * Puts a file back into the inbox, where it is tried again, and resolves with its path there; a dry run only says it.
   * @throws BrainError `source_missing` when it is not in quarantine, `busy` when it cannot be moved now.
   */
  retry(path: VaultPath, options?: { readonly dryRun?: boolean }): Promise<VaultPath>;
}
