import { readHistory } from '../history-store';
import type { StateStore } from '../ports';
import { parseNote } from '../rules/frontmatter/parse-note';
import { isSha, type Sha } from '../rules/hash';

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
