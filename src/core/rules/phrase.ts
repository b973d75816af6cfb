import { titleKey } from './links';

/** A longer run without a space is no word of a title. In UTF-16 units. */
const MAX_WORD = 100;

/**
 * The words of a text with single spaces between them, folded as titles are, without punctuation: what a title and its
 * mention in prose have in common. Folds word by word, because normalising a long run of marks takes quadratic time.
 */
export function phrase(text: string): string {
  const pieces = text.split(/[\s_-]+/).map((piece) => (piece.length > MAX_WORD ? '' : titleKey(piece)));
  return (pieces.join(' ').match(/[\p{L}\p{M}\p{N}]+/gu) ?? []).join(' ');
}
