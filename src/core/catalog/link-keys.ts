import { isRelative } from '../markdown/address';
import { isSha, sha256 } from '../base/hash';
import { type Steps, Tally } from '../base/steps';
import { foldLink, pathsMeant, titleKey } from '../links/resolve';
import { phrase } from '../links/title';
import { fold, linkPath, stemOf, type VaultPath } from '../vocabulary/paths';
import { slugify } from '../vocabulary/address';
import type { UnstampedRecord } from './record';
import { wingKey } from './wings';

/** The maximum length of a path or title. A longer one names no note, and folding it would cost too much. */
export const MAX_TARGET = 1000;
/** The numbers of links that one step looks up, and that one step only counts. */
const LINKS_PER_STEP = 512;
const ITEMS_PER_STEP = 4096;
/**
 * The number of links, tags and paths above which a note has look-up tables of its own: those of all notes would take it up
 * for longer than a slice.
 */
const MANY = 512;
/** A hash for names without letters, which have no slug of their own. */
const NO_CONTENT = sha256('');

/**
 * What a note adds to the look-up tables. All look-ups use this one list, so exactly what is added with a note is removed
 * with it.
 */
export interface Entries {
  /** The keys of the note itself, which are few. */
  readonly keys: ReadonlySet<string>;
  /** The keys that grow with its text: its tags, and the paths to which its links may lead. */
  readonly mentions: ReadonlySet<string>;
  /** Empty for a rejected note. */
  readonly links: readonly Link[];
  /** By name, the links that may mean it; null unless the note has many links or tags. */
  readonly named: ReadonlyMap<string, readonly Link[]> | null;
}

/** Returns what a note adds to the look-up tables. */
export function* entrySteps(note: UnstampedRecord): Steps<Entries> {
  const links = note.status === 'rejected' ? [] : yield* linkSteps(note);
  const mentions = yield* mentionSteps(note, links);
  const isLarge = links.length + mentions.size > MANY;
  return { keys: keysOf(note), mentions, links, named: isLarge ? yield* namedSteps(links) : null };
}

function keysOf(note: UnstampedRecord): Set<string> {
  const keys = new Set(statusKeysOf(note));
  // The service compares, completes and connects its own notes only.
  const isOurs = note.status !== 'vault';
  const source = note.frontmatter.source_hash;
  if (isOurs) keys.add(`content:${note.content_key}`);
  if (isOurs && isSha(source)) keys.add(`source:${source}`);
  if (note.status === 'rejected') return keys;
  keys.add(`hash:${note.content_hash}`);
  const wing = wingOf(note);
  if (wing !== null) keys.add(`wing:${wing}`);
  if (isOurs && note.tunnels.length > 0) keys.add('tunnels');
  if (isSha(note.frontmatter.supersedes)) keys.add('supersedes');
  if (note.status === 'raw') keys.add(`queued:${titleKey(note.title)}`);
  else addTargetKeys(note, keys);
  if (note.status === 'wiki')
    for (const name of [note.title, ...note.aliases]) keys.add(`opens:${phrase(name).split(' ', 1)[0]}`);
  return keys;
}

function* mentionSteps(note: UnstampedRecord, links: readonly Link[]): Steps<Set<string>> {
  const mentions = new Set<string>();
  const tally = new Tally(LINKS_PER_STEP);
  if (note.status !== 'raw' && note.status !== 'rejected') {
    for (const tag of note.tags) {
      mentions.add(`tag:${tagKey(tag)}`);
      if (tally.isFull()) yield;
    }
  }
  for (const { target, relative } of links) {
    if (tally.isFull()) yield;
    if (target.length > MAX_TARGET) continue;
    const { near, rooted } = pathsMeant(target, note.path, relative);
    if (near !== null) mentions.add(`to:${linkPath(near)}`);
    for (const path of rooted) mentions.add(`to:${linkPath(path)}`);
  }
  return mentions;
}

function* namedSteps(links: readonly Link[]): Steps<Map<string, Link[]>> {
  const named = new Map<string, Link[]>();
  const tally = new Tally(LINKS_PER_STEP);
  for (const link of links) {
    if (tally.isFull()) yield;
    for (const name of namesOfTarget(link.target)) {
      const others = named.get(name);
      if (others === undefined) named.set(name, [link]);
      else others.push(link);
    }
  }
  return named;
}

/** Returns the keys that list notes by status. */
export function statusKeysOf({ status }: Pick<UnstampedRecord, 'status'>): string[] {
  return ['all', `status:${status}`];
}

/** Returns the key of the wing of a note, which all spellings of the wing share, or null. */
export function wingOf({ wing }: Pick<UnstampedRecord, 'wing'>): string | null {
  return wing === null || wing.length > MAX_TARGET ? null : wingKey(wing);
}

/** The target of a link; `relative` is for the resolver. */
export interface Link {
  readonly target: string;
  readonly relative: boolean;
}

/** Returns the links of a note in its text, its properties and its tunnels, each once; some links a step. */
function* linkSteps(note: UnstampedRecord): Steps<Link[]> {
  const links: Link[] = [];
  const seen = { near: new Set<string>(), rooted: new Set<string>() };
  const add = (target: string, relative: boolean): void => {
    const known = relative ? seen.near : seen.rooted;
    if (known.size < known.add(target).size) links.push({ target, relative });
  };
  const tally = new Tally(ITEMS_PER_STEP);
  for (const written of [note.links, note.propertyLinks]) {
    for (const { target, kind } of written) {
      if (tally.isFull()) yield;
      add(target, isRelative({ kind }));
    }
  }
  for (const target of note.tunnels) add(target, false);
  return links;
}

/** Returns the names that a link to this file may use; `opens` decides whether a link leads to it. */
export function namesOf(path: VaultPath): Set<string> {
  const segments = linkPath(path).split('/');
  return new Set(segments.map((_, from) => roughName(segments.slice(from).join('/'))));
}

/** Returns the names of all files that a link may open: the ends of their paths. It is empty for a link too long to open one. */
export function namesOfTarget(target: string): Set<string> {
  if (target.length > MAX_TARGET) return new Set();
  return new Set(pathsMeant(target, null, false).rooted.map((path) => roughName(linkPath(path))));
}

/** Returns a key that is equal for all spellings of a name or a path that a link may have. */
function roughName(name: string): string {
  return foldLink(name.slice(0, MAX_TARGET));
}

function addTargetKeys(note: UnstampedRecord, keys: Set<string>): void {
  keys.add(`title:${titleKey(note.title)}`);
  for (const alias of note.aliases) keys.add(`alias:${titleKey(alias.slice(0, MAX_TARGET))}`);
  keys.add(`slug:${slugify(stemOf(note.path), NO_CONTENT)}`);
}

/**
 * Returns a key that is equal for all spellings of a tag that Obsidian treats as one: it ignores case and a leading number
 * sign.
 */
export function tagKey(tag: string): string {
  return fold(tag.slice(0, MAX_TARGET).replace(/^#/, ''));
}
