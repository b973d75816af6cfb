import { BrainError } from '../base/errors';
import { compareText } from '../base/text';
import { isHall, sanitiseWing, type Wing, wingOfPath } from '../vocabulary/address';
import type { VaultPath } from '../vocabulary/paths';
import { PathTable } from './path-table';

/** The folders under `wiki/`, derived from the known files in them. */
export class WingFolders {
  readonly #files = new Map<Wing, { all: number; inHalls: number }>();
  readonly #spellings = new PathTable<Wing>();

  /** Adds a file that was not known before. */
  add(path: VaultPath): void {
    this.#count(path, 1);
  }

  /** Removes a known file. */
  delete(path: VaultPath): void {
    this.#count(path, -1);
  }

  /** Returns the wings, which are the folders with a hall folder, sorted. */
  wings(): Wing[] {
    return [...this.#files].flatMap(([wing, { inHalls }]) => (inHalls > 0 ? [wing] : [])).sort(compareText);
  }

  /** Returns the folders with the name of a wing but without a hall folder, sorted: one may still have a map. */
  emptied(): Wing[] {
    return [...this.#files]
      .flatMap(([wing, { inHalls }]) => (inHalls === 0 && wingKey(wing) !== null ? [wing] : []))
      .sort(compareText);
  }

  /** Returns the folder of a wing in whatever spelling ("Home Lab" for `home-lab`), or the wing as given if there is none. */
  spelling(wing: Wing): Wing {
    return this.known(wing) ?? wing;
  }

  /** Returns the folder of a wing in whatever spelling, or null if there is none. */
  known(wing: Wing): Wing | null {
    return bestOf(this.#spellings.get(wingKey(wing) ?? wing), wing);
  }

  #count(path: VaultPath, by: 1 | -1): void {
    const wing = wingOfPath(path);
    if (wing === null) return;
    const [, , hall, file] = path.split('/');
    const { all, inHalls } = this.#files.get(wing) ?? { all: 0, inHalls: 0 };
    const now = { all: all + by, inHalls: inHalls + (isHall(hall) && file !== undefined ? by : 0) };
    const key = wingKey(wing);
    if (now.all > 0) {
      this.#files.set(wing, now);
      if (key !== null) this.#spellings.add(key, wing);
    } else {
      this.#files.delete(wing);
      if (key !== null) this.#spellings.delete(key, wing);
    }
  }
}

/** Returns the folder name that is this wing, by the same rule as the catalog; null if none is. */
export function wingAmong(names: readonly string[], wing: Wing): Wing | null {
  const spellings = names.filter((name): name is Wing => wingKey(name) === wing);
  return bestOf(spellings.sort(compareText), wing);
}

/** Returns the name itself if it is among the sorted spellings, else the first of them. */
function bestOf(spellings: readonly Wing[], wing: Wing): Wing | null {
  return spellings.includes(wing) ? wing : (spellings[0] ?? null);
}

/** Returns the key that all spellings of a wing share, or null for a name that no wing can have, such as `_archive`. */
export function wingKey(name: string): Wing | null {
  const known = keyCache.get(name);
  if (known !== undefined) return known;
  if (keyCache.size >= MAX_CACHED) keyCache.clear();
  const key = keyOf(name);
  keyCache.set(name, key);
  return key;
}

/** The size of the cache of keys: a vault has few wings, and many notes look them up. */
const MAX_CACHED = 1024;
const keyCache = new Map<string, Wing | null>();

function keyOf(name: string): Wing | null {
  try {
    return sanitiseWing(name);
  } catch (error) {
    if (error instanceof BrainError) return null;
    throw error;
  }
}
