import type { Values } from '../rules/frontmatter/read';
import { isLocked } from '../rules/lock';
import type { VaultPath } from '../rules/paths';
import { isPersonStamp, isWriter } from '../rules/provenance';
import { isChangedSinceReview, noteTime, timestamp, type Timestamp } from '../rules/time';
import type { NotePasts, PastText } from './note-past';
import { textsOfTime, writtenAt } from './texts-of-time';

/** Whose doings are looked for, and from when on. */
export interface Deeds {
  /** As `isWriter` takes it. */
  readonly by: string;
  readonly since: Timestamp;
}

/** Doings that were undone, up to the time of the undo. */
export interface UndoneDeeds extends Deeds {
  readonly until: Timestamp;
}

/**
 * What is done about a note: `revert` to a version that is not the writer's, `queue` it for review as it has none,
 * `unpromote` and `restore` what the writer has decided about notes of others, `sources` takes out of it what the writer has
 * added to its sources.
 */
export const ACTIONS = ['revert', 'queue', 'unpromote', 'restore', 'sources'] as const;
export type Action = (typeof ACTIONS)[number];

/** Why nothing is done about a note in which the writer had a hand. */
export const LEFT_REASONS = ['changed_since', 'edited_since', 'locked', 'in_queue', 'unreadable'] as const;
export type LeftReason = (typeof LEFT_REASONS)[number];

export interface Verdict {
  readonly action: Exclude<Action, 'sources'>;
  /** What the note is to say: an older text of it, or the text that stands there. */
  readonly to: PastText;
}

export interface LeftAlone {
  readonly left: LeftReason;
  /** Who wrote the note since, where it says. */
  readonly who?: string | undefined;
}

/** True when the stamps say that it was the writer, in that time. */
function isDeed({ by, since }: Deeds, who: unknown, at: unknown): boolean {
  if (!isWriter(who, by)) return false;
  const time = noteTime(at);
  return time !== null && timestamp(time) >= since;
}

/** True when the front matter says that the writer wrote the text in that time. */
export function isWrittenBy(deeds: Deeds, frontmatter: Values): boolean {
  return isDeed(deeds, frontmatter.written_by, writtenAt(frontmatter));
}

export function isPromotedBy(deeds: Deeds, { promoted_by, promoted_at }: Values): boolean {
  return isDeed(deeds, promoted_by, promoted_at);
}

export function isRejectedBy(deeds: Deeds, { rejected_by, rejected_at }: Values): boolean {
  return isDeed(deeds, rejected_by, rejected_at);
}

/**
 * What is done about a note of `wiki/` or `knowledge/`: a pure reading of its past. Null when the writer had no hand in it,
 * or when an undo has settled it already.
 * @param undone what was undone of other writers before: no note goes back to that
 */
export async function judgeNote(
  deeds: Deeds,
  pasts: NotePasts,
  note: { readonly path: VaultPath; readonly text: string },
  undone: readonly UndoneDeeds[],
): Promise<Verdict | LeftAlone | null> {
  const { path } = note;
  const chain = await textsOfTime(deeds.since, pasts, note, (past) => isUndone(past, deeds, undone));
  const now = chain[0];
  if (now === undefined) return null;
  const { frontmatter } = now;
  const isOurs = (past: PastText): boolean => !past.edited && isWrittenBy(deeds, past.frontmatter);

  if (isOurs(now)) {
    const to = chain.find((past) => !isOurs(past));
    // A lock that came with the writer's own text is the writer's, and no word of the owner's.
    if (isLocked(now.text) && (isPersonStamp(deeds.by) || (to !== undefined && isLocked(to.text)))) {
      return { left: 'locked' };
    }
    if (to === undefined) return { action: 'queue', to: now };
    return { action: isPromotedBy(deeds, to.frontmatter) ? 'queue' : 'revert', to };
  }
  if (pasts.madeBy(path, now.hash) === 'undo') return null;
  const hadHand =
    isPromotedBy(deeds, frontmatter) || chain.some((past) => isWrittenBy(deeds, past.frontmatter));
  if (!hadHand) return null;
  if (now.edited) return { left: 'edited_since' };
  if (!isPromotedBy(deeds, frontmatter) || isChangedSinceReview(frontmatter)) {
    const { written_by: who } = frontmatter;
    return { left: 'changed_since', ...(typeof who === 'string' && { who }) };
  }
  return isLocked(now.text) ? { left: 'locked' } : { action: 'unpromote', to: now };
}

function isUndone({ edited, frontmatter }: PastText, deeds: Deeds, undone: readonly UndoneDeeds[]): boolean {
  if (edited || isWrittenBy(deeds, frontmatter)) return false;
  const written = writtenAt(frontmatter);
  return written !== undefined && undone.some((one) => written <= one.until && isWrittenBy(one, frontmatter));
}
