import type { Brain } from '../brain';
import type { NoteRecord } from '../catalog/note-record';
import { wingKey } from '../catalog/wing-folders';
import type { VectorFilter } from '../ports';
import type { Wing } from '../rules/address';
import type { Hall } from '../rules/hall';

/**
 * What a search is limited to, as the table of vectors can tell it: wing and hall by the path, everything else by the list of
 * the notes that pass or, when that is shorter, of those that do not. So no note that passes is crowded out by one that
 * does not.
 */
export function vectorFilter(
  { catalog }: Pick<Brain, 'catalog'>,
  { wing, hall }: { readonly wing?: Wing | undefined; readonly hall?: Hall | undefined },
  accept: ((note: NoteRecord) => boolean) | null,
): VectorFilter {
  return {
    ...(wing !== undefined && {
      prefixes: spellings(catalog, wing).map(
        (name) => `wiki/${name}/${hall === undefined ? '' : `${hall}/`}`,
      ),
    }),
    ...(wing === undefined && hall !== undefined && { hall }),
    ...(accept !== null && lists(catalog, accept)),
  };
}

/** Every folder that is this wing: "Home Lab" for `home-lab`. */
function spellings(catalog: Brain['catalog'], wing: Wing): Wing[] {
  const key = wingKey(wing) ?? wing;
  const same = catalog.wings().filter((name) => wingKey(name) === key);
  return [...new Set([catalog.wingSpelling(wing), ...same])];
}

function lists(
  catalog: Brain['catalog'],
  accept: (note: NoteRecord) => boolean,
): Pick<VectorFilter, 'only' | 'except'> {
  const notes = catalog.notes('wiki');
  const only = notes.filter(accept);
  if (only.length * 2 <= notes.length) return { only: only.map(({ path }) => path) };
  const passing = new Set(only.map(({ path }) => path));
  return { except: notes.flatMap(({ path }) => (passing.has(path) ? [] : [path])) };
}
