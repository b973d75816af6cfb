import { type AddedSources, additionsByText } from './added-sources';
import { readHistory } from '../history-store';
import type { StateStore } from '../ports';
import { parseNote } from '../rules/frontmatter/parse-note';
import { isSha, sha256, utf8Length, type Sha } from '../rules/hash';
import { lastWritten, type Timestamp } from '../rules/time';

/** One state of a note, named by the hash of its bytes. */
export interface Version {
  readonly hash: Sha;
  readonly updated_at?: Timestamp;
  readonly reason?: string;
  readonly origin?: string;
  readonly written_by?: string;
  readonly bytes: number;
}

/** What a state of a note says of itself. */
export function versionOf(text: string): Version {
  const { frontmatter } = parseNote(text);
  const { supersede_reason, origin, written_by } = frontmatter;
  const updatedAt = lastWritten(frontmatter);
  return {
    hash: sha256(text),
    ...(updatedAt !== undefined && { updated_at: updatedAt }),
    ...(typeof supersede_reason === 'string' && { reason: supersede_reason }),
    ...(typeof origin === 'string' && { origin }),
    ...(typeof written_by === 'string' && { written_by }),
    bytes: utf8Length(text),
  };
}

/** A chain longer than this is cut; it guards against a forged loop, not against a busy note. */
const MAX_VERSIONS = 10_000;

/**
 * The versions of a note, newest first, beginning with `text` itself: each one's `supersedes` names the next, whose
 * bytes the history keeps. A text that only got sources added says nothing of it itself: its record names who added them,
 * when, and the text before. Ends at the first version whose bytes are not there.
 */
export async function* versionsOf(
  state: StateStore,
  text: string,
): AsyncGenerator<Version & { readonly text: string }> {
  const additions = await additionsByText(state);
  const seen = new Set<Sha>();
  for (let current: string | null = text; current !== null && seen.size < MAX_VERSIONS;) {
    const hash = sha256(current);
    if (seen.has(hash)) return;
    seen.add(hash);
    const addition = additions.get(hash);
    yield { ...versionOf(current), ...(addition && stampsOf(addition)), text: current };
    const supersedes: unknown = parseNote(current).frontmatter.supersedes;
    const before: string | null = addition ? await readHistory(state, addition.before) : null;
    current = before ?? (isSha(supersedes) ? await readHistory(state, supersedes) : null);
  }
}

/** What a version says of itself that only got sources added. */
export function stampsOf({ ts, reason, sources, origin, written_by }: AddedSources): Partial<Version> {
  return { updated_at: ts, reason: `${reason}: ${sources.join(', ')}`, origin, written_by };
}
