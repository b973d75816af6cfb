import * as z from 'zod';
import type { Brain } from '../brain';
import { wingKey } from '../catalog/wing-folders';
import { BrainError } from '../errors';
import { dryRunField, wingField } from '../fields';
import { operation } from '../operation';
import { refuseStopped } from '../progress';
import { sanitiseWing, type Wing, wingIndexPath } from '../rules/address';
import { compareText } from '../rules/text';
import { warningsShape } from '../shapes';
import { refreshWingIndex } from './wing-index';
import { isEmptyMap, isOurMap } from './wing-map';

const output = z.object({
  count: z.number().int(),
  wings: z.array(
    z.object({ wing: z.string(), path: z.string(), notes: z.number().int(), changed: z.boolean() }),
  ),
  warnings: warningsShape
    .optional()
    .describe('Maps that were left as they are, or with which something was wrong'),
});

/**
 * Rebuilds the map of one wing, or of all. Text outside the managed region of an `_index.md` is kept byte for byte,
 * and a map that is already right is not written.
 * Fails with `invalid_wing` for a wing that does not exist.
 */
export const indexWings = operation({
  name: 'index',
  scope: 'write',
  mutates: true,
  input: z.strictObject({ wing: wingField.optional(), dry_run: dryRunField }),
  output,
  async run(brain, input, _caller, watch) {
    const mapped = await mappedWings(brain);
    const wings = input.wing === undefined ? mapped : [existingWing(mapped, input.wing)];
    const warnings: string[] = [];
    const indexed = [];
    for (const wing of wings) {
      const make = () => refreshWingIndex(brain, wing, { dryRun: input.dry_run });
      refuseStopped(watch?.signal);
      try {
        // Others have their turns between two maps, and what is only looked at keeps nobody waiting.
        const map = await (input.dry_run === true ? make() : brain.writer.run(make));
        if (map.warning !== null && !input.dry_run) warnings.push(map.warning);
        indexed.push(map);
      } catch (error) {
        // One map that cannot be read must not keep the others from being made; who asks for it alone is told. That too many
        // wait, or that the vault is being closed, is no fault of a map.
        const isOfMap = !(error instanceof BrainError) || !['busy', 'starting'].includes(error.code);
        if (input.wing !== undefined || !isOfMap) throw error;
        brain.log.warn('wing_index.skipped', { wing, message: String(error) });
        warnings.push(`The map of ${wing} was left as it is. ${reasonOf(error)}`);
      }
    }
    return {
      count: indexed.length,
      wings: indexed.map(({ wing, path, notes, changed }) => ({ wing, path, notes, changed })),
      ...(warnings.length > 0 && { warnings }),
    };
  },
});

/** The wings, and those whose last note is gone while a map of ours is left that still lists it; sorted. */
async function mappedWings({
  catalog,
  vault,
  log,
}: Pick<Brain, 'catalog' | 'vault' | 'log'>): Promise<Wing[]> {
  const wings = catalog.wings();
  for (const wing of catalog.wings('emptied')) {
    const path = wingIndexPath(wing);
    if (catalog.taken(path) !== path) continue;
    try {
      const map = (await vault.read(path)) ?? '';
      if (!isEmptyMap(map) && isOurMap(wing, map)) wings.push(wing);
    } catch (error) {
      // It has no note that could be missed in it, and must not keep the maps of the others from being made.
      log.warn('wing_index.skipped', { wing, message: String(error) });
    }
  }
  return wings.sort(compareText);
}

/** What a caller may read of a failure: the sentence that was written for callers, or where to find the other ones. */
function reasonOf(error: unknown): string {
  return error instanceof BrainError ? error.message : 'It could not be read or written: see the log.';
}

/**
 * The wing that is called so: the folder of exactly this name, else one that is the same wing.
 * @throws BrainError `invalid_wing` when there is none.
 */
export function existingWing(wings: readonly Wing[], name: string): Wing {
  const wanted = sanitiseWing(name);
  const found =
    wings.find((wing) => wing === name) ??
    wings.find((wing) => wing === wanted) ??
    wings.find((wing) => wingKey(wing) === wanted);
  if (found === undefined) {
    throw new BrainError(
      'invalid_wing',
      `There is no wing "${wanted}". Existing wings: ${wings.join(', ') || 'none'}.`,
      {
        wings,
      },
    );
  }
  return found;
}
