import { BrainError } from '../base/errors';
import type { VaultPath } from '../vocabulary/paths';
import { StoreDown } from './store';

/** One error of a sync. Without a path it ended the sync early. */
export interface SyncError {
  readonly path?: VaultPath;
  readonly error: string;
}

/** The work that a sync has done so far. */
export interface SyncTally {
  /** The number of embedded notes, new and changed. */
  added: number;
  /** The number of rows removed because their file is gone. */
  deleted: number;
}

/** The result of a sync. */
export interface SyncOutcome extends Readonly<SyncTally> {
  readonly errors: readonly SyncError[];
}

/** Adds up two consecutive syncs. The errors are those of the second, which retried what failed in the first. */
export function mergeTallies(first: SyncTally, { added, deleted, errors }: SyncOutcome): SyncOutcome {
  return { added: first.added + added, deleted: first.deleted + deleted, errors };
}

/** The number of notes whose errors are listed; the others are counted. */
const MAX_ERRORS = 100;

/**
 * Returns the errors to report: those of the first hundred notes, the last of which also gives the number of the others, and
 * those without a path.
 */
export function errorsToReport(errors: readonly SyncError[]): SyncError[] {
  const ofNotes = errors.filter(({ path }) => path !== undefined);
  const more = ofNotes.length - MAX_ERRORS;
  if (more <= 0) return [...errors];
  const shown = ofNotes.slice(0, MAX_ERRORS).map((each, at) => {
    const rest = `${more} more ${more === 1 ? 'note' : 'notes'} failed.`;
    return at < MAX_ERRORS - 1 ? each : { ...each, error: `${each.error} ${rest}` };
  });
  return [...shown, ...errors.filter(({ path }) => path === undefined)];
}

/** Names of errors whose message is safe to show, in addition to `BrainError`. */
const PLAIN = new Set(['StoreDown', 'NothingListed', 'MakerChanged']);

/** Returns the message of an error if it is safe to show. */
export function safeMessage(error: unknown): string {
  // Other errors may contain anything. The log has them.
  return error instanceof BrainError || (error instanceof Error && PLAIN.has(error.name))
    ? error.message
    : 'This failed for a reason that the log of the server names.';
}

/** HTTP statuses that say that the embedder is unavailable, whatever the text is. */
const SERVES_NOBODY = new Set([401, 403, 404, 429, 502, 503, 504]);

/** Returns true when the next text would fail as well. */
export function isEmbedderDown(error: unknown): boolean {
  if (!(error instanceof BrainError) || error.code !== 'embed_error') return false;
  if (error.details?.serves_nobody === true) return true;
  const status = error.details?.status;
  return typeof status !== 'number' || SERVES_NOBODY.has(status);
}

/** The statuses among them that refuse the caller: every further call is one more failed login, or one more of too many. */
const SENDS_AWAY = new Set([401, 403, 404, 429]);

/** Returns true when the embedder or the database refuses the caller, so that an early retry may make it worse. */
export function isRefused(error: unknown): boolean {
  if (error instanceof StoreDown) return error.isRefusal;
  if (!(error instanceof BrainError) || error.code !== 'embed_error') return false;
  const status = error.details?.status;
  return typeof status === 'number' && SENDS_AWAY.has(status);
}

/** Returns how long the embedder asks not to be asked (ms); 0 when it does not say. */
export function retryAfter(error: unknown): number {
  const seconds = error instanceof BrainError ? error.details?.retry_after : undefined;
  return typeof seconds === 'number' ? 1000 * seconds : 0;
}

/** The progress of a sync; updated as it runs. */
export interface SyncProgress {
  phase: 'comparing' | 'removing' | 'embedding';
  done: number;
  total: number;
}

/** The state of the sync that is known without asking the database. */
export interface SyncState {
  readonly progress: Readonly<SyncProgress> | null;
  /** The end of the last sync that reached database and vault. */
  readonly lastSync: Date | null;
  /** The error of the last sync; null when it had none. */
  readonly lastError: string | null;
  /** The number of syncs that have ended, failed ones included. */
  readonly ended: number;
  /** The number of rows at the last count; null before the first. */
  readonly vectors: number | null;
  /** The number of notes without a current vector at the end of the last sync; before the first one, at the start. */
  readonly pending: number | null;
  /** The device that maintains the vectors of this vault, when it is another one. */
  readonly syncedBy: string | null;
  readonly makerChanged: boolean;
  /** True after a sync was cancelled, until somebody asks for one: none begins by itself meanwhile. */
  readonly paused: boolean;
}
