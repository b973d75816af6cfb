import type { CallError } from '../../core/registry/client';
import { failureWords } from '../kit/feedback';

/** Returns true when the note is no longer at its path: it was decided on, moved or removed elsewhere. */
export function isMissing({ code }: Pick<CallError, 'code'>): boolean {
  return code === 'source_missing' || code === 'not_in_queue' || code === 'note_not_found';
}

/** Returns the reason why a decision failed, in a sentence for a list of notes; messages of the service address a caller. */
export function refusalWords(error: CallError): string {
  if (isMissing(error)) return 'It is no longer in the queue.';
  if (error.code === 'hash_mismatch') return 'Its file has changed. Look at the new text, then decide.';
  return failureWords(error);
}
