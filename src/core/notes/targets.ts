import * as z from 'zod';
import { BrainError, called } from '../base/errors';
import { inSlices, keepBest, type Steps } from '../base/steps';
import { compareText, likeness, NAMES_PER_STEP } from '../base/text';
import { wingAmong, wingKey } from '../catalog/wings';
import { NOWHERE, type Resolution, resolveLink, titleKey } from '../links/resolve';
import type { Brain } from '../operation/context';
import { hallField, pathField, slugField, wingField } from '../operation/fields';
import { operation } from '../operation/operation';
import { pathShape } from '../operation/shapes';
import { mapTitle } from '../wings/map';
import {
  areOneWing,
  fileStem,
  hasSigns,
  isHall,
  notePath,
  requireBothOrNone,
  sanitiseWing,
  spelledWing,
  type Wing,
  wingIndexPath,
  writtenWing,
} from '../vocabulary/address';
import { withoutUri } from './uri';
import { fold, inputPath, linkPath, stemOf, type VaultPath, vaultPath, zoneOf } from '../vocabulary/paths';

/** The longest prefix of a path that is completed, in UTF-16 units. */
const MAX_TYPED = 1000;

/** Returns the paths of readable notes that begin with the typed text, ignoring case, sorted; derived maps are left out. */
export const completePath = operation({
  name: 'complete_path',
  scope: 'read',
  mutates: false,
  input: z.strictObject({ typed: z.string().max(MAX_TYPED) }),
  output: z.object({ paths: z.array(pathShape) }),
  async run(brain, { typed }) {
    return { paths: await inSlices(completeSteps(brain.catalog, fold(typed)), brain.pace) };
  },
});

function* completeSteps(catalog: Brain['catalog'], beginning: string): Steps<VaultPath[]> {
  const found: VaultPath[] = [];
  for (const [at, path] of catalog.notePaths().entries()) {
    if (at % NAMES_PER_STEP === 0) yield;
    const status = catalog.record(path)?.status ?? 'rejected';
    if (status !== 'rejected' && fold(path).startsWith(beginning)) found.push(path);
  }
  return found;
}

/** Looks up known files. */
type Known = { readonly catalog: Pick<Brain['catalog'], 'taken'> };

/**
 * Returns the vault path of an input, as `inputPath` does; `./` before it and the brackets of a wikilink are dropped. A path
 * that is refused only for its names is accepted when a file is known at exactly this path: the service would not create such
 * a name, but a person did.
 * @throws BrainError `path_not_allowed`
 */
export function resolveInputPath({ catalog }: Known, text: string): VaultPath {
  return inputPath(plain(text), undefined, (path) => catalog.taken(path) === path);
}

/**
 * Reads the text at a path; null when there is none, and for the text of a forgotten note. A note of the owner is read only where the catalog knows it: another path
 * may lead to a note that is left out, through a link.
 */
export async function readKnown(
  { catalog, vault }: Pick<Brain, 'catalog' | 'vault'>,
  path: VaultPath,
): Promise<string | null> {
  if (catalog.unreadable.get(path)?.forgotten === true) return null;
  return noteZone(catalog, path) === 'vault' && catalog.taken(path) !== path ? null : vault.read(path);
}

/** Reads the text at a path; null when there is none, and for a file that is no text. */
export async function readText(
  { vault }: { readonly vault: Pick<Brain['vault'], 'read'> },
  path: VaultPath,
): Promise<string | null> {
  try {
    return await vault.read(path);
  } catch (error) {
    if (error instanceof BrainError && error.code === 'unsupported_type') return null;
    throw error;
  }
}

/** Returns the status of a note that may be read at this path, whether there is one or not; null for any other path. */
export function noteZone(
  catalog: Brain['catalog'],
  path: VaultPath,
): 'wiki' | 'knowledge' | 'raw' | 'vault' | null {
  const zone = zoneOf(path);
  if (zone === 'wiki' || zone === 'knowledge' || zone === 'raw') return zone;
  return catalog.statusOf(path) === 'vault' ? 'vault' : null;
}

/** Resolves the path of a note like `resolveInputPath`; its `.md` may be missing. */
export function resolveNotePath({ catalog }: Known, text: string, rootNote?: string): VaultPath {
  const stands = (path: VaultPath): boolean => catalog.taken(notePathOf(path)) === notePathOf(path);
  return notePathOf(inputPath(plain(text), rootNote, stands));
}

const DOT_SLASH = /^(?:\.\/)+/;
/** A wikilink or an embed. The first group is its target; heading and alias are ignored. */
const WIKILINK = /^\s*!?\[\[([^[\]|#]*)(?:#[^[\]|]*)?(?:\|[^[\]]*)?\]\]\s*$/;

/** Returns the target of a wikilink without heading and alias; null for any other text. */
function targetOf(text: string): string | null {
  // In a table, a backslash stands before the bar.
  const target = WIKILINK.exec(text)?.[1]?.replace(/\\$/, '').trim().replace(DOT_SLASH, '');
  return target === undefined || target === '' ? null : target;
}

/** Returns the path or name in a text: without the brackets of a wikilink, without `./` before it, and without the form of a URI. */
function plain(text: string): string {
  return targetOf(text) ?? withoutUri(text).replace(DOT_SLASH, '');
}

/**
 * Returns the path of the queued or reviewed note that a change names: by its path, whose `.md` may be missing, or by a
 * wikilink that leads to one note. A bare title names no note here, because the wrong one could be changed.
 * @throws BrainError `path_not_allowed`, or `ambiguous` for a link that several notes match
 */
export function linkedPath({ catalog }: Pick<Brain, 'catalog'>, text: string, rootNote?: string): VaultPath {
  const target = targetOf(text);
  const path = resolveNotePath({ catalog }, text, rootNote);
  if (target === null || catalog.taken(path) === path) return path;
  return named({ catalog }, target) ?? path;
}

/**
 * Returns the path of the note that a read names: by its path in any spelling, or as a link does, by the end of its path, its
 * file name, title or alias. The path may be that of no note, and of a file that is no note.
 * @throws BrainError `ambiguous` when several notes have the name, `note_not_found` when a name without a folder has no note,
 * `path_not_allowed` for a path out of the vault
 */
export async function findNotePath(
  brain: Placing & Pick<Brain, 'config' | 'pace'>,
  text: string,
): Promise<VaultPath> {
  const { catalog, config } = brain;
  const target = plain(text.trim());
  let path: VaultPath | null = null;
  let refused: unknown = null;
  try {
    path = resolveNotePath(brain, text, config.rootNote);
  } catch (error) {
    refused = error;
  }
  const known = path === null ? null : catalog.taken(path);
  if (known !== null) return known;
  if (path === config.rootNote) return path;
  const found =
    path === null ? named(brain, target, TITLE_TIERS) : (named(brain, target) ?? headed(brain, target));
  if (found !== null) return found;
  // A path is looked for where it says, and refused there; a bare name is a title with a typing error.
  if (path !== null && (target.includes('/') || /\.md$/i.test(target))) return path;
  if (path === null && /[/\\]/.test(target)) throw refused;
  throw await noSuchNote(brain, text);
}

const TITLE_TIERS = ['title', 'alias'] as const;

/** Returns the note whose name stands before a heading (`MTU#Why`), or null. */
function headed(brain: Pick<Brain, 'catalog'>, target: string): VaultPath | null {
  const at = target.indexOf('#');
  return at > 0 ? named(brain, target.slice(0, at).trim()) : null;
}

/**
 * Returns the note with a name, as a link finds it, else the queued one with this file name or title; null when there is none.
 * @throws BrainError `ambiguous`
 */
function named(
  { catalog }: Pick<Brain, 'catalog'>,
  target: string,
  tiers?: typeof TITLE_TIERS,
): VaultPath | null {
  const resolution: Resolution =
    tiers === undefined ? resolveLink(target, NOWHERE, catalog) : byTitle(catalog, target, tiers);
  if (resolution.status === 'resolved') return resolution.path;
  const queued =
    resolution.status === 'ambiguous' ? resolution.candidates : queuedNotes(catalog, linkPath(target));
  if (queued.length <= 1) return queued[0] ?? null;
  throw ambiguous(catalog, target, queued);
}

function byTitle(catalog: Brain['catalog'], target: string, tiers: typeof TITLE_TIERS): Resolution {
  for (const tier of tiers) {
    const found = [...new Set(catalog.candidates(tier, titleKey(target)))];
    const [path] = found;
    if (path !== undefined)
      return found.length === 1
        ? { status: 'resolved', path, tier }
        : { status: 'ambiguous', candidates: found };
  }
  return { status: 'missing' };
}

/** Returns the queued notes with this file name or, if there is none, with this title. */
function queuedNotes(catalog: Brain['catalog'], name: string): VaultPath[] {
  const key = titleKey(name);
  const queue = catalog.notes('raw');
  const byName = queue.filter(({ path }) => titleKey(stemOf(path)) === key);
  const found = byName.length > 0 ? byName : queue.filter(({ title }) => titleKey(title) === key);
  return found.map(({ path }) => path);
}

/** The number of notes that an error names when several have a name. */
const MAX_CANDIDATES = 10;

function ambiguous(catalog: Brain['catalog'], name: string, paths: readonly VaultPath[]): BrainError {
  const shown = paths.slice(0, MAX_CANDIDATES);
  const others = paths.length > shown.length ? `, and ${paths.length - shown.length} more` : '';
  return new BrainError(
    'ambiguous',
    `"${name}" is the name of ${paths.length} notes: ${shown.join(', ')}${others}. Give the path of the one that is meant.`,
    { candidates: shown.map((path) => ({ path, title: catalog.title(path) })) },
  );
}

/** The number of notes that an error names when no note has a name. */
const NEAREST = 3;

/** Returns the notes whose names are most like a name or path, best first, and a sentence about them. */
export async function nearestNotes(
  brain: Pick<Brain, 'catalog' | 'pace'>,
  name: string,
): Promise<{ nearest: { path: VaultPath; title: string }[]; near: string }> {
  const nearest = await inSlices(nearestSteps(brain.catalog, name), brain.pace);
  const near = nearest.length === 0 ? '' : ` Nearest: ${nearest.map(({ path }) => path).join(', ')}.`;
  return { nearest, near };
}

/** Returns the error for a name or path without a note; it names the notes with the most similar names. */
export async function noSuchNote(
  brain: Pick<Brain, 'catalog' | 'pace'>,
  name: string,
  path?: VaultPath,
): Promise<BrainError> {
  const { nearest, near } = await nearestNotes(brain, name);
  return new BrainError(
    'note_not_found',
    `There is no note ${path === undefined ? `"${name}"` : `at ${path}`}.${near} Look for it with ${called('query', 'a search')}.`,
    { ...(path !== undefined && { path }), nearest },
  );
}

/** The longest name that is compared (UTF-16 units). */
const MAX_COMPARED = 120;

function* nearestSteps(catalog: Brain['catalog'], name: string): Steps<{ path: VaultPath; title: string }[]> {
  const wanted = comparable(linkPath(name));
  const last = comparable(stemOf(name));
  const best: { path: VaultPath; title: string; score: number }[] = [];
  for (const [at, path] of catalog.notePaths().entries()) {
    if (at % NAMES_PER_STEP === 0) yield;
    const { title, status = 'rejected' } = catalog.record(path) ?? {};
    if (title === undefined || status === 'rejected') continue;
    const score = Math.max(
      likeness(last, comparable(stemOf(path))),
      likeness(last, comparable(title)),
      likeness(wanted, comparable(linkPath(path))),
    );
    keepBest(
      best,
      { path, title, score },
      NEAREST,
      (a, b) => b.score - a.score || compareText(a.path, b.path),
    );
  }
  return best.map(({ path, title }) => ({ path, title }));
}

function comparable(name: string): string {
  return name
    .slice(-MAX_COMPARED)
    .toLowerCase()
    .replace(/[\s_/-]+/g, ' ');
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
export function targetPath(brain: Placing & Pick<Brain, 'config'>, target: Target): VaultPath {
  const path = pathOf(target);
  return path === undefined ? addressedPath(brain, target) : linkedPath(brain, path, brain.config.rootNote);
}

/**
 * Returns the path of the note that a read, or a change of its text, names by the fields of `targetFields`; see `findNotePath`.
 * @throws BrainError as `targetPath` and `findNotePath`
 */
export async function readPath(
  brain: Placing & Pick<Brain, 'config' | 'pace'>,
  target: Target,
): Promise<VaultPath> {
  const path = pathOf(target);
  return path === undefined ? addressedPath(brain, target) : findNotePath(brain, path);
}

function pathOf({ path, wing, hall, slug }: Target): string | undefined {
  if (path !== undefined) {
    if (wing !== undefined || hall !== undefined || slug !== undefined) {
      throw new BrainError('invalid_field', 'Give either "path" or "wing", "hall" and "slug", not both.', {
        field: 'path',
      });
    }
  }
  return path;
}

function addressedPath(brain: Placing, { wing, hall, slug }: Target): VaultPath {
  requireBothOrNone(wing, hall);
  if (wing === undefined || slug === undefined || !isHall(hall)) {
    throw new BrainError(
      'missing_field',
      'Name the note by "path", or by "wing", "hall" and "slug" together.',
      { field: 'path' },
    );
  }
  return notePath({ wing: wingFolder(brain, wing), hall, slug: fileStem(slug, 'invalid_slug') });
}

/** Returns the wing with a name: the spelling of the folder that has files, otherwise the sanitised name. */
export function wingFolder(brain: Placing, name: string): Wing {
  return placing(brain).catalog.wingSpelling(sanitiseWing(name));
}

/** A brain whose wings are looked up for a new note. */
export type Placing = Pick<Brain, 'catalog' | 'vault' | 'limits'> & {
  readonly whole: Pick<Brain, 'catalog' | 'vault' | 'maps'>;
};

/** Whoever may not read still writes into the wings that there are, so that no second spelling of one is made. */
function placing(brain: Placing): Pick<Brain, 'catalog' | 'vault'> {
  return brain.limits?.isBlind === true ? brain.whole : brain;
}

/**
 * Returns a function that finds the wings for new notes: as `wingFolder`, but an empty folder counts as well, so that no second
 * one is created. The folders are read at most once, and only for unknown wings. A name with a sign that folders do not have, such
 * as "C#", is that of a wing which is written so, in its folder or in the title of its map.
 * @throws BrainError `invalid_wing` for a name that no wing can have, and with `details.suggested` for one that differs in a sign
 */
export function wingFinder(brain: Placing): (name: string) => Promise<Wing> {
  const { catalog, vault } = placing(brain);
  let folders: Promise<string[]> | undefined;
  return async (name) => {
    const wing = sanitiseWing(name);
    let known = catalog.knownWing(wing);
    if (known === null) {
      folders ??= vault.subfolders('wiki');
      known = wingAmong(await folders, wing);
    }
    if (!hasSigns(name) || brain.limits?.isBlind === true) return known ?? wing;
    if (known === null) {
      brain.whole.maps.names.set(wing, writtenWing(name));
      return wing;
    }
    const spellings = [known, ...catalog.wings().filter((each) => each !== known && wingKey(each) === wing)];
    for (const each of spellings) if (areOneWing(each, name)) return each;
    const title = mapTitle((await vault.read(wingIndexPath(known))) ?? '') ?? known;
    const written = wingKey(title) === wing ? title : known;
    if (areOneWing(written, name)) return known;
    const suggested = spelledWing(name);
    throw new BrainError(
      'invalid_wing',
      `The wing "${writtenWing(name)}" would share its folder with the wing "${writtenWing(written)}". Use "${suggested}", or the name of that one.`,
      { suggested },
    );
  };
}
