import type { Sha } from '../base/hash';
import { comparePlaces, type NoteChange, type PastChange } from '../storage/change-log';
import type { VaultPath } from '../vocabulary/paths';
import type { PastReader } from './past';

/** A text in the past of a note: what made it lies before `before`, or anywhere when that is null. */
export interface PastText {
  readonly path: VaultPath;
  readonly hash: Sha;
  readonly before: PastChange | null;
}

/** A change that made a text of a note, and the part of the change that is about the note. */
export interface Made {
  readonly change: PastChange;
  readonly own: NoteChange;
}

/** A step back in the past of a note. */
export interface StepBack extends Made {
  /** True when nobody has changed the text since, but for moves within the wiki and links that followed other notes. */
  readonly isSame: boolean;
  /** True when the text was brought back, and is not one that this note had before. */
  readonly isOther: boolean;
}

/** The operations that bring back a text which was there before. */
const BRINGS_BACK: ReadonlySet<string> = new Set([
  ...['undo', 'undo-back', 'unreplace', 'unpromote', 'restore', 'unconfirm'],
]);

/** The most steps that are followed for one note. It guards against a forged past, not against a busy note. */
const MAX_STEPS = 10_000;

/** Returns true for an operation that brings back a text which was there before. */
export function bringsBack({ op }: Pick<PastChange, 'op'>): boolean {
  return BRINGS_BACK.has(op);
}

/** Returns true when a change did no more to the note than let its links follow another one. */
export function isLinkOnly({ change: { decision, notes }, own }: Made): boolean {
  return own.role === undefined ? decision !== undefined && own.path !== notes[0]?.path : own.role === 'link';
}

/** The operations that leave what a note says: they set stamps, places and links. */
const KEEPS: ReadonlySet<string> = new Set([
  ...['move', 'confirm', 'unconfirm', 'tunnels', 'follow', 'backfill-refs'],
]);

/** Returns true for a change that left what the note says: it set its place, stamps or links. */
export function keepsText(made: Made): boolean {
  return KEEPS.has(made.change.op) || isLinkOnly(made);
}

/**
 * Resolves with the last change that made the text: at its path, or else where the note was moved from by hand.
 * @param sees returns false for a path of which nothing may be told
 */
export async function madeBy(
  reader: PastReader,
  { path, hash, before }: PastText,
  sees: (path: string) => boolean = () => true,
): Promise<Made | null> {
  let found: Made | null = null;
  for (const change of await reader.naming(hash)) {
    if (before !== null && comparePlaces(change, before) >= 0) break;
    const made = change.notes.filter(({ after }) => after === hash);
    const own = made.find((each) => each.path === path) ?? made.find((each) => sees(each.path));
    if (own !== undefined && (own.path === path || found?.own.path !== path)) found = { change, own };
  }
  return found;
}

/** Returns the text from which a change made that of the note, there or where the note was before; null for a new note. */
export function textBefore({ change, own }: Made): PastText | null {
  if (own.before !== null) return { path: own.path, hash: own.before, before: change };
  // A move is written as a creation followed by the removal of the old note.
  const left = change.notes[change.notes.indexOf(own) + 1];
  return left?.before && left.after === null ? { path: left.path, hash: left.before, before: change } : null;
}

/** Returns the last text of the service at the path before a change; null when there is none, or when the note was removed since. */
async function textAt(reader: PastReader, { path, before }: PastText): Promise<Made | null> {
  const changes = (await reader.naming(path)).filter(
    (each) =>
      (before === null || comparePlaces(each, before) < 0) && each.notes.some((note) => note.path === path),
  );
  const change = changes.at(-1);
  const own = change?.notes.find((note) => note.path === path);
  return change === undefined || own?.after == null ? null : { change, own };
}

/** Returns the text with which a hand moved the note to the path, where it was before; null when the service changed it there since. */
async function movedByHand(
  reader: PastReader,
  { path, before }: PastText,
  since: PastChange | undefined,
): Promise<PastText | null> {
  const isBefore = (change: PastChange): boolean => before === null || comparePlaces(change, before) < 0;
  const change = (await reader.telling('moved', path)).filter(isBefore).at(-1);
  const seen = change?.saw?.find((note) => note.path === path);
  const from = change?.data?.moved?.from;
  if (change === undefined || from === undefined || seen === undefined) return null;
  const isLater = since !== undefined && comparePlaces(since, change) > 0;
  return isLater ? null : { path: from, hash: seen.hash, before: change };
}

/** Returns the text that a change brought back as it was there before; null when the past does not have it there, or it did not change. */
async function earlier(reader: PastReader, { change, own }: Made): Promise<PastText | null> {
  const { path, after: hash } = own;
  if (hash === null || own.before === hash) return null;
  let found: PastText | null = null;
  for (const each of await reader.naming(hash)) {
    if (comparePlaces(each, change) >= 0) break;
    const note = each.notes.find((one) => one.path === path && (one.before === hash || one.after === hash));
    if (note !== undefined) found = { path, hash, before: note.before === hash ? each : change };
  }
  return found;
}

/**
 * Yields the changes that made a note what it is, newest first, across moves. A text that was brought back has the past that it had
 * before, so the changes that were taken back are passed over. A text that the past does not have, as after an edit by hand, is taken for a
 * later state of the last one at the path.
 */
export async function* stepsBack(
  reader: PastReader,
  path: VaultPath,
  hash: Sha,
): AsyncGenerator<StepBack, undefined> {
  let at: PastText | null = { path, hash, before: null };
  let isSame = true;
  for (let steps = 0; at !== null && steps < MAX_STEPS; steps += 1) {
    let made: Made | null = await madeBy(reader, at);
    if (made?.own.path !== at.path) made = null;
    const last: Made | null = made ?? (await textAt(reader, at));
    const moved: PastText | null = await movedByHand(reader, at, last?.change);
    isSame &&= moved === null ? made !== null : moved.hash === at.hash;
    if (moved !== null) {
      at = moved;
      continue;
    }
    made = last;
    if (made === null) return;
    const { change, own }: Made = made;
    const former: PastText | null = bringsBack(change) ? await earlier(reader, made) : null;
    if (former !== null) {
      at = former;
      continue;
    }
    yield { change, own, isSame, isOther: bringsBack(change) };
    isSame &&= isLinkOnly({ change, own }) || (change.op === 'move' && own.before === null);
    at = textBefore(made);
  }
}
