import type { CallError } from '../../core/registry/client';
import { failureWords } from '../kit/feedback';

/** The field of the form that an error is about, or null when it is about none of them. */
export function fieldOf({ code, details }: CallError): 'wing' | 'hall' | 'slug' | null {
  switch (code) {
    case 'invalid_wing':
      return 'wing';
    case 'invalid_hall':
      return 'hall';
    case 'destination_exists':
    case 'invalid_slug':
    case 'invalid_filename':
      return 'slug';
    case 'invalid_field':
    case 'missing_field':
      return details.field === 'wing' || details.field === 'hall' || details.field === 'slug'
        ? details.field
        : null;
    default:
      return null;
  }
}

/** True when the note is no longer where it was: somebody else has decided on it, moved it, or removed it. */
export function isAway({ code }: Pick<CallError, 'code'>): boolean {
  return code === 'source_missing' || code === 'not_in_queue' || code === 'note_not_found';
}

/** Why a note was not decided on, in a sentence for a list of several: the service speaks to whoever called it. */
export function refusalWords(error: CallError): string {
  if (isAway(error)) return 'It is no longer in the queue.';
  if (error.code === 'hash_mismatch') return 'Its file has changed. Look at the new text, then decide.';
  return failureWords(error);
}

/** The next name to try after one that is taken: `mtu` becomes `mtu-2`, `mtu-2` becomes `mtu-3`. A year is no number. */
export function nextSlug(slug: string): string {
  const [, stem, number] = /^(.+)-([2-9]|[1-9]\d)$/.exec(slug) ?? [];
  return stem === undefined ? `${slug}-2` : `${stem}-${Number(number) + 1}`;
}
