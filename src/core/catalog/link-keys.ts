import { isSha, sha256 } from '../base/hash';
import { finish, type Steps, Tally } from '../base/steps';
import { foldLink, pathsMeant, titleKey } from '../links/resolve';
import { phrase } from '../links/title';
import { fileName, fold, linkPath, stemOf } from '../vocabulary/paths';
import { dashed, slugify } from '../vocabulary/slug';
import type { UnstampedRecord } from './record';
import { wingKey } from './wings';

/** No path and no title is longer; what is, names no note, and to fold it would cost too much. */
export const MAX_TARGET = 1000;
/** So many links are looked up in one step, and so many only counted. */
const LINKS_PER_STEP = 512;
const ITEMS_PER_STEP = 4096;
/** A name without letters has no slug of its own, whatever hash stands in for one. */
const NO_CONTENT = sha256('');

/**
 * Every key under which the catalog finds a note again. All look-ups go through this one list, so what is
 * added with a note is exactly what goes with it.
 */
export function keysOf(note: UnstampedRecord): Set<string> {
  return finish(keySteps(note, linksOf(note)));
}

/** What `keysOf` says, some links a step; `links` is what `linksOf` says of the note. */
export function* keySteps(note: UnstampedRecord, links: readonly Link[]): Steps<Set<string>> {
  const keys = new Set([...firstKeysOf(note), `content:${note.content_key}`]);
  const source = note.frontmatter.source_hash;
  if (isSha(source)) keys.add(`source:${source}`);
  if (note.status === 'rejected') return keys;
  keys.add(`hash:${note.content_hash}`);
  const wing = wingOf(note);
  if (wing !== null) keys.add(`wing:${wing}`);
  if (note.tunnels.length > 0) keys.add('tunnels');
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

/** Those of the keys by which lists of notes are asked for. */
export function firstKeysOf({ status }: Pick<UnstampedRecord, 'status'>): string[] {
  return ['all', `status:${status}`];
}

/** The wing that a note belongs to, by the name that all spellings of it share, or null. */
export function wingOf({ wing }: Pick<UnstampedRecord, 'wing'>): string | null {
  return wing === null || wing.length > MAX_TARGET ? null : wingKey(wing);
}

/** What a link says of where it leads; `relative` as the resolver wants to know it. */
export interface Link {
  readonly target: string;
  readonly relative: boolean;
}

/** What a note links to, in its text, in its properties and in its tunnels, each once. */
export function linksOf(note: UnstampedRecord): Link[] {
  return finish(linkSteps(note));
}

/** What `linksOf` says, some links a step. */
export function* linkSteps(note: UnstampedRecord): Steps<Link[]> {
  const links: Link[] = [];
  const met = { near: new Set<string>(), rooted: new Set<string>() };
  const add = (target: string, relative: boolean): void => {
    const known = relative ? met.near : met.rooted;
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

/** The names by which links are found that may mean this note; whether they do is for the resolver to say. */
export function namesOf(note: Pick<UnstampedRecord, 'path' | 'title' | 'aliases'>): Set<string> {
  const stem = stemOf(note.path);
  return new Set([slugify(stem, NO_CONTENT), ...[stem, note.title, ...note.aliases].map(roughName)]);
}

/** The names of all notes that a link may mean: by its last segment when it is a path, by all of it when it is a title. */
export function namesMeant(target: string): Set<string> {
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

/** Equal for all names that a title, an alias or a file name can be matched by. */
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

/** Equal for all spellings of a tag that Obsidian takes for one: case does not count, nor a number sign before it. */
export function tagKey(tag: string): string {
  return fold(tag.slice(0, MAX_TARGET).replace(/^#/, ''));
}
