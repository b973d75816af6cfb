import type { CallError } from '../../core/registry/client';
import { failureWords } from '../kit/feedback';

/** Returns the field of the form that an error is about, or null. */
export function fieldOfError({ code, details }: CallError): 'wing' | 'hall' | 'slug' | null {
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

/** Returns the next slug to try: `mtu` gives `mtu-2`, `mtu-2` gives `mtu-3`. A year at the end is kept. */
export function nextSlug(slug: string): string {
  const [, stem, number] = /^(.+)-([2-9]|[1-9]\d)$/.exec(slug) ?? [];
  return stem === undefined ? `${slug}-2` : `${stem}-${Number(number) + 1}`;
}
