import { sha256 } from '../base/hash';
import { compareText, foldLatin } from '../base/text';
import { addressOf, slugify } from '../vocabulary/address';
import {
  fileName,
  folderOf,
  linkPath,
  stemOf,
  type VaultPath,
  withoutBrain,
  zoneOf,
} from '../vocabulary/paths';

/** The ways in which a target can name a note, in the order of trial after the exact path. */
export const LINK_TIERS = ['suffix', 'basename', 'folded', 'title', 'alias', 'slug'] as const;
export type LinkTier = (typeof LINK_TIERS)[number];

/** A heading that a link may name. */
export interface HeadingPlace {
  /** 1 to 6. */
  readonly level: number;
  /** The shown text, without markup. */
  readonly text: string;
  /** The source on one line, when it differs from `text`; a link may name it too. */
  readonly source?: string | undefined;
}

/** The files to which a link may lead, with look-ups over them. */
export interface LinkTargets {
  /**
   * Returns the file at exactly this path, with or without `.md`, or null. Files are notes of wiki and knowledge, handled
   * originals in the inbox, and attachments.
   */
  has(path: string): VaultPath | null;
  /**
   * Returns the notes of wiki and knowledge with this key. Suffix: the end of the path without `.md`, after a `/`, exact; basename:
   * the file name without `.md`; folded: `foldLink` of that; title and alias: `titleKey`; slug: the derived one.
   */
  candidates(tier: LinkTier, key: string): readonly VaultPath[];
  /**
   * Returns the file at exactly this path that may be linked although its zone is closed to links, or null: a page of the same
   * batch, which waits for review together with the linking page.
   */
  admits?(path: string): VaultPath | null;
  /**
   * Returns where a target leads among files that come together, before every note of the vault; null when it means none of
   * them.
   * @param path the path of the linking note
   */
  within?(target: string, relative: boolean, path: VaultPath | null): Resolution | null;
  /** Returns true when a note has the heading or block of a fragment (without the `#`), or when its content is unknown. */
  holds(path: VaultPath, fragment: string): boolean;
  title(path: VaultPath): string;
}

/** Targets of which no link leads anywhere. */
export const NO_TARGETS: LinkTargets = {
  has: () => null,
  candidates: () => [],
  holds: () => true,
  title: () => '',
};

/** Returns link targets with look-ups of their own; `targets` does the others. */
export function withLookups(targets: LinkTargets, own: Partial<LinkTargets>): LinkTargets {
  return {
    has: (path) => targets.has(path),
    candidates: (tier, key) => targets.candidates(tier, key),
    admits: (path) => targets.admits?.(path) ?? null,
    within: (target, relative, path) => targets.within?.(target, relative, path) ?? null,
    holds: (path, fragment) => targets.holds(path, fragment),
    title: (path) => targets.title(path),
    ...own,
  };
}

/** The note that holds a link. `path` is null for a note without a path yet. */
export interface LinkSource {
  readonly path: VaultPath | null;
  readonly wing: string | null;
  readonly hall: string | null;
}

/** The place of a text that is no note, so that no wing or hall is nearer than another. */
export const NOWHERE: LinkSource = { path: null, wing: null, hall: null };

export type Resolution =
  | { readonly status: 'resolved'; readonly path: VaultPath; readonly tier: 'exact' | LinkTier }
  | { readonly status: 'ambiguous'; readonly candidates: readonly VaultPath[] }
  | { readonly status: 'missing' | 'self' | 'unreviewed' | 'protected'; readonly path?: VaultPath };

/** The longest target that is resolved (UTF-16 units); no path or title is longer. */
const MAX_TARGET = 1000;
/** The hash for `slugify`, which uses it only for a target without letters; such a slug names no note. */
const NO_CONTENT = sha256('');

/** Folds a name: case, accents of Latin letters, width, and spaces, dashes or underscores make no difference. */
export function foldLink(text: string): string {
  return foldLatin(text.normalize('NFKC').toLowerCase())
    .replace(/[\s_-]+/g, ' ')
    .trim();
}

/** Returns the key under which titles and aliases are compared. */
export function titleKey(title: string): string {
  return foldLink(title);
}

/**
 * Resolves a link's target. The exact path comes first, then each tier in order. Several hits of one tier are decided by wing and
 * hall, then by wing, and are ambiguous otherwise. A path into the queue, the inbox, the session records or a hidden folder never
 * resolves.
 * @param target decoded, without fragment
 * @param relative true for Markdown links, whose paths are relative to the note's folder first
 */
export function resolveLink(
  target: string,
  from: LinkSource,
  targets: LinkTargets,
  relative = false,
): Resolution {
  if (target.length > MAX_TARGET) return { status: 'missing' };
  const together = targets.within?.(target, relative, from.path) ?? null;
  if (together !== null) return together;
  const { near, rooted } = pathsMeant(target, from.path, relative);
  // A closed zone of `near` is no answer: it is that of the note's own folder, which the link does not name.
  const relativeFile = near === null ? null : fileAt(near, targets);
  if (relativeFile !== null) return chooseNearest([relativeFile], from, 'exact');
  for (const path of rooted) {
    const found = fileAt(path, targets);
    if (found !== null) return chooseNearest([found], from, 'exact');
    const closed = closedZone(path);
    if (closed !== null) return { status: closed };
  }
  const keys = rooted.map(linkPath).filter((key) => key !== '');
  for (const tier of LINK_TIERS) {
    for (const key of keys) {
      const found =
        tier === 'suffix' && !key.includes('/') ? [] : targets.candidates(tier, keyFor(tier, key));
      if (found.length > 0) return chooseNearest(found, from, tier);
    }
  }
  const paths = near === null ? rooted : [near, ...rooted];
  return namesItself(paths, keys, from) ? { status: 'self' } : { status: 'missing' };
}

/** The files of a vault by what links call them: notes and all others, whatever their zone. */
export interface FileNames {
  /** Returns the files at this path, in any case. */
  at(path: string): readonly VaultPath[];
  /**
   * Returns the first file with this name, in any case and with or without `.md`, that passes: the one with the shortest path, of equally
   * long ones the first by name. It may ask about other files too.
   */
  first(name: string, passes: (path: VaultPath) => boolean): VaultPath | null;
}

/** Orders paths as a link prefers them: the shortest first, then by name. */
export function compareShortest(one: string, other: string): number {
  return one.length - other.length || compareText(one, other);
}

/**
 * Returns the file that a link opens by Obsidian's rule, or null. In this order: the exact path from the root; the path from the folder of
 * the note, which comes first for a Markdown link and is the only one for `./` and `../`; of the files whose path ends so, the one in the folder of the note, else the one with
 * the shortest path. Case makes no difference, and `.md` may be left out.
 * @param target decoded, without fragment
 * @param at the path of the note with the link
 * @param relative true for Markdown links
 */
export function opens(
  target: string,
  at: VaultPath | null,
  files: FileNames,
  relative = false,
): VaultPath | null {
  if (target.length > MAX_TARGET) return null;
  const { near, rooted } = pathsMeant(target, at, true);
  const [wanted = ''] = rooted;
  const written = target.trim().replace(/\\/g, '/');
  const isDotted = /^\.\.?\//.test(written);
  const paths = relative ? [near ?? [], rooted].flat() : [rooted, near ?? []].flat();
  const exact = isDotted ? [near ?? wanted] : paths;
  for (const path of exact) {
    const found = [path, `${path}.md`].flatMap((each) => files.at(each));
    const chosen = found.find((each) => each === path || each === `${path}.md`) ?? found[0];
    if (chosen !== undefined) return chosen;
  }
  if (isDotted || written.startsWith('/') || wanted === '') return null;
  const ends = [`/${wanted}`.toLowerCase(), `/${wanted}.md`.toLowerCase()];
  const fits = (path: VaultPath): boolean => ends.some((end) => `/${path.toLowerCase()}`.endsWith(end));
  const beside = at === null ? '' : `${folderOf(at)}/${fileName(wanted)}`;
  const [own] = [beside, `${beside}.md`].flatMap((each) => files.at(each)).filter(fits);
  return own ?? files.first(fileName(wanted), fits);
}

/** Returns true for a path to which no link leads, except between notes that wait for review together. */
export function isClosed(path: string): boolean {
  return closedZone(path) !== null;
}

/** Returns the file at exactly this path when it may be linked; in a closed zone only an admitted one. */
function fileAt(path: string, targets: LinkTargets): VaultPath | null {
  return closedZone(path) === null ? targets.has(path) : (targets.admits?.(path) ?? null);
}

/** Returns true for a link of a note to itself. A note that is being written is not among the targets yet. */
function namesItself(paths: readonly string[], keys: readonly string[], { path }: LinkSource): boolean {
  if (path === null) return false;
  const stem = foldLink(stemOf(path));
  return (
    paths.some((each) => linkPath(each) === linkPath(path)) || keys.some((key) => foldLink(key) === stem)
  );
}

function keyFor(tier: LinkTier, key: string): string {
  switch (tier) {
    case 'suffix':
    case 'basename':
      return key;
    case 'folded':
      return foldLink(key);
    case 'title':
    case 'alias':
      return titleKey(key);
    case 'slug':
      return slugify(key, NO_CONTENT);
  }
}

/** The vault paths that a target can mean. */
interface PathsMeant {
  /** Relative to the note's folder; null for a target that is not relative, and when the path equals the rooted one. */
  readonly near: string | null;
  /** Relative to the root: as written, then without the prefix `brain/`. */
  readonly rooted: readonly string[];
}

/**
 * Returns the paths that a target can mean.
 * @param path the path of the note that holds the link
 * @param relative as in `resolveLink`
 */
export function pathsMeant(target: string, path: VaultPath | null, relative: boolean): PathsMeant {
  const plain = target.normalize('NFC').trim().replace(/\\/g, '/');
  const written = joined('', plain.replace(/^\/+/, ''));
  const stripped = withoutBrain(written);
  const rooted = stripped === written ? [written] : [written, stripped];
  const folder = path === null ? '' : folderOf(path);
  const dotted = /^\.\.?\//.test(plain);
  if (folder === '' || plain.startsWith('/') || !(relative || dotted)) return { near: null, rooted };
  // A target that climbs to the root and names its whole path is equal from both.
  const near = joined(folder, plain);
  return { near: near === written ? null : near, rooted };
}

/** Joins a folder and a path and resolves `.` and `..`; a path that climbs above the root stays in the root. */
function joined(folder: string, path: string): string {
  if (folder === '' && !/(?:^|\/)\.{0,2}(?:\/|$)/.test(path)) return path;
  const segments: string[] = folder === '' ? [] : folder.split('/');
  for (const segment of path.split('/')) {
    if (segment === '..') segments.pop();
    else if (segment !== '.' && segment !== '') segments.push(segment);
  }
  return segments.join('/');
}

/** Returns the status of a path that may not be linked, or null. A name without a folder can be a title such as ".NET". */
function closedZone(path: string): 'unreviewed' | 'protected' | null {
  if (!path.includes('/')) return null;
  // `Raw/` is `raw/` on some file systems.
  switch (zoneOf(path.toLowerCase())) {
    case 'raw':
    case 'rejected':
    case 'inbox':
    case 'quarantine':
      return 'unreviewed';
    case 'sessions':
    case 'hidden':
      return 'protected';
    case 'wiki':
    case 'knowledge':
    case 'processed':
    case 'other':
      return null;
  }
}

/** Chooses among the hits of a tier: a single one, else the only one in the note's hall, else the only one in its wing. */
function chooseNearest(found: readonly VaultPath[], from: LinkSource, tier: 'exact' | LinkTier): Resolution {
  const distinct = [...new Set(found)];
  const places = distinct.map((path) => ({ path, address: addressOf(path) }));
  const inWing = places.filter(({ address }) => address !== null && address.wing === from.wing);
  const inHall = inWing.filter(({ address }) => address?.hall === from.hall);
  const nearest = [places, inHall, inWing].find((group) => group.length === 1)?.[0];
  if (nearest === undefined) return { status: 'ambiguous', candidates: distinct };
  const { path } = nearest;
  return path === from.path ? { status: 'self', path } : { status: 'resolved', path, tier };
}
