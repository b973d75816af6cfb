import { BrainError, called } from '../base/errors';
import type { NoteRecord } from '../catalog/record';
import { parseNote } from '../frontmatter/parse';
import type { ReviewNote } from './review-note';

/** The type of a queued note that asks for another one to be forgotten. */
export const FORGET_REQUEST = 'forget';

/** Returns the path of the note that a queued note asks to be forgotten; null for a note that asks nothing. */
export function forgetTarget({
  frontmatter: { type, target },
}: Pick<NoteRecord, 'frontmatter'>): string | null {
  return type === FORGET_REQUEST && typeof target === 'string' ? target : null;
}

/** @throws BrainError `not_in_queue` for a request, which is no text for the wiki */
export function refuseRequest({ path, text }: ReviewNote): void {
  const target = forgetTarget(parseNote(text));
  if (target === null) return;
  throw new BrainError(
    'not_in_queue',
    `${path} asks that ${target} is forgotten. Have its owner do so with ${called('forget', 'the history of that note')}, or reject the request.`,
    { path, target },
  );
}
