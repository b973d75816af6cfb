import { isSha, sha256 } from '../base/hash';
import { finish, type Steps, Tally } from '../base/steps';
import { foldLink, pathsMeant, titleKey } from '../links/resolve';
import { phrase } from '../links/title';
import { fileName, fold, linkPath, stemOf } from '../vocabulary/paths';
import { dashed, slugify } from '../vocabulary/address';
import type { UnstampedRecord } from './record';
import { wingKey } from './wings';

/** The maximum length of a path or title. A longer one names no note, and folding it would cost too much. */
export const MAX_TARGET = 1000;
/** The numbers of links that one step looks up, and that one step only counts. */
const LINKS_PER_STEP = 512;
const ITEMS_PER_STEP = 4096;
/** A hash for names without letters, which have no slug of their own. */
const NO_CONTENT = sha256('');

/**
 * Returns every key under which the catalog finds a note. All look-ups use this one list, so exactly what is added with a
 * note is removed with it.
 */
export function keysOf(note: UnstampedRecord): Set<string> {
  return finish(keySteps(note, linksOf(note)));
}

/** Does the same as `keysOf`, some links a step; `links` is what `linksOf` returns for the note. */
export function* keySteps(note: UnstampedRecord, links: readonly Link[]): Steps<Set<string>> {
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
  if (note.status !== 'raw') addTargetKeys(note, keys);
  if (note.status === 'wiki')
    for (const name of [note.title, ...note.aliases]) keys.add(`opens:${phrase(name).split(' ', 1)[0]}`);
  const tally = new Tally(LINKS_PER_STEP);
  for (const { target, relative } of links) {
    if (tally.isFull()) yield;
    if (target.length > MAX_TARGET) continue;
    const { near, rooted } = pathsMeant(target, note.path, relative);
    if (near !== null) keys.add(`to:${linkPath(near)}`);
    for (const path of rooted) keys.add(`to:${linkPath(path)}`);
  }
  return keys;
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

/** Returns the links of a note in its text, its properties and its tunnels, each once. */
export function linksOf(note: UnstampedRecord): Link[] {
  return finish(linkSteps(note));
}

/** Does the same as `linksOf`, some links a step. */
export function* linkSteps(note: UnstampedRecord): Steps<Link[]> {
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
      add(target, kind === 'mdlink' || kind === 'image');
    }
  }
  for (const target of note.tunnels) add(target, false);
  return links;
}

/** Returns the names that a link to this note may use; the resolver decides whether a link means it. */
export function namesOf(note: Pick<UnstampedRecord, 'path' | 'title' | 'aliases'>): Set<string> {
  const stem = stemOf(note.path);
  return new Set([slugify(stem, NO_CONTENT), ...[stem, note.title, ...note.aliases].map(roughName)]);
}

/** Returns the names of all notes that a link may mean: its last segment if it is a path, all of it if it is a title. */
export function namesOfTarget(target: string): Set<string> {
  const names = new Set<string>();
  for (const path of pathsMeant(target, null, false).rooted) {
    const whole = linkPath(path);
    names
      .add(roughName(fileName(whole)))
      .add(roughName(whole))
      .add(slugify(whole, NO_CONTENT));
  }
  return names;
}

/** Returns a key that is equal for all names by which a title, an alias or a file name can match. */
function roughName(name: string): string {
  return dashed(foldLink(name.slice(0, MAX_TARGET)));
}

function addTargetKeys(note: UnstampedRecord, keys: Set<string>): void {
  const stem = stemOf(note.path);
  const segments = linkPath(note.path).split('/');
  for (let from = 0; from < segments.length; from += 1) keys.add(`suffix:${segments.slice(from).join('/')}`);
  keys.add(`basename:${stem}`);
  keys.add(`folded:${foldLink(stem)}`);
  keys.add(`title:${titleKey(note.title)}`);
  for (const alias of note.aliases) keys.add(`alias:${titleKey(alias.slice(0, MAX_TARGET))}`);
  keys.add(`slug:${slugify(stem, NO_CONTENT)}`);
  for (const tag of note.tags) keys.add(`tag:${tagKey(tag)}`);
}

/**
 * Returns a key that is equal for all spellings of a tag that Obsidian treats as one: it ignores case and a leading number
 * sign.
 */
export function tagKey(tag: string): string {
  return fold(tag.slice(0, MAX_TARGET).replace(/^#/, ''));
}
