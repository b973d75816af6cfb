import { isSha, type Sha, sha256, utf8Length } from '../base/hash';
import { lastWritten, type Timestamp } from '../base/time';
import { parseNote } from '../frontmatter/parse';
import type { Brain } from '../operation/context';
import { isOwnersText } from '../operation/owner';
import { Remembered } from '../past/remembered';
import { keepsText, type Made, type PastText, textBefore } from '../past/trail';
import type { StateStore } from '../ports/ports';
import { type AddedSources, additionTo } from '../sources/additions';
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
  readonly #counts = new Remembered<number>();

  /** Returns the number of older versions of a note with this text, as its history lists them. */
  async older(brain: VersionPorts, path: VaultPath, text: string): Promise<number> {
    const reader = await brain.past.recent();
    const hash = sha256(text);
    return this.#counts.of(reader, path, hash, async () => {
      const traces = tracesOf(brain, path, text);
      let count = -1;
      let next = await traces.next();
      for (; next.done !== true; next = await traces.next()) count += 1;
      // The file that is missing may still arrive.
      if (!next.value) this.#counts.forget(path, hash);
      return count;
    });
  }

  /**
   * Returns the older versions of a text that supersedes this hash, newest first. They end before the first whose file is
   * missing, and after `last`.
   */
  async past(state: StateStore, supersedes: unknown, last?: Sha): Promise<ReadonlySet<Sha>> {
    const past = new Set<Sha>();
    let next: unknown = isSha(supersedes) ? copied(supersedes) : null;
    while (isSha(next) && !past.has(next) && past.size < MAX_VERSIONS) {
      const before = await this.supersededBy(state, next);
      if (before === undefined) break;
      past.add(next);
      if (next === last) break;
      next = before;
    }
    return past;
  }

  /** Drops what is known of versions whose texts were removed. */
  forget(versions: Iterable<Sha>): void {
    for (const version of versions) this.#before.delete(version);
  }

  /** Resolves true for a version whose text is in the history. */
  async has(state: StateStore, version: Sha): Promise<boolean> {
    return (await this.supersededBy(state, version)) !== undefined;
  }

  /**
   * Resolves with the hash that a version supersedes, null for none, and undefined when the file of the version is missing. It may
   * still arrive, so that is not cached.
   */
  supersededBy(state: StateStore, version: Sha): Promise<Sha | null | undefined> {
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

type VersionPorts = Pick<Brain, 'state' | 'past' | 'versions'>;

/** A version of a note, and the change that made it, when the past has that. */
interface Trace {
  readonly hash: Sha;
  readonly change: PastChange | null;
  readonly addition: AddedSources | undefined;
}

/**
 * Yields the versions of a note, newest first, beginning with `text` at `path`, each once, and what the past says of them. Ends at the
 * first version whose file is missing.
 */
export async function* versionsOf(
  brain: VersionPorts,
  path: VaultPath,
  text: string,
): AsyncGenerator<Version & { readonly text: string }> {
  const isTheirs = isOwnersText(path, text);
  let now: string | null = text;
  for await (const { hash, change, addition } of tracesOf(brain, path, text)) {
    now ??= await readHistory(brain.state, hash);
    if (now === null) return;
    // The texts of an owner's note say little of one another.
    const logged = isTheirs &&
      change && { updated_at: change.ts, reason: change.decision?.reason ?? change.op };
    yield { ...logged, ...versionOf(now), ...(addition && stampsOf(addition)), text: now };
    now = null;
  }
}

/**
 * Follows a note back: the past leads from each text to the one before, across adoption, giving back and what was taken back; where it
 * has no change, the `supersedes` of the text does. Of a note of the service, a text that a change only moved, stamped or linked is no
 * version of its own. Returns false when it ends because the file of a version is missing.
 */
async function* tracesOf(brain: VersionPorts, path: VaultPath, text: string): AsyncGenerator<Trace, boolean> {
  const reader = await brain.past.recent();
  const isTheirs = isOwnersText(path, text);
  const seen = new Set<Sha>();
  let changes = await reader.naming(path);
  let isVersion = true;
  for (let at: PastText = { path, hash: sha256(text), before: null }; seen.size < MAX_VERSIONS;) {
    const { hash } = at;
    const made = madeHere(changes, at);
    const addition = await additionTo(reader, hash);
    if (isVersion && !seen.has(hash)) yield { hash, change: made?.change ?? null, addition };
    seen.add(hash);
    let former = made && textBefore(made);
    // Nothing is known of it, or a taking back brought the note back.
    if (former === null) {
      const before = addition?.before ?? (await supersededBy(brain, hash, seen.size === 1 ? text : null));
      // A text that was seen would lead round in a circle.
      if (isSha(before) && !seen.has(before))
        former = { path: at.path, hash: before, before: made?.change ?? at.before };
    }
    if (former === null) return true;
    if (!(await brain.versions.has(brain.state, former.hash))) return false;
    isVersion = isTheirs || addition !== undefined || !isMove(made);
    if (former.path !== at.path) changes = await reader.naming(former.path);
    at = former;
  }
  return true;
}

/** Returns the hash that a version supersedes by its own words, read in `text` where that is given. */
function supersededBy({ versions, state }: VersionPorts, hash: Sha, text: string | null): unknown {
  return text === null ? versions.supersededBy(state, hash) : parseNote(text).frontmatter.supersedes;
}

/** The operations that take a note elsewhere as it is. */
const MOVES: ReadonlySet<string> = new Set([
  ...['promote', 'adopt', 'reject', 'withdraw', 'move', 'restore', 'unpromote'],
]);

/** Returns true for a change that only moved, stamped or linked the note. */
function isMove(made: Made | null): boolean {
  if (made === null) return false;
  return keepsText(made) || (made.own.before === null && MOVES.has(made.change.op));
}

/** Returns the last of these changes, before another one, that made the text of another at its path; null when there is none. */
function madeHere(changes: readonly PastChange[], { path, hash, before }: PastText): Made | null {
  for (const change of changes.slice().reverse()) {
    if (before !== null && comparePlaces(change, before) >= 0) continue;
    const made = change.notes.filter(({ before: former, after }) => after === hash && former !== hash);
    const own = made.find((note) => note.path === path);
    if (own !== undefined) return { change, own };
  }
  return null;
}

/** Returns the stamps of a version that only got sources added. */
function stampsOf({ ts, sources, origin, written_by }: AddedSources): Partial<Version> {
  return { updated_at: ts, reason: `Source added: ${sources.join(', ')}`, origin, written_by };
}
