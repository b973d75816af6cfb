import type { Values } from '../rules/frontmatter/read';
import type { Sha } from '../rules/hash';
import type { VaultPath } from '../rules/paths';
import { noteTime, timestamp, type Timestamp } from '../rules/time';
import type { NotePasts, PastText } from './note-past';

/** When the writer of a text wrote it. */
export function writtenAt({ updated_at, created_at }: Values): Timestamp | undefined {
  const time = noteTime(updated_at) ?? noteTime(created_at);
  return time === null ? undefined : timestamp(time);
}

/**
 * The texts of a note, newest first, back to the first that is older than the time in question, that one included. What an
 * undo put back is as old as the text that it was made of, and what it took away is no text to go back to: both would bring
 * back what was undone. Nor is any other text that `isUndone` says so of; the newest text is there in any case.
 */
export async function textsOfTime(
  since: Timestamp,
  pasts: NotePasts,
  { path, text }: { readonly path: VaultPath; readonly text: string },
  isUndone: (past: PastText) => boolean,
): Promise<PastText[]> {
  const chain: PastText[] = [];
  const seen = new Set<Sha>();
  // One at most: what was put back, until the text that it was made of is found.
  let waiting: readonly PutBack[] = [];
  for await (const each of pasts.texts(path, text)) {
    const [putBack] = waiting;
    if (putBack !== undefined && each.hash !== putBack.of) continue;
    seen.add(each.hash);
    const of = pasts.madeOf(each.hash);
    if (of !== null) {
      // An undo that was taken back leads here again; and what was put back may have been put back before.
      if (!seen.has(of)) waiting = [{ past: putBack?.past ?? each, of }];
      continue;
    }
    waiting = [];
    const past = putBack === undefined ? each : asOldAs(each, putBack.past);
    if (chain.length > 0 && isUndone(past)) continue;
    chain.push(past);
    const written = writtenAt(past.frontmatter);
    if (written === undefined || written < since) break;
  }
  // The trace ends before it: then nobody can tell that it is of the time in question.
  chain.push(...waiting.map(({ past }) => asOldAs(null, past)));
  return withHandEdits(chain);
}

/** A text that an undo has made of another one, which comes later in the trace. */
interface PutBack {
  readonly past: PastText;
  readonly of: Sha;
}

/** A text that was put back, with the age of the text that it was made of. */
function asOldAs(older: PastText | null, past: PastText): PastText {
  const { created_at, updated_at } = older?.frontmatter ?? {};
  return {
    ...past,
    edited: older?.edited ?? past.edited,
    frontmatter: { ...past.frontmatter, created_at, updated_at },
  };
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
