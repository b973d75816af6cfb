import type * as z from 'zod';
import type { Brain } from '../brain';
import { wingAmong } from '../catalog/wing-folders';
import { BrainError } from '../errors';
import { hallField, pathField, slugField, wingField } from '../fields';
import { notePath, requireBothOrNone, sanitiseWing, type Wing } from '../rules/address';
import { isHall } from '../rules/hall';
import type { VaultPath } from '../rules/paths';
import { fileStem } from '../rules/slug';
import { givenNotePath } from './given-path';

/** How a caller names an existing note: by its path, or by its whole address. */
export const targetFields = {
  path: pathField.optional(),
  wing: wingField.optional(),
  hall: hallField.optional(),
  slug: slugField.optional(),
};
export type Target = z.output<z.ZodObject<typeof targetFields>>;

/**
 * The vault path that a caller means, `.md` appended when it lacks; says nothing of whether it exists.
 * @throws BrainError `missing_field` without a path or a whole address, `wing_and_hall_required_together` for half a one, or
 * what the rule for the given part throws.
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
    return givenNotePath(brain, path, brain.config.rootNote);
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

/** The wing that a name means: the folder that is known by the files in it, else the sanitised name. */
export function wingFolder(brain: Pick<Brain, 'catalog'>, name: string): Wing {
  return brain.catalog.wingSpelling(sanitiseWing(name));
}

/**
 * Finds the wings in which notes are about to be made: as `wingFolder`, but a folder in which nothing stands yet counts as
 * well, so that no second one is made beside it. The vault is asked at most once, and not for wings that are known.
 */
export function wingFinder({
  catalog,
  vault,
}: Pick<Brain, 'catalog' | 'vault'>): (name: string) => Promise<Wing> {
  let standing: Promise<string[]> | undefined;
  return async (name) => {
    const wing = sanitiseWing(name);
    const known = catalog.knownWing(wing);
    if (known !== null) return known;
    standing ??= vault.subfolders('wiki');
    return wingAmong(await standing, wing) ?? wing;
  };
}
