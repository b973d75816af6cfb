import { isSha, type Sha, sha256, utf8Length } from '../base/hash';
import { lastWritten, type Timestamp } from '../base/time';
import { parseNote } from '../frontmatter/parse';
import type { Brain } from '../operation/context';
import type { StateStore } from '../ports/ports';
import { type AddedSources, additionsByText } from '../sources/additions';
import { comparePlaces, type PastChange } from '../storage/change-log';
import { readHistory } from '../storage/history';
import type { VaultPath } from '../vocabulary/paths';

/** The longest chain of versions that is followed. It guards against a forged chain, not against a busy note. */
const MAX_VERSIONS = 10_000;

/**
 * The older versions of notes. Which hash a version supersedes is cached by the version's hash and never changes: each history
 * file is read at most once, and moved or rewritten notes invalidate nothing.
 */
export class VersionCounts {
  /** For each version the one that it supersedes; null for the first one. */
  readonly #before = new Map<Sha, Promise<Sha | null | undefined>>();

  /** Returns the number of older versions of a text that supersedes this hash. */
  async older(state: StateStore, supersedes: unknown): Promise<number> {
    return (await this.past(state, supersedes)).size;
  }

  /**
   * Returns the older versions of a text that supersedes this hash, newest first. They end before the first whose file is
   * missing, and after `last`.
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

  /** Resolves true for a version whose text is in the history. */
  async has(state: StateStore, version: Sha): Promise<boolean> {
    return (await this.#supersededBy(state, version)) !== undefined;
  }

  /** Resolves with undefined when the file of the version is missing. It may still arrive, so that is not cached. */
  #supersededBy(state: StateStore, version: Sha): Promise<Sha | null | undefined> {
    const known = this.#before.get(version);
    if (known !== undefined) return known;
    // The promise is cached, so concurrent callers read the file once.
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

/** Returns a copy of the hash with memory of its own: a substring of a note would keep the whole note in memory. */
function copied(hash: Sha): Sha {
  const copy: string = Array.from(hash).join('');
  return isSha(copy) ? copy : hash;
}

/** One version of a note, named by the hash of its bytes. */
export interface Version {
  readonly hash: Sha;
  readonly updated_at?: Timestamp;
  readonly reason?: string;
  readonly origin?: string;
  readonly written_by?: string;
  readonly bytes: number;
}

/** Returns the version that a text describes in its front matter. */
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
 * Yields the versions of a note, newest first, beginning with `text`: the `supersedes` of each names the next, which the
 * history has. A text that only got sources added does not say so itself: its record says who added them, when, and the hash
 * before. Ends at the first version whose file is missing.
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

/**
 * Yields the versions of a note of the owner, newest first, beginning with `text` at `path`. Its texts say little of one another, so
 * the change log leads from each to the one before, across adoption and giving back; where the log has no change, `supersedes` does.
 * A text that comes again is yielded once.
 */
export async function* ownersVersions(
  brain: Pick<Brain, 'state' | 'past'>,
  path: VaultPath,
  text: string,
): AsyncGenerator<Version & { readonly text: string }> {
  const { state } = brain;
  const past = await brain.past.read();
  const additions = await additionsByText(state);
  const seen = new Set<Sha>();
  let last: PastChange | null = null;
  let [name, now] = [path, text];
  while (seen.size < MAX_VERSIONS) {
    const hash = sha256(now);
    const change = madeBy(await past.naming(name), name, hash, last);
    const addition = additions.get(hash);
    // Without a change before it, a text that was seen would lead round in a circle.
    if (seen.has(hash) && change === null) return;
    if (!seen.has(hash)) {
      const logged = change && { updated_at: change.ts, reason: change.decision?.reason ?? change.op };
      yield { ...logged, ...versionOf(now), ...(addition && stampsOf(addition)), text: now };
    }
    seen.add(hash);
    last = change ?? last;
    const supersedes = addition?.before ?? parseNote(now).frontmatter.supersedes;
    const former: FormerText = change === null ? { path: name, hash: supersedes } : formerOf(change, name);
    const old = isSha(former.hash) ? await readHistory(state, former.hash) : null;
    if (old === null) return;
    [name, now] = [former.path, old];
  }
}

/** The hash of a text that a note had, if there was one, and where the note was then. */
interface FormerText {
  readonly path: VaultPath;
  readonly hash: unknown;
}

/** Returns the last change, before another one, that made this text at the path; null when the log has none. */
function madeBy(
  changes: readonly PastChange[],
  path: VaultPath,
  hash: Sha,
  before: PastChange | null,
): PastChange | null {
  const made = changes
    .filter((each) => before === null || comparePlaces(each, before) < 0)
    .filter(({ notes }) => notes.some((note) => note.path === path && note.after === hash));
  return made.at(-1) ?? null;
}

/** Returns what the note at `path` was before a change: a move is planned as a creation followed by the removal of the old note. */
function formerOf({ notes }: PastChange, path: VaultPath): FormerText {
  const at = notes.findIndex((note) => note.path === path);
  const [own, left] = [notes[at], notes[at + 1]];
  if (own?.before) return { path, hash: own.before };
  return left?.before && left.after === null ? { path: left.path, hash: left.before } : { path, hash: null };
}

/** Returns the stamps of a version that only got sources added. */
function stampsOf({ ts, reason, sources, origin, written_by }: AddedSources): Partial<Version> {
  return { updated_at: ts, reason: `${reason}: ${sources.join(', ')}`, origin, written_by };
}
