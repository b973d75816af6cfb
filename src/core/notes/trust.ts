import type * as z from 'zod';
import type { Sha } from '../base/hash';
import { inSlices } from '../base/steps';
import { lastWritten, noteTime, timestamp } from '../base/time';
import { areNear, sketchSteps } from '../catalog/alike';
import type { NoteRecord } from '../catalog/record';
import { parseNote } from '../frontmatter/parse';
import { linksInValue } from '../links/properties';
import { isClosed, opens, titleKey } from '../links/resolve';
import { isRelative } from '../markdown/address';
import type { Brain } from '../operation/context';
import type { trustShapes } from '../operation/shapes';
import type { NoteNow } from '../past/review';
import { isStale } from '../vocabulary/envelope';
import { isOwners } from '../vocabulary/ownership';
import { type VaultPath, zoneOf } from '../vocabulary/paths';
import { readText } from './targets';

/** How far a reader may trust a note, as every answer with notes tells it. */
export type Trust = z.input<z.ZodObject<typeof trustShapes>>;

/** A text of a note. What a file alone knows is absent where the text is no longer in it. */
type TrustedNote = NoteNow &
  Pick<NoteRecord, 'title'> & { readonly content_key?: Sha; readonly mtime?: number };

/** Dates by record: a record never changes, and lists are sorted by them. */
const dates = new WeakMap<object, number>();

/**
 * Returns the date of a note (ms): of one outside the folders of the service that of its file, of any other the last write that its stamps name, else that of
 * its file; NaN without either.
 */
export function dateOf(note: Pick<TrustedNote, 'path' | 'frontmatter' | 'mtime'>): number {
  const known = dates.get(note);
  if (known !== undefined) return known;
  const { mtime = NaN, frontmatter } = note;
  const stamped = noteTime(lastWritten(frontmatter))?.getTime();
  const isTheirs = zoneOf(note.path) === 'other' && !Number.isNaN(mtime);
  const date = isTheirs ? mtime : (stamped ?? mtime);
  dates.set(note, date);
  return date;
}

/** Resolves true for a note of the owner, and for one whose present text a person has reviewed. */
export async function isTrusted({ reviews }: Pick<Brain, 'reviews'>, note: NoteNow): Promise<boolean> {
  return isOwners(note) || (await reviews.of(note)).reviewed !== null;
}

/**
 * Returns what a reader is told of a text before relying on it: its date, who reviewed or confirmed it, what happened since, and which
 * notes that the reader may see say something about the same. Looks up names and reads no file.
 */
export async function trustOf(
  brain: Pick<Brain, 'catalog' | 'reviews' | 'clock'>,
  note: TrustedNote,
): Promise<Trust> {
  const { frontmatter } = note;
  const date = dateOf(note);
  const confirmed = noteTime(frontmatter.verified_at);
  const { verified_by: by } = frontmatter;
  const successor = successorOf(brain, note);
  const same = await sameSubject(brain, note);
  return {
    ...(!Number.isNaN(date) && { date: timestamp(new Date(date)) }),
    ...(await brain.reviews.of(note)),
    ...(confirmed !== null && {
      verified: { ...(typeof by === 'string' && { by }), at: timestamp(confirmed) },
    }),
    stale: isStale(frontmatter, brain.clock.now()),
    ...(successor !== null && { superseded_by: successor }),
    ...(same !== null && { same_subject: same }),
  };
}

/** Returns the note that the property `superseded_by` of a note opens; null for none. */
export function successorOf(
  { catalog }: Pick<Brain, 'catalog'>,
  { path, frontmatter }: NoteNow,
): VaultPath | null {
  const { superseded_by: named } = frontmatter;
  const value: unknown = Array.isArray(named) ? named[0] : named;
  const [link] = typeof value === 'string' ? linksInValue(value) : [];
  if (link === undefined) return null;
  const opened = opens(link.target, path, catalog, isRelative(link));
  return opened === null || opened === path || isClosed(opened) || catalog.record(opened) === undefined
    ? null
    : opened;
}

/** The most notes of the same title or text that are looked at. */
const MAX_COMPARED = 8;

/**
 * Returns another reviewed note with the title or the text of a note; null for none. Two notes of the owner may share a name: there the
 * text alone counts.
 */
async function sameSubject(
  brain: Pick<Brain, 'catalog' | 'reviews'>,
  note: TrustedNote,
): Promise<VaultPath | null> {
  const { catalog } = brain;
  const equal = note.content_key === undefined ? [] : catalog.keyOwners(note.content_key);
  const titled = isOwners(note) ? [] : catalog.candidates('title', titleKey(note.title));
  const isOther = (path: VaultPath): boolean => path !== note.path && !isClosed(path);
  for (const path of new Set([...equal, ...titled].filter(isOther).slice(0, MAX_COMPARED))) {
    const other = catalog.record(path);
    if (other !== undefined && (await isTrusted(brain, other))) return path;
  }
  return null;
}

/** The notes most like a text that are compared with it. */
const MAX_NEAR = 3;

/** Returns another reviewed note with nearly the text of a note; null for none. It reads the notes that share the most rare words. */
export async function nearEqual(
  brain: Pick<Brain, 'catalog' | 'reviews' | 'vault' | 'pace'>,
  { path, title }: Pick<NoteRecord, 'path' | 'title'>,
  body: string,
): Promise<VaultPath | null> {
  const sketch = await inSlices(sketchSteps(body), brain.pace);
  if (sketch.length === 0) return null;
  const likely = await brain.pace.run(() =>
    brain.catalog.similar(title, body, { exclude: path, limit: MAX_NEAR }),
  );
  for (const like of likely) {
    const other = brain.catalog.record(like.path);
    const text = other && (await isTrusted(brain, other)) ? await readText(brain, like.path) : null;
    if (text === null) continue;
    const { body: theirs } = await brain.pace.run(() => parseNote(text));
    if (areNear(sketch, await inSlices(sketchSteps(theirs), brain.pace))) return like.path;
  }
  return null;
}
