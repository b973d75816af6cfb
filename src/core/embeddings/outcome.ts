import { BrainError } from '../base/errors';
import type { VaultPath } from '../vocabulary/paths';
import { StoreDown } from './store';

/** One thing that went wrong in a sync; without a path it kept the sync from coming to its end. */
export interface SyncError {
  readonly path?: VaultPath;
  readonly error: string;
}

/** What a sync has done so far. */
export interface SyncTally {
  /** Notes that were embedded, for the first time or anew. */
  added: number;
  /** Rows that were removed because their file is gone. */
  deleted: number;
}

/** What a sync has done. */
export interface SyncOutcome extends Readonly<SyncTally> {
  readonly errors: readonly SyncError[];
}

/** What two syncs have done, one after the other. The second has tried again what the first could not: its errors stand. */
export function mergeTallies(first: SyncTally, { added, deleted, errors }: SyncOutcome): SyncOutcome {
  return { added: first.added + added, deleted: first.deleted + deleted, errors };
}

/** Notes whose errors are told one by one; the rest is counted. */
const MAX_ERRORS = 100;

/**
 * The errors as they are shown: those of the first hundred notes, the last of which says how many more failed, and what kept
 * the sync from its end.
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

/** Errors of a sync whose message is safe to show, beside those of the service itself. */
const PLAIN = new Set(['StoreDown', 'NothingListed', 'MakerChanged']);

/** What may be said of an error. */
export function wordsOf(error: unknown): string {
  // Whatever else is thrown may hold anything; the log has it.
  return error instanceof BrainError || (error instanceof Error && PLAIN.has(error.name))
    ? error.message
    : 'This failed for a reason that the log of the server names.';
}

/** Answers that say that the embedder serves nobody now, whatever the text is. */
const SERVES_NOBODY = new Set([401, 403, 404, 429, 502, 503, 504]);

/** True when an error says that the next text will fare no better. */
export function isEmbedderDown(error: unknown): boolean {
  if (!(error instanceof BrainError) || error.code !== 'embed_error') return false;
  if (error.details?.serves_nobody === true) return true;
  const status = error.details?.status;
  return typeof status !== 'number' || SERVES_NOBODY.has(status);
}

/** Of those, answers that tell whoever asks to go away: each call is a failed login, or one more of too many. */
const SENDS_AWAY = new Set([401, 403, 404, 429]);

/** True when embedder or database answered that it does not serve whoever asks, which to ask again soon may make worse. */
export function isRefused(error: unknown): boolean {
  if (error instanceof StoreDown) return error.isRefusal;
  if (!(error instanceof BrainError) || error.code !== 'embed_error') return false;
  const status = error.details?.status;
  return typeof status === 'number' && SENDS_AWAY.has(status);
}

/** How far a sync is; changed as it goes on. */
export interface SyncProgress {
  phase: 'comparing' | 'removing' | 'embedding';
  done: number;
  total: number;
}

/** What is known of the sync without asking the database. */
export interface SyncState {
  readonly progress: Readonly<SyncProgress> | null;
  /** When the last sync ended that found database and vault. */
  readonly lastSync: Date | null;
  /** What was wrong with the last one; null when nothing was. */
  readonly lastError: string | null;
  /** How many syncs have ended, however they did. */
  readonly ended: number;
  /** Rows in the table when they were last counted; null before that. */
  readonly vectors: number | null;
  /** Notes that had no current vector when the last sync ended; before the first one, those that had none at the start. */
  readonly pending: number | null;
  /** The device that makes the vectors of this vault, when it is another one. */
  readonly syncedBy: string | null;
  /** True when the table holds the vectors of another model. */
  readonly makerChanged: boolean;
}
