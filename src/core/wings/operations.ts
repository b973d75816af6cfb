import * as z from 'zod';
import { actsForOwner, allows } from '../access/tokens';
import { BrainError } from '../base/errors';
import { refuseStopped } from '../base/steps';
import { compareText, listNearest } from '../base/text';
import type { NoteRecord } from '../catalog/record';
import { wingKey } from '../catalog/wings';
import type { Brain } from '../operation/context';
import { dryRunField, wingField } from '../operation/fields';
import { ownersLeft } from '../operation/owner';
import { operation } from '../operation/operation';
import { warningsShape } from '../operation/shapes';
import { addressOf, type Hall, sanitiseWing, type Wing, wingIndexPath } from '../vocabulary/address';
import { isStale } from '../vocabulary/envelope';
import { isEmptyMap, isOurMap } from './map';
import { isOwnersWing, refreshWingIndex } from './refresh';

const indexOutput = z.object({
  count: z.number().int(),
  wings: z.array(
    z.object({ wing: z.string(), path: z.string(), notes: z.number().int(), changed: z.boolean() }),
  ),
  warnings: warningsShape
    .optional()
    .describe('Maps that were left as they are, or with which something was wrong'),
});

/**
 * Rebuilds the map of one wing, or of all; all of them for an administrator also read the notes again that were passed over
 * because their text ended what read it. Text outside the managed region of an `_index.md` is kept byte for byte, and a map
 * that is already right is not written. Fails with `invalid_wing` for a wing that does not exist.
 */
export const indexWings = operation({
  name: 'index',
  scope: 'write',
  mutates: true,
  keyed: 'none',
  input: z.strictObject({ wing: wingField.optional(), dry_run: dryRunField }),
  output: indexOutput,
  async run(brain, indexInput, caller, watch) {
    const { wing: only, dry_run: dryRun } = indexInput;
    if (only === undefined && dryRun !== true && allows(caller, 'admin')) {
      await brain.tryTextsAgain();
      await brain.refresh();
    }
    const mapped = (await mappedWings(brain)).filter((wing) => brain.limits?.writesInto(wing) ?? true);
    const wings = indexInput.wing === undefined ? mapped : [existingWing(mapped, indexInput.wing)];
    const warnings: string[] = [];
    const indexed = [];
    for (const wing of wings) {
      const make = () => refreshAsSeen(brain, wing, indexInput.dry_run);
      refuseStopped(watch?.signal);
      try {
        if (!actsForOwner(caller) && (await isOwnersWing(brain, wing))) {
          warnings.push(ownersLeft(wingIndexPath(wing), 'the list of its wing'));
          continue;
        }
        // The lock is taken for each map, so that other writers run between two; a dry run does not take it.
        const map = await (indexInput.dry_run === true ? make() : brain.writer.run(make));
        if (map.warning !== null && !indexInput.dry_run) warnings.push(map.warning);
        indexed.push(map);
      } catch (error) {
        // An unreadable map must not stop the others; a call for that map alone gets its error. A busy or closing vault is no
        // fault of a map.
        const isOfMap = !(error instanceof BrainError) || !['busy', 'starting'].includes(error.code);
        if (indexInput.wing !== undefined || !isOfMap) throw error;
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

/** Refreshes a map, and reports of it what a view of the vault has. */
async function refreshAsSeen(brain: Brain, wing: Wing, dryRun: boolean | undefined) {
  const isMissing = async () => (await brain.vault.read(wingIndexPath(wing))) === null;
  const seen = brain.limits?.hidesNotes
    ? {
        notes: countNotes(brain.catalog.notesOfWing(wing), brain.clock.now()).notes,
        changed: await isMissing(),
      }
    : {};
  return { ...(await refreshWingIndex(brain, wing, { dryRun })), ...seen };
}

/** Returns the wings with notes, and those without notes whose generated map still lists some; sorted. */
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
      // This map has no note, so skipping it loses nothing, and it must not stop the others.
      log.warn('wing_index.skipped', { wing, message: String(error) });
    }
  }
  return wings.sort(compareText);
}

/**
 * Returns the part of a failure that a caller may read: its message if it was written for callers, otherwise where to find it.
 */
function reasonOf(error: unknown): string {
  return error instanceof BrainError ? error.message : 'It could not be read or written: see the log.';
}

/**
 * Returns the wing with a name: the folder with exactly this name, otherwise one that is the same wing.
 * @throws BrainError `invalid_wing` when there is none
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
      `There is no wing "${wanted}". Existing wings: ${listNearest(wings, wanted) || 'none'}.`,
      { wings },
    );
  }
  return found;
}

const count = z.number().int();
/** Every wing with its notes per hall. */
export const wingsShape = z.array(
  z.object({
    wing: z.string(),
    notes: count,
    stale: count,
    halls: z.object({ facts: count, decisions: count, failures: count, hypotheses: count, sources: count }),
  }),
);

/** Lists every wing with its notes per hall, and how many of them are past their half-life. */
export const listWings = operation({
  name: 'wings',
  scope: 'read',
  mutates: false,
  input: z.strictObject({}),
  output: z.object({ wings: wingsShape }),
  async run(brain) {
    return { wings: wingCounts(brain) };
  },
});

/** Counts the notes of every wing, from memory. */
export function wingCounts({ catalog, clock }: Pick<Brain, 'catalog' | 'clock'>): z.input<typeof wingsShape> {
  const now = clock.now();
  return catalog.wings().map((wing) => ({ wing, ...countNotes(catalog.notesOfWing(wing), now) }));
}

/** Counts the notes of a wing that have an address: in all, stale ones, and in each hall. */
function countNotes(notes: readonly NoteRecord[], now: Date) {
  const halls: Record<Hall, number> = { facts: 0, decisions: 0, failures: 0, hypotheses: 0, sources: 0 };
  let [all, stale] = [0, 0];
  for (const note of notes) {
    const { hall, ages } = factsOf(note);
    if (hall === null) continue;
    all += 1;
    halls[hall] += 1;
    if (ages && isStale(note.frontmatter, now)) stale += 1;
  }
  return { notes: all, stale, halls };
}

interface Facts {
  /** The hall of the note's address; null for a note without one. */
  readonly hall: Hall | null;
  /** False for a note that never becomes stale, as most. */
  readonly ages: boolean;
}

/** Facts by record: a record never changes, so they are computed once. */
const facts = new WeakMap<NoteRecord, Facts>();

function factsOf(note: NoteRecord): Facts {
  const known = facts.get(note);
  if (known !== undefined) return known;
  const ages = isStale(note.frontmatter, LAST_DAY);
  const found = { hall: addressOf(note.path)?.hall ?? null, ages };
  facts.set(note, found);
  return found;
}

/** The last representable time: a note that can become stale is stale then. */
const LAST_DAY = new Date(8.64e15);
