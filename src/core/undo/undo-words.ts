import type { PastText } from './note-past';
import type { LeftAlone } from './deeds';

/** Why a note is treated as it is, in a sentence for the person who decides. */
export const WHY = {
  revert: (to: PastText): string => `goes back to the version ${author(to)}`,
  queue: (): string => 'has no version of anyone else, so it goes to the review queue',
  queueFormer: (to: PastText): string =>
    `was also promoted by this writer, so the version ${author(to)} goes to the review queue`,
  unpromote: (): string => 'was promoted by this writer, so it goes back to the review queue',
  restore: (): string => 'was rejected by this writer, so it goes back to the review queue',
  root: (who: string | undefined): string =>
    who === undefined ? 'goes back to what stood there before' : `goes back to the text of ${who}`,
  sources: (whole: boolean): string =>
    whole
      ? 'loses the sources that this writer has added, and is as it was before'
      : 'loses the sources that this writer has added; what else has changed since stays',
  guidance: (): string => 'had no text before, so it gets the first guidance of a new vault',
} as const;

function author({ edited, frontmatter }: PastText): string {
  if (edited) return 'that was edited by hand';
  const { written_by: who } = frontmatter;
  return typeof who === 'string' && who !== '' ? `of ${who}` : 'that nobody signed';
}

/** Why nothing is done about a note. */
export function whyLeft({ left, who }: LeftAlone): string {
  switch (left) {
    case 'changed_since':
      return `was changed since by ${who ?? 'someone else'}: look at its history`;
    case 'edited_since':
      return 'was changed since by hand or by another program: look at its history';
    case 'locked':
      return 'is locked by its owner';
    case 'in_queue':
      return 'waits in the review queue already';
    case 'unreadable':
      return 'cannot be edited safely: its properties have a mistake';
  }
}
