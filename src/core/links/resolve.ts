import { sha256 } from '../base/hash';
import { foldLatin } from '../base/text';
import { addressOf } from '../vocabulary/address';
import { folderOf, linkPath, stemOf, type VaultPath, withoutBrain, zoneOf } from '../vocabulary/paths';
import { slugify } from '../vocabulary/slug';

/** The ways in which a target can name a note, tried in this order after the exact path. */
export const LINK_TIERS = ['suffix', 'basename', 'folded', 'title', 'alias', 'slug'] as const;
export type LinkTier = (typeof LINK_TIERS)[number];

/** A heading as links may name it. */
export interface HeadingPlace {
  /** 1 to 6. */
  readonly level: number;
  /** As a person reads it, without markup. */
  readonly text: string;
  /** As it is written, on one line, where that says something else than `text`; a link may name it so too. */
  readonly source?: string | undefined;
}

/** The files that a link may lead to, and what is known about them. */
export interface LinkTargets {
  /**
   * The file at exactly this path, given with or without `.md`, or null: notes of wiki and knowledge, handled originals in
   * the inbox, attachments.
   */
  has(path: string): VaultPath | null;
  /**
   * Notes of wiki and knowledge that the key names. Suffix: the end of the path without `.md`, after a `/`, letter for letter;
   * basename: the file name without `.md`; folded: `foldLink` of that; title and alias: `titleKey`; slug: as derived.
   */
  candidates(tier: LinkTier, key: string): readonly VaultPath[];
  /**
   * The file at exactly this path that may be linked to although its place is closed to links, or null: a page of the same
   * batch, which waits for review together with the one that names it.
   */
  admits?(path: string): VaultPath | null;
  /** What a fragment of a link to the file may name; null when nobody has read what it holds. */
  fragments(path: VaultPath): { headings: readonly HeadingPlace[]; blocks: readonly string[] } | null;
  title(path: VaultPath): string;
}

/** The note that a link stands in. `path` is null while it has none. */
export interface LinkSource {
  readonly path: VaultPath | null;
  readonly wing: string | null;
  readonly hall: string | null;
}

export type Resolution =
  | { readonly status: 'resolved'; readonly path: VaultPath; readonly tier: 'exact' | LinkTier }
  | { readonly status: 'ambiguous'; readonly candidates: readonly VaultPath[] }
  | { readonly status: 'missing' | 'self' | 'unreviewed' | 'protected'; readonly path?: VaultPath };

/** No path and no title is longer; folding what is would cost too much. */
const MAX_TARGET = 1000;
/** Where a derived slug would need a hash, the target has no letters and names nothing. */
const NO_CONTENT = sha256('');

/** Names that differ only in case, accents of Latin letters, width, and spaces, dashes or underscores fold to the same text. */
export function foldLink(text: string): string {
  return foldLatin(text.normalize('NFKC').toLowerCase())
    .replace(/[\s_-]+/g, ' ')
    .trim();
}

/** The key under which titles and aliases are compared. */
export function titleKey(title: string): string {
  return foldLink(title);
}

/**
 * What a link target means. The exact path wins, then each tier in order; several hits of one tier are settled by wing and
 * hall, then by wing, and are ambiguous otherwise. A path into the queue, the inbox, the session records or a hidden folder
 * leads nowhere, whatever exists there.
 * @param target decoded, without fragment
 * @param relative true for Markdown links, whose paths count from the note's own folder first
 */
export function resolveLink(
  target: string,
  from: LinkSource,
  targets: LinkTargets,
  relative = false,
): Resolution {
  if (target.length > MAX_TARGET) return { status: 'missing' };
  const { near, rooted } = pathsMeant(target, from.path, relative);
  // Where the note itself lies in the queue, all that is near it does too: that is nothing the link says, so it goes on.
  const beside = near === null ? null : fileAt(near, targets);
  if (beside !== null) return settled([beside], from, 'exact');
  for (const path of rooted) {
    const found = fileAt(path, targets);
    if (found !== null) return settled([found], from, 'exact');
    const closed = closedZone(path);
    if (closed !== null) return { status: closed };
  }
  const keys = rooted.map(linkPath).filter((key) => key !== '');
  for (const tier of LINK_TIERS) {
    for (const key of keys) {
      const found =
        tier === 'suffix' && !key.includes('/') ? [] : targets.candidates(tier, keyFor(tier, key));
      if (found.length > 0) return settled(found, from, tier);
    }
  }
  const paths = near === null ? rooted : [near, ...rooted];
  return namesItself(paths, keys, from) ? { status: 'self' } : { status: 'missing' };
}

/** The file at exactly this path, when it may be linked to. Of a closed place only what is let in is asked for. */
function fileAt(path: string, targets: LinkTargets): VaultPath | null {
  return closedZone(path) === null ? targets.has(path) : (targets.admits?.(path) ?? null);
}

/** A note that is only being written is not among the targets yet, but its links to itself are known by its path. */
function namesItself(paths: readonly string[], keys: readonly string[], { path }: LinkSource): boolean {
  if (path === null) return false;
  const stem = foldLink(stemOf(path));
  return (
    paths.some((meant) => linkPath(meant) === linkPath(path)) || keys.some((key) => foldLink(key) === stem)
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

/** The vault paths that a target can spell out. */
interface PathsMeant {
  /** Counted from the note's own folder; null when the target does not count from there, or when that makes no difference. */
  readonly near: string | null;
  /** Counted from the root: as it is written, then without the name of the vault before it. */
  readonly rooted: readonly string[];
}

/** What a target means as a path; `path` is the note's that it stands in. `relative` as `resolveLink` has it. */
export function pathsMeant(target: string, path: VaultPath | null, relative: boolean): PathsMeant {
  const plain = target.normalize('NFC').trim().replace(/\\/g, '/');
  const written = joined('', plain.replace(/^\/+/, ''));
  const stripped = withoutBrain(written);
  const rooted = stripped === written ? [written] : [written, stripped];
  const folder = path === null ? '' : folderOf(path);
  const dotted = /^\.\.?\//.test(plain);
  if (folder === '' || plain.startsWith('/') || !(relative || dotted)) return { near: null, rooted };
  // What climbs out of the folder and names all of its way is the same from both.
  const near = joined(folder, plain);
  return { near: near === written ? null : near, rooted };
}

/**
 * True when a target is no more than the name of the note at `path`, with or without `.md`: what Obsidian writes as long as no
 * other file has that name. Case does not count to it.
 */
export function isNameOf(target: string, path: VaultPath): boolean {
  return linkPath(target.normalize('NFC').trim()).toLowerCase() === stemOf(path).toLowerCase();
}

/** A path with `.` and `..` worked out; what climbs above the root stays in the root. */
function joined(folder: string, path: string): string {
  if (folder === '' && !/(?:^|\/)\.{0,2}(?:\/|$)/.test(path)) return path;
  const segments: string[] = folder === '' ? [] : folder.split('/');
  for (const segment of path.split('/')) {
    if (segment === '..') segments.pop();
    else if (segment !== '.' && segment !== '') segments.push(segment);
  }
  return segments.join('/');
}

/** Why a path may not be linked to, or null. A name without a folder is no path: it can be a title such as ".NET". */
function closedZone(path: string): 'unreviewed' | 'protected' | null {
  if (!path.includes('/')) return null;
  // A file system may take `Raw/` for `raw/`.
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

function settled(found: readonly VaultPath[], from: LinkSource, tier: 'exact' | LinkTier): Resolution {
  const distinct = [...new Set(found)];
  const places = distinct.map((path) => ({ path, address: addressOf(path) }));
  const inWing = places.filter(({ address }) => address !== null && address.wing === from.wing);
  const inHall = inWing.filter(({ address }) => address?.hall === from.hall);
  const nearest = [places, inHall, inWing].find((group) => group.length === 1)?.[0];
  if (nearest === undefined) return { status: 'ambiguous', candidates: distinct };
  const { path } = nearest;
  return path === from.path ? { status: 'self', path } : { status: 'resolved', path, tier };
}
