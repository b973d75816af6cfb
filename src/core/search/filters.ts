import * as z from 'zod';
import { inSlices, type Steps } from '../base/steps';
import { listNearestSteps, NAMES_PER_STEP } from '../base/text';
import { wingKey } from '../catalog/wings';
import type { Brain } from '../operation/context';
import { MAX_PATH } from '../operation/fields';
import { sanitiseWing, type Wing } from '../vocabulary/address';
import { folderOf, inputPath, zoneOf } from '../vocabulary/paths';

/** The filter by folder, which `folderOfInput` reads. */
export const underField = z
  .string()
  .max(MAX_PATH)
  .optional()
  .describe('Only notes in this folder, such as wiki/homelab');

/** The place to which a search is limited. `under` is a folder's path without a `/` at its end. */
export interface PlaceFilter {
  readonly wing?: Wing | undefined;
  readonly under?: string | undefined;
}

/**
 * Reads the filters by place of a call. The folder may have `./`, `/` or `brain/` before it and `/` after it; the vault's own
 * folder filters nothing.
 * @throws BrainError `invalid_wing`, or `path_not_allowed` for a folder outside the vault
 */
export function readPlace(
  { catalog }: Pick<Brain, 'catalog'>,
  wing: string | undefined,
  under: string | undefined,
): PlaceFilter {
  return {
    ...(wing !== undefined && { wing: sanitiseWing(wing) }),
    ...(under !== undefined && folderOfInput(catalog, under)),
  };
}

function folderOfInput(catalog: Pick<Brain['catalog'], 'pathsBelow'>, text: string): { under?: string } {
  const folder = text.trim().replace(/^(?:\.\/)+|\/+$/g, '');
  if (/^\/?\.?$/.test(folder)) return {};
  // A file below it makes the folder a path that has all rules of one.
  const exists = (path: string): boolean => catalog.pathsBelow(`${folderOf(path)}/`).length > 0;
  const under = folderOf(inputPath(`${folder}/x`, undefined, exists));
  return under === '' ? {} : { under };
}

/** Returns true for a folder of the review queue, whose notes are searched only on request. */
export function isQueue(under: string | undefined): boolean {
  return under !== undefined && zoneOf(`${under}/x`) === 'raw';
}

/**
 * Returns warnings for a search without results whose wing or folder has no notes at all, each with the nearest names there
 * are.
 */
export function placeWarnings(
  { catalog, pace }: Pick<Brain, 'catalog' | 'pace'>,
  place: PlaceFilter,
): Promise<string[]> {
  return inSlices(placeSteps(catalog, place), pace);
}

function* placeSteps(catalog: Brain['catalog'], { wing, under }: PlaceFilter): Steps<string[]> {
  let hasWing = wing === undefined || catalog.knownWing(wing) !== null;
  let hasFolder = under === undefined;
  if (hasWing && hasFolder) return [];
  const folders = new Set<string>();
  for (const [at, path] of catalog.notePaths().entries()) {
    if (at % NAMES_PER_STEP === 0) yield;
    const note = catalog.record(path);
    if (note === undefined || note.status === 'rejected') continue;
    hasWing ||= note.wing !== null && wingKey(note.wing) === wing;
    hasFolder ||= path.startsWith(`${under}/`);
    for (let folder = folderOf(path); folder !== '' && !folders.has(folder); folder = folderOf(folder))
      folders.add(folder);
  }
  const warnings: string[] = [];
  if (wing !== undefined && !hasWing) {
    const wings = yield* listed('Wings', 'There are no wings yet', catalog.wings(), wing);
    warnings.push(`No wing "${wing}". ${wings}`);
  }
  if (under !== undefined && !hasFolder) {
    const others = yield* listed('Folders', 'There are no notes yet', [...folders], under);
    warnings.push(`No folder "${under}". ${others}`);
  }
  return warnings;
}

function* listed(label: string, none: string, names: readonly string[], to: string): Steps<string> {
  return names.length === 0 ? `${none}.` : `${label}: ${yield* listNearestSteps(names, to)}.`;
}
