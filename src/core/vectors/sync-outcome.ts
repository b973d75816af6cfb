import { BrainError } from '../errors';
import type { VaultPath } from '../rules/paths';

/** One thing that went wrong in a sync; without a path it concerns all of it. */
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

/** Errors that are told one by one; the rest is counted. */
const MAX_ERRORS = 100;

/** The errors as they are shown: the first hundred, and how many more. */
export function shownErrors(errors: readonly SyncError[]): SyncError[] {
  if (errors.length <= MAX_ERRORS) return [...errors];
  const more = errors.length - MAX_ERRORS;
  return [...errors.slice(0, MAX_ERRORS), { error: `${more} more ${more === 1 ? 'note' : 'notes'} failed.` }];
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
