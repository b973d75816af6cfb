import type { Answer } from '../client';

export type UndoItem = Answer<'undo'>['items'][number];

/** Notes of an undo that come to the same end. */
export interface UndoGroup {
  readonly heading: string;
  /** The reason, as a sentence for all of them; null when they differ in it. */
  readonly why: string | null;
  readonly items: readonly UndoItem[];
}

/** What becomes of a note, in the order in which a person wants to look at it: what stays in its place first. */
const HEADINGS: Readonly<Record<UndoItem['action'], string>> = {
  root: 'Guidance for agents, back to an earlier text',
  revert: 'Back to an earlier version',
  sources: 'Sources that were added, taken out',
  unpromote: 'Promotions taken back',
  restore: 'Rejections taken back',
  queue: 'To the review queue',
};

/** The notes of an undo by what becomes of them, so that twenty of a kind read as one. Within a group their order stays. */
export function undoGroups(items: readonly UndoItem[]): UndoGroup[] {
  return Object.entries(HEADINGS).flatMap(([action, heading]) => {
    const same = items.filter((item) => item.action === action);
    const [first] = same;
    if (first === undefined) return [];
    const isShared = same.length > 1 && same.every(({ why }) => why === first.why);
    return [{ heading, why: isShared ? `Each ${first.why}.` : null, items: same }];
  });
}
