import * as z from 'zod';
import { BrainError } from '../base/errors';
import { wingAmong } from '../catalog/wings';
import type { Brain } from '../operation/context';
import { hallField, pathField, slugField, wingField } from '../operation/fields';
import { operation } from '../operation/operation';
import { pathShape } from '../operation/shapes';
import {
  fileStem,
  isHall,
  notePath,
  requireBothOrNone,
  sanitiseWing,
  type Wing,
} from '../vocabulary/address';
import { fold, inputPath, type VaultPath, vaultPath, zoneOf } from '../vocabulary/paths';

/** The longest prefix of a path that is completed, in UTF-16 units. */
const MAX_TYPED = 1000;
const NOTE_ZONES: ReadonlySet<string> = new Set(['wiki', 'knowledge', 'raw']);

/** Returns the paths of readable notes that begin with the typed text, ignoring case, sorted; derived maps are left out. */
export const completePath = operation({
  name: 'complete_path',
  scope: 'read',
  mutates: false,
  input: z.strictObject({ typed: z.string().max(MAX_TYPED) }),
  output: z.object({ paths: z.array(pathShape) }),
  async run(brain, { typed }) {
    const beginning = fold(typed);
    const paths = brain.catalog
      .pathsBelow('')
      .filter((path) => NOTE_ZONES.has(zoneOf(path)) && /\.md$/i.test(path) && !/\/_index\.md$/.test(path))
      .filter((path) => fold(path).startsWith(beginning));
    return { paths };
  },
});

/** Looks up known files. */
type Known = { readonly catalog: Pick<Brain['catalog'], 'taken'> };

/**
 * Returns the vault path of an input, as `inputPath` does. A path that is refused only for its names is accepted when a file is
 * known at exactly this path: the service would not create such a name, but a person did.
 * @throws BrainError `path_not_allowed`
 */
export function resolveInputPath({ catalog }: Known, text: string, rootNote?: string): VaultPath {
  return inputPath(text, rootNote, (path) => catalog.taken(path) === path);
}

/** Resolves the path of a note like `resolveInputPath`; its `.md` may be missing. */
export function resolveNotePath({ catalog }: Known, text: string, rootNote?: string): VaultPath {
  const stands = (path: VaultPath): boolean => catalog.taken(notePathOf(path)) === notePathOf(path);
  return notePathOf(inputPath(text, rootNote, stands));
}

function notePathOf(path: VaultPath): VaultPath {
  return /\.md$/i.test(path) ? path : vaultPath(`${path}.md`);
}

/** The fields that name an existing note: its path, or its whole address. */
export const targetFields = {
  path: pathField.optional(),
  wing: wingField.optional(),
  hall: hallField.optional(),
  slug: slugField.optional(),
};
export type Target = z.output<z.ZodObject<typeof targetFields>>;

/**
 * Returns the vault path of an input, with `.md` appended if it is missing; the note may not exist.
 * @throws BrainError `missing_field` without a path or a whole address, `wing_and_hall_required_together` for half an address,
 * or the error of the invalid part
 */
export function targetPath(
  brain: Pick<Brain, 'catalog' | 'config'>,
  { path, wing, hall, slug }: Target,
): VaultPath {
  if (path !== undefined) {
    if (wing !== undefined || hall !== undefined || slug !== undefined) {
      throw new BrainError('invalid_field', 'Give either "path" or "wing", "hall" and "slug", not both.', {
        field: 'path',
      });
    }
    return resolveNotePath(brain, path, brain.config.rootNote);
  }
  requireBothOrNone(wing, hall);
  if (wing === undefined || slug === undefined || !isHall(hall)) {
    throw new BrainError(
      'missing_field',
      'Name the note by "path", or by "wing", "hall" and "slug" together.',
      {
        field: 'path',
      },
    );
  }
  return notePath({ wing: wingFolder(brain, wing), hall, slug: fileStem(slug, 'invalid_slug') });
}

/** Returns the wing with a name: the spelling of the folder that has files, otherwise the sanitised name. */
export function wingFolder(brain: Pick<Brain, 'catalog'>, name: string): Wing {
  return brain.catalog.wingSpelling(sanitiseWing(name));
}

/**
 * Returns a function that finds the wings for new notes: as `wingFolder`, but an empty folder counts as well, so that no second
 * one is created. The vault is read at most once, and only for unknown wings.
 */
export function wingFinder({
  catalog,
  vault,
}: Pick<Brain, 'catalog' | 'vault'>): (name: string) => Promise<Wing> {
  let folders: Promise<string[]> | undefined;
  return async (name) => {
    const wing = sanitiseWing(name);
    const known = catalog.knownWing(wing);
    if (known !== null) return known;
    folders ??= vault.subfolders('wiki');
    return wingAmong(await folders, wing) ?? wing;
  };
}
