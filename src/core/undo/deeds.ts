import type { Values } from '../rules/frontmatter/read';
import type { VaultPath } from '../rules/paths';
import { isWriter } from '../rules/provenance';
import { parseTime, timestamp, type Timestamp } from '../rules/time';
import type { NotePasts, PastText } from './note-past';

/** Whose doings are looked for, and from when on. */
export interface Deeds {
  /** As `isWriter` takes it. */
  readonly by: string;
  readonly since: Timestamp;
}

/**
 * What is done about a note: `revert` to a version that is not the writer's, `queue` it for review as it has none,
 * `unpromote` and `restore` what the writer has decided about notes of others.
 */
export const ACTIONS = ['revert', 'queue', 'unpromote', 'restore'] as const;
export type Action = (typeof ACTIONS)[number];

/** Why nothing is done about a note in which the writer had a hand. */
export const LEFT_REASONS = ['changed_since', 'edited_since', 'locked', 'in_queue', 'unreadable'] as const;
export type LeftReason = (typeof LEFT_REASONS)[number];

export interface Verdict {
  readonly action: Action;
  /** What the note is to say: an older text of it, or the text that stands there. */
  readonly to: PastText;
}

export interface LeftAlone {
  readonly left: LeftReason;
  /** Who wrote the note since, where it says. */
  readonly who?: string | undefined;
}

/** When the writer of a text wrote it. */
function writtenAt({ updated_at, created_at }: Values): Timestamp | undefined {
  const time = parseTime(updated_at) ?? parseTime(created_at);
  return time === null ? undefined : timestamp(time);
}

/** True when the stamps say that it was the writer, in that time. */
function isDeed({ by, since }: Deeds, who: unknown, at: unknown): boolean {
  if (!isWriter(who, by)) return false;
  const time = parseTime(at);
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
 */
export async function judgeNote(
  deeds: Deeds,
  pasts: NotePasts,
  path: VaultPath,
  text: string,
): Promise<Verdict | LeftAlone | null> {
  const chain = await textsOfTime(deeds, pasts, path, text);
  const now = chain[0];
  if (now === undefined || pasts.madeBy(path, now.hash) === 'undo') return null;
  const { frontmatter } = now;
  const isOurs = (past: PastText): boolean => !past.edited && isWrittenBy(deeds, past.frontmatter);

  if (isOurs(now)) {
    if (frontmatter.locked === 'true') return { left: 'locked' };
    const to = chain.find((past) => !isOurs(past));
    if (to === undefined) return { action: 'queue', to: now };
    return { action: isPromotedBy(deeds, to.frontmatter) ? 'queue' : 'revert', to };
  }
  const hadHand =
    isPromotedBy(deeds, frontmatter) || chain.some((past) => isWrittenBy(deeds, past.frontmatter));
  if (!hadHand) return null;
  if (now.edited) return { left: 'edited_since' };
  if (!isPromotedBy(deeds, frontmatter) || isUpdatedSince(frontmatter)) {
    const { written_by: who } = frontmatter;
    return { left: 'changed_since', ...(typeof who === 'string' && { who }) };
  }
  return frontmatter.locked === 'true' ? { left: 'locked' } : { action: 'unpromote', to: now };
}

/** True for a promoted note that somebody has rewritten after its promotion. */
function isUpdatedSince({ updated_at, promoted_at }: Values): boolean {
  const [updated, promoted] = [parseTime(updated_at), parseTime(promoted_at)];
  return updated !== null && promoted !== null && updated > promoted;
}

/** The texts of a note back to the first that is older than the time in question, that one included. */
async function textsOfTime(
  { since }: Deeds,
  pasts: NotePasts,
  path: VaultPath,
  text: string,
): Promise<PastText[]> {
  const chain: PastText[] = [];
  for await (const past of pasts.texts(path, text)) {
    chain.push(past);
    const written = writtenAt(past.frontmatter);
    if (written === undefined || written < since) break;
  }
  return withHandEdits(chain);
}

/**
 * What the service changes in passing (a link that follows a note) puts no stamp on the text, so a hand edit shows through:
 * such a text is as much a person's as the one before it.
 */
function withHandEdits(chain: readonly PastText[]): PastText[] {
  const marked: PastText[] = [];
  let former: PastText | null = null;
  for (const past of [...chain].reverse()) {
    const edited: boolean = past.edited || (former !== null && former.edited && isSameWrite(past, former));
    former = { ...past, edited };
    marked.unshift(former);
  }
  return marked;
}

function isSameWrite(a: PastText, b: PastText): boolean {
  const [one, other] = [a.frontmatter, b.frontmatter];
  return ['created_at', 'updated_at', 'supersedes', 'written_by'].every((key) => one[key] === other[key]);
}
