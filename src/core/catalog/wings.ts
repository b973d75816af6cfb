import { BrainError } from '../base/errors';
import { compareText } from '../base/text';
import { isHall, sanitiseWing, type Wing, wingOfPath } from '../vocabulary/address';
import type { VaultPath } from '../vocabulary/paths';
import { PathTable } from './path-table';

/** The folders under `wiki/`, known by the files in them. */
export class WingFolders {
  readonly #files = new Map<Wing, { all: number; inHalls: number }>();
  readonly #spellings = new PathTable<Wing>();

  /** Takes note of a file that was not known before. */
  add(path: VaultPath): void {
    this.#count(path, 1);
  }

  /** Forgets a file that was known. */
  delete(path: VaultPath): void {
    this.#count(path, -1);
  }

  /** The wings: folders with a hall folder, sorted. */
  wings(): Wing[] {
    return [...this.#files].flatMap(([wing, { inHalls }]) => (inHalls > 0 ? [wing] : [])).sort(compareText);
  }

  /** Folders that have the name of a wing but no hall folder (any more), sorted: a map may be left of one. */
  emptied(): Wing[] {
    return [...this.#files]
      .flatMap(([wing, { inHalls }]) => (inHalls === 0 && wingKey(wing) !== null ? [wing] : []))
      .sort(compareText);
  }

  /**
   * The folder that is this wing whatever its spelling ("Home Lab" for `home-lab`), or the wing as given when
   * there is none.
   */
  spelling(wing: Wing): Wing {
    return this.known(wing) ?? wing;
  }

  /** The same, or null when there is none. */
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

/** Of folders of these names below `wiki/`, the one that is this wing, chosen as the catalog chooses; null when none is. */
export function wingAmong(names: readonly string[], wing: Wing): Wing | null {
  const spellings = names.filter((name): name is Wing => wingKey(name) === wing);
  return bestOf(spellings.sort(compareText), wing);
}

/** Of the spellings of a wing, sorted, the name itself if it is among them, else the first. */
function bestOf(spellings: readonly Wing[], wing: Wing): Wing | null {
  return spellings.includes(wing) ? wing : (spellings[0] ?? null);
}

/** What all spellings of a wing share, or null for a name that no wing can have, such as `_archive`. */
export function wingKey(name: string): Wing | null {
  const known = recent.get(name);
  if (known !== undefined) return known;
  if (recent.size >= MAX_RECENT) recent.clear();
  const key = keyOf(name);
  recent.set(name, key);
  return key;
}

/** A vault has few wings and many notes that ask for them. */
const MAX_RECENT = 1024;
const recent = new Map<string, Wing | null>();

function keyOf(name: string): Wing | null {
  try {
    return sanitiseWing(name);
  } catch (error) {
    if (error instanceof BrainError) return null;
    throw error;
  }
}
