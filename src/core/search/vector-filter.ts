import type { Brain } from '../brain';
import type { NoteRecord } from '../catalog/note-record';
import { wingKey } from '../catalog/wing-folders';
import type { VectorFilter } from '../ports';
import type { Wing } from '../rules/address';
import type { Hall } from '../rules/hall';
import type { VaultPath } from '../rules/paths';
import type { Steps } from '../steps';

/** So many notes are looked at in one step. */
const NOTES_PER_STEP = 256;

/** What the table of vectors can tell by itself, and what is quoted in the query. */
interface Limits {
  readonly query: string;
  readonly wing?: Wing | undefined;
  readonly hall?: Hall | undefined;
}

/**
 * What a search is limited to, as the table of vectors can tell it: wing and hall by the path, everything else by the list of
 * the notes that pass or, when that is shorter, of those that do not. So no note that passes is crowded out by one that
 * does not. What is quoted must stand in a note, however near its meaning is. A little of the vault in each step.
 */
export function* vectorFilterSteps(
  { catalog }: Pick<Brain, 'catalog'>,
  { query, wing, hall }: Limits,
  accept: ((note: NoteRecord) => boolean) | null,
): Steps<VectorFilter> {
  const holders = yield* catalog.words.phraseHolders(query);
  const passes = (note: NoteRecord) => (accept?.(note) ?? true) && (holders?.has(note.path) ?? true);
  return {
    ...(wing !== undefined && {
      prefixes: spellings(catalog, wing).map(
        (name) => `wiki/${name}/${hall === undefined ? '' : `${hall}/`}`,
      ),
    }),
    ...(wing === undefined && hall !== undefined && { hall }),
    ...((accept !== null || holders !== null) && (yield* listSteps(catalog, passes))),
  };
}

/** Every folder that is this wing: "Home Lab" for `home-lab`. */
function spellings(catalog: Brain['catalog'], wing: Wing): Wing[] {
  const key = wingKey(wing) ?? wing;
  const same = catalog.wings().filter((name) => wingKey(name) === key);
  return [...new Set([catalog.wingSpelling(wing), ...same])];
}

function* listSteps(
  catalog: Brain['catalog'],
  passes: (note: NoteRecord) => boolean,
): Steps<Pick<VectorFilter, 'only' | 'except'>> {
  const only: VaultPath[] = [];
  const except: VaultPath[] = [];
  for (const [at, note] of catalog.notes('wiki').entries()) {
    (passes(note) ? only : except).push(note.path);
    if (at % NOTES_PER_STEP === 0) yield;
  }
  return only.length <= except.length ? { only } : { except };
}
