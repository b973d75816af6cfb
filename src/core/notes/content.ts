import { BrainError } from '../errors';
import { MAX_CONTENT } from '../fields';
import { utf8Length } from '../rules/hash';
import { isBlank } from '../rules/text';

/**
 * Refuses content of which nothing can be seen, or that is larger than `limit` bytes.
 * @throws BrainError `empty_content` or `too_large`.
 */
export function checkContent(content: string, field = 'content', limit = MAX_CONTENT): void {
  if (isBlank(content)) {
    throw new BrainError('empty_content', `"${field}" is empty. Send the text of the note.`, { field });
  }
  const bytes = content.length > limit ? content.length : utf8Length(content);
  if (bytes > limit) {
    throw new BrainError(
      'too_large',
      `"${field}" is larger than ${limit / 1024} KiB. Split it into several notes.`,
      { field, bytes, limit },
    );
  }
}

/**
 * Refuses a body of which nothing can be seen in the place of one that stands: who sends front matter alone means to change
 * that, and would lose the text.
 * @throws BrainError `empty_content`.
 */
export function checkBody(body: string): void {
  if (!isBlank(body)) return;
  throw new BrainError(
    'empty_content',
    '"content" has front matter and no text, which would empty the note. Send the whole text of the note with it.',
    { field: 'content' },
  );
}
