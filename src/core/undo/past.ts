import { isSha, type Sha, sha256 } from '../base/hash';
import { ITEMS_PER_STEP, type Steps } from '../base/steps';
import { isChangedSinceReview, lastWritten, noteTime, type Timestamp, timestamp } from '../base/time';
import { isLocked } from '../frontmatter/note-lock';
import { parseNote } from '../frontmatter/parse';
import type { Values } from '../frontmatter/yaml';
import { bringsBack } from '../past/trail';
import type { StateStore } from '../ports/ports';
import type { PastChange, NoteChange } from '../storage/change-log';
import { readHistory } from '../storage/history';
import { type VaultPath, zoneOf } from '../vocabulary/paths';
import { isPersonStamp, isWriter } from '../vocabulary/envelope';

/** A previous text of a note. */
export interface PastVersion {
  /** The path of the note at that time. */
  readonly path: VaultPath;
  readonly text: string;
  readonly hash: Sha;
  readonly frontmatter: Values;
  /** True when a person or another program has changed the text since the service wrote it and left the stamps. */
  readonly edited: boolean;
}

export interface Entry {
  /** The position among all entries. */
  readonly at: number;
  readonly ts: Timestamp;
  readonly op: string;
  /** The change that it is a part of. */
  readonly change: PastChange;
  readonly note: NoteChange;
  /** The removed note that this one was made from by a move: promotion, rejection and their undo. */
  readonly from?: NoteChange;
}

/** The operations that write another text into a note. */
const REWRITES: ReadonlySet<string> = new Set(['update', 'overwrite']);

/** Returns true for the change by which an adopted note went back to its owner, perhaps with another text. */
function isGivenBack({ op, note, from }: Entry): boolean {
  return op === 'unpromote' && from !== undefined && zoneOf(note.path) === 'other';
}

/** The longest chain of versions that is followed. It guards against a forged chain, not against a busy note. */
const MAX_VERSIONS = 10_000;

/**
 * The previous texts of notes, from the change log and, in its gaps, from the `supersedes` of each version. The log is better
 * evidence: it has overwrites, moves, and texts without stamps.
 */
export class NoteHistory {
  readonly #byResult = new Map<Sha, Entry[]>();
  readonly #byPath = new Map<VaultPath, Entry[]>();

  private constructor(
    private readonly state: Pick<StateStore, 'read'>,
    private readonly restored: ReadonlyMap<Sha, Sha>,
  ) {}

  /**
   * Makes the history that changes lead through, which are given oldest first.
   * @param restored for each text that an undo restored, the original that it was made from
   */
  static *steps(
    state: Pick<StateStore, 'read'>,
    changes: readonly PastChange[],
    restored: ReadonlyMap<Sha, Sha>,
  ): Steps<NoteHistory> {
    const history = new NoteHistory(state, restored);
    let at = 0;
    for (const change of changes) {
      const { ts, op, notes } = change;
      for (const [index, note] of notes.entries()) {
        const next = notes[index + 1];
        // A move is planned as a creation followed by the removal of the old note.
        const isMove = note.before === null && next !== undefined && next.after === null;
        const entry = { at: (at += 1), ts, op, change, note, ...(isMove && { from: next }) };
        push(history.#byPath, note.path, entry);
        if (note.after !== null) push(history.#byResult, note.after, entry);
        if (at % ITEMS_PER_STEP === 0) yield;
      }
    }
    return history;
  }

  /** Returns true when the log has a change that replaced a text at the path, or moved a note to it. */
  isChanged(path: VaultPath): boolean {
    return this.#byPath.get(path)?.some(({ note, from }) => note.before !== null || from) === true;
  }

  /** Returns true for the path of a note that was adopted and given back to its owner. */
  isGivenBack(path: VaultPath): boolean {
    return this.#byPath.get(path)?.some(isGivenBack) === true;
  }

  /** Returns true when the log has the text as the result of a change. */
  isLogged(hash: Sha): boolean {
    return this.#byResult.has(hash);
  }

  /** Returns the change that made this text at the path, before position `before`; null when the log does not have it. */
  madeBy(path: VaultPath, hash: Sha, before = Infinity): Entry | null {
    const entry = this.#entryOf(path, hash, before);
    if (entry?.note.path !== path) return null;
    return bringsBack(entry) && !isGivenBack(entry) ? null : entry;
  }

  /** Returns the hash of the original from which an undo made this text; null for any other text. */
  originalOf(hash: Sha): Sha | null {
    return this.restored.get(hash) ?? null;
  }

  /** Returns the operation that wrote this text at the path; null when the log does not have it. */
  writtenBy(path: VaultPath, hash: Sha): string | null {
    return this.#entryOf(path, hash)?.op ?? null;
  }

  /** Yields the texts of a note, newest first, beginning with `text`, as far as they can be followed. */
  async *texts(path: VaultPath, text: string): AsyncGenerator<PastVersion> {
    const seen = new Set<Sha>();
    let before = Infinity;
    for (let current: { path: VaultPath; text: string } | null = { path, text }; current !== null;) {
      const past: PastVersion = this.#past(current.path, current.text, before);
      if (seen.has(past.hash) || seen.size >= MAX_VERSIONS) return;
      seen.add(past.hash);
      yield past;
      const entry = this.#entryOf(past.path, past.hash, before);
      before = entry?.at ?? before;
      current = await this.#before(past, entry);
    }
  }

  async #before(
    past: PastVersion,
    entry: Entry | undefined,
  ): Promise<{ path: VaultPath; text: string } | null> {
    const { supersedes } = past.frontmatter;
    const known = entry?.note.before ?? entry?.from?.before;
    const hash = known ?? (isSha(supersedes) ? supersedes : null);
    if (hash === null) return null;
    const text = await readHistory(this.state, hash);
    return text === null ? null : { path: entry?.from?.path ?? past.path, text };
  }

  #past(path: VaultPath, text: string, before: number): PastVersion {
    const hash = sha256(text);
    const { frontmatter } = parseNote(text);
    return { path, text, hash, frontmatter, edited: this.#isEdited(path, hash, frontmatter, before) };
  }

  /**
   * Returns true for a text that the service is not known to have written, although it wrote here before and the text has no
   * later stamp. A text with a later stamp comes from the service on another device, or from before a loss of log lines.
   */
  #isEdited(path: VaultPath, hash: Sha, frontmatter: Values, before: number): boolean {
    if (this.#byResult.has(hash)) return false;
    const last = this.#byPath
      .get(path)
      ?.filter(({ at, note }) => at < before && note.after !== null)
      .at(-1);
    if (last === undefined) return false;
    const written = lastWritten(frontmatter);
    return frontmatter.supersedes !== last.note.after && (written === undefined || written <= last.ts);
  }

  #entryOf(path: VaultPath, hash: Sha, before = Infinity): Entry | undefined {
    const entries = (this.#byResult.get(hash) ?? []).filter(({ at }) => at < before);
    const here = entries.filter(({ note }) => note.path === path);
    // A text that was put back byte for byte has the past that it had before.
    const made = this.restored.has(hash) ? [] : here.filter((entry) => !bringsBack(entry));
    return made.at(-1) ?? here.at(-1) ?? entries.at(-1);
  }
}

function push<Key>(map: Map<Key, Entry[]>, key: Key, entry: Entry): void {
  const entries = map.get(key);
  if (entries === undefined) map.set(key, [entry]);
  else entries.push(entry);
}

/** Returns the time at which the text was written, from its stamps. */
function writtenAt({ updated_at, created_at }: Values): Timestamp | undefined {
  const time = noteTime(updated_at) ?? noteTime(created_at);
  return time === null ? undefined : timestamp(time);
}

/**
 * Returns the texts of a note, newest first, up to and including the first that is older than `since`. A restored text has the
 * age of its original, and a text that an undo replaced is left out: otherwise it would come back. So are other texts for which
 * `isUndone` returns true, except the newest one.
 */
async function versionsSince(
  since: Timestamp,
  history: NoteHistory,
  { path, text }: { readonly path: VaultPath; readonly text: string },
  isUndone: (past: PastVersion) => boolean,
): Promise<PastVersion[]> {
  const chain: PastVersion[] = [];
  const seen = new Set<Sha>();
  // At most one element: a restored text whose original has not come yet.
  let waiting: readonly Restored[] = [];
  for await (const each of history.texts(path, text)) {
    const [restored] = waiting;
    if (restored !== undefined && each.hash !== restored.of) continue;
    seen.add(each.hash);
    const of = history.originalOf(each.hash);
    if (of !== null) {
      // After a redo the chain meets the original again, and a restored text may be restored from another one.
      if (!seen.has(of)) waiting = [{ past: restored?.past ?? each, of }];
      continue;
    }
    waiting = [];
    const past = restored === undefined ? each : withAgeOf(each, restored.past);
    if (chain.length > 0 && isUndone(past)) continue;
    chain.push(past);
    const written = writtenAt(past.frontmatter);
    if (written === undefined || written < since) break;
  }
  // The chain ends before the original: the age of the restored text is unknown.
  chain.push(...waiting.map(({ past }) => withAgeOf(null, past)));
  return withHandEdits(chain);
}

/** A text that an undo restored; its original comes later in the chain. */
interface Restored {
  readonly past: PastVersion;
  readonly of: Sha;
}

/** Returns the restored text with the age of its original. */
function withAgeOf(older: PastVersion | null, past: PastVersion): PastVersion {
  const { created_at, updated_at } = older?.frontmatter ?? {};
  return {
    ...past,
    edited: older?.edited ?? past.edited,
    frontmatter: { ...past.frontmatter, created_at, updated_at },
  };
}

/**
 * Marks texts with hand edits. The service leaves stamps unchanged in incidental edits, such as following a moved link, so such
 * a text is an edit of a person when the one before it is.
 */
function withHandEdits(chain: readonly PastVersion[]): PastVersion[] {
  const result: PastVersion[] = [];
  let previous: PastVersion | null = null;
  for (const past of [...chain].reverse()) {
    const edited: boolean =
      past.edited || (previous !== null && previous.edited && isSameWrite(past, previous));
    previous = { ...past, edited };
    result.unshift(previous);
  }
  return result;
}

function isSameWrite(a: PastVersion, b: PastVersion): boolean {
  const [one, other] = [a.frontmatter, b.frontmatter];
  return ['created_at', 'updated_at', 'supersedes', 'written_by'].every((key) => one[key] === other[key]);
}

/** The writer and the start of the time that an undo covers. */
export interface UndoScope {
  /** The writer's name in the form for `isWriter`. */
  readonly by: string;
  readonly since: Timestamp;
}

/** The scope of an earlier undo, with its end. */
export interface PastUndoScope extends UndoScope {
  readonly until: Timestamp;
}

/**
 * The actions of an undo: `revert` to a version of somebody else, or to what the note was before it was replaced, confirmed or
 * moved; `queue` for review when there is none; `unpromote` and `restore` for the writer's promotions, adoptions and rejections;
 * `sources` to remove the sources that the writer added.
 */
export const ACTIONS = ['revert', 'queue', 'unpromote', 'restore', 'sources'] as const;
export type Action = (typeof ACTIONS)[number];

/** The reasons why a note that the writer changed is left unchanged. */
export const LEFT_REASONS = [
  'changed_since',
  'edited_since',
  'locked',
  'not_ours',
  'in_queue',
  'taken',
  'unreadable',
] as const;
type LeftReason = (typeof LEFT_REASONS)[number];

/** The action of an undo on one note. */
export interface NoteUndo {
  readonly action: Exclude<Action, 'sources'>;
  /** The version that the note gets: an older one, or its current one. */
  readonly to: PastVersion;
}

export interface LeftAlone {
  readonly left: LeftReason;
  /** The later writer of the note, if its stamps say so. */
  readonly who?: string | undefined;
}

/** Returns true when the stamps name the writer and a time in scope. */
function isInScope({ by, since }: UndoScope, who: unknown, at: unknown): boolean {
  if (!isWriter(who, by)) return false;
  const time = noteTime(at);
  return time !== null && timestamp(time) >= since;
}

/** Returns true when the front matter says that the writer wrote the text in that time. */
export function isWrittenBy(scope: UndoScope, frontmatter: Values): boolean {
  return isInScope(scope, frontmatter.written_by, writtenAt(frontmatter));
}

export function isPromotedBy(scope: UndoScope, { promoted_by, promoted_at }: Values): boolean {
  return isInScope(scope, promoted_by, promoted_at);
}

export function isRejectedBy(scope: UndoScope, { rejected_by, rejected_at }: Values): boolean {
  return isInScope(scope, rejected_by, rejected_at);
}

/**
 * Decides about a note of `wiki/` or `knowledge/` from its past alone. Returns null when the writer did not change it, or when
 * an undo has settled it already.
 * @param undone the scopes of earlier undos, of this and other writers: no note goes back to a text of them
 */
export async function judgeNote(
  scope: UndoScope,
  history: NoteHistory,
  note: { readonly path: VaultPath; readonly text: string },
  undone: readonly PastUndoScope[],
): Promise<NoteUndo | LeftAlone | null> {
  const { path } = note;
  const chain = await versionsSince(scope.since, history, note, (past) => isUndone(past, scope, undone));
  const now = chain[0];
  if (now === undefined) return null;
  const { frontmatter } = now;
  const isOurs = (past: PastVersion): boolean => !past.edited && isWrittenBy(scope, past.frontmatter);
  const confirmed = confirmedSince(scope, frontmatter);
  if (confirmed !== null && (isOurs(now) || isPromotedBy(scope, frontmatter)))
    return { left: 'changed_since', who: confirmed };

  if (isOurs(now)) {
    const to = chain.find((past) => !isOurs(past));
    // A lock in the writer's own text was set by the writer and not by the owner.
    if (isLocked(now.text) && (isPersonStamp(scope.by) || (to !== undefined && isLocked(to.text)))) {
      return { left: 'locked' };
    }
    if (to === undefined) return { action: 'queue', to: now };
    return { action: isPromotedBy(scope, to.frontmatter) ? 'queue' : 'revert', to };
  }
  if (history.writtenBy(path, now.hash) === 'undo') return null;
  const hadHand =
    isPromotedBy(scope, frontmatter) || chain.some((past) => isWrittenBy(scope, past.frontmatter));
  if (!hadHand) return null;
  if (now.edited) return { left: 'edited_since' };
  if (!isPromotedBy(scope, frontmatter) || isRewritten(history, path, now)) {
    const { written_by: who } = frontmatter;
    return { left: 'changed_since', ...(typeof who === 'string' && { who }) };
  }
  return isLocked(now.text) ? { left: 'locked' } : { action: 'unpromote', to: now };
}

/** Returns true for a text that was written into the note after its promotion, perhaps in the same second. */
function isRewritten(history: NoteHistory, path: VaultPath, { hash, frontmatter }: PastVersion): boolean {
  return isChangedSinceReview(frontmatter) || REWRITES.has(history.writtenBy(path, hash) ?? '');
}

/** Returns who confirmed a text since it was written and promoted, when that is somebody else; null otherwise. */
function confirmedSince({ by }: UndoScope, frontmatter: Values): string | null {
  const { verified_at: at, verified_by: who, promoted_at: promotedAt } = frontmatter;
  const [confirmed, promoted] = [noteTime(at), noteTime(promotedAt)];
  if (confirmed === null || typeof who !== 'string' || isWriter(who, by)) return null;
  const written = writtenAt(frontmatter);
  const time = timestamp(confirmed);
  if (written !== undefined && written > time) return null;
  return promoted !== null && promoted > confirmed ? null : who;
}

export function isUndone(
  { edited, frontmatter }: Pick<PastVersion, 'edited' | 'frontmatter'>,
  scope: UndoScope,
  undone: readonly PastUndoScope[],
): boolean {
  if (edited || isWrittenBy(scope, frontmatter)) return false;
  const written = writtenAt(frontmatter);
  return written !== undefined && undone.some((one) => written <= one.until && isWrittenBy(one, frontmatter));
}
