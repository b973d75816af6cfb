import { isSha, type Sha, sha256, utf8Length } from '../base/hash';
import { lastWritten, type Timestamp } from '../base/time';
import { parseNote } from '../frontmatter/parse';
import type { StateStore } from '../ports/ports';
import { type AddedSources, additionsByText } from '../sources/additions';
import { readHistory } from '../storage/history';

/** A chain longer than this is not followed; it guards against a forged one, not against a busy note. */
const MAX_VERSIONS = 10_000;

/**
 * The older versions of notes. What a version supersedes is remembered per hash, because the bytes of a hash never change: no
 * file of the history is read twice, and nothing goes out of date when notes are moved or rewritten.
 */
export class VersionCounts {
  /** By version, the one that it supersedes, or null for a first one. */
  readonly #before = new Map<Sha, Promise<Sha | null | undefined>>();

  /** How many older versions there are of a state that supersedes this one. */
  async older(state: StateStore, supersedes: unknown): Promise<number> {
    return (await this.past(state, supersedes)).size;
  }

  /**
   * The older versions of a state that supersedes this one, newest first; they end before the first whose bytes are not there,
   * and after `last` when they come to it.
   */
  async past(state: StateStore, supersedes: unknown, last?: Sha): Promise<ReadonlySet<Sha>> {
    const past = new Set<Sha>();
    let next: unknown = isSha(supersedes) ? copied(supersedes) : null;
    while (isSha(next) && !past.has(next) && past.size < MAX_VERSIONS) {
      const before = await this.#supersededBy(state, next);
      if (before === undefined) break;
      past.add(next);
      if (next === last) break;
      next = before;
    }
    return past;
  }

  /** Undefined when the bytes of the version are not there; they may still arrive, so that is not remembered. */
  #supersededBy(state: StateStore, version: Sha): Promise<Sha | null | undefined> {
    const known = this.#before.get(version);
    if (known !== undefined) return known;
    // Remembered while it is read already: callers that arrive together read it once.
    const reading = readSuperseded(state, version);
    this.#before.set(version, reading);
    const forget = () => this.#before.delete(version);
    reading.then((before) => before === undefined && forget(), forget);
    return reading;
  }
}

async function readSuperseded(state: StateStore, version: Sha): Promise<Sha | null | undefined> {
  const text = await readHistory(state, version);
  if (text === null) return undefined;
  const { supersedes } = parseNote(text).frontmatter;
  return isSha(supersedes) ? copied(supersedes) : null;
}

/** The same hash in memory of its own: one that was cut from a note would keep the whole note. */
function copied(hash: Sha): Sha {
  const copy: string = Array.from(hash).join('');
  return isSha(copy) ? copy : hash;
}

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
function stampsOf({ ts, reason, sources, origin, written_by }: AddedSources): Partial<Version> {
  return { updated_at: ts, reason: `${reason}: ${sources.join(', ')}`, origin, written_by };
}
