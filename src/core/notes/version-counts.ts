import { readHistory } from '../history-store';
import type { StateStore } from '../ports';
import { parseNote } from '../rules/frontmatter/parse-note';
import { isSha, type Sha } from '../rules/hash';

/** A chain longer than this is not followed; it guards against a forged one, not against a busy note. */
const MAX_VERSIONS = 10_000;

/** How many older versions of a state there are, remembered per hash: a state's past never changes. */
export class VersionCounts {
  readonly #known = new Map<Sha, number>();

  async older(state: StateStore, supersedes: unknown): Promise<number> {
    const chain: Sha[] = [];
    let next = supersedes;
    let count = 0;
    while (isSha(next) && !chain.includes(next) && chain.length < MAX_VERSIONS) {
      const known = this.#known.get(next);
      if (known !== undefined) {
        count = known;
        break;
      }
      const text = await readHistory(state, next);
      if (text === null) break;
      chain.push(next);
      next = parseNote(text).frontmatter.supersedes;
    }
    for (const hash of chain.reverse()) this.#known.set(hash, (count += 1));
    return count;
  }
}
