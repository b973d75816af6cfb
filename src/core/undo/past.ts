import { isSha, type Sha, sha256 } from '../base/hash';
import { isChangedSinceReview, lastWritten, noteTime, type Timestamp, timestamp } from '../base/time';
import { isLocked } from '../frontmatter/lock';
import { parseNote } from '../frontmatter/parse';
import type { Values } from '../frontmatter/yaml';
import type { StateStore } from '../ports/ports';
import type { LoggedChange, NoteChange } from '../storage/change-log';
import { readHistory } from '../storage/history';
import type { VaultPath } from '../vocabulary/paths';
import { isPersonStamp, isWriter } from '../vocabulary/provenance';

/** A text that a note has had. */
export interface PastVersion {
  /** Where it stood. */
  readonly path: VaultPath;
  readonly text: string;
  readonly hash: Sha;
  readonly frontmatter: Values;
  /** True when it is not as the service left it: a person or another program has changed it, leaving its stamps. */
  readonly edited: boolean;
}

interface Entry {
  /** Its place among all entries. */
  readonly at: number;
  readonly ts: Timestamp;
  readonly op: string;
  readonly note: NoteChange;
  /** The note that this one was made of and that went away for it: promotion, rejection and the ways back. */
  readonly from?: NoteChange;
}

/** More versions than this are not looked at; it guards against a forged chain, not against a busy note. */
const MAX_VERSIONS = 10_000;

/**
 * What is known of the past of the notes: by the log of changes, and where that has a gap by what each version says it
 * supersedes. The log is the better witness: it knows overwriting, moves, and texts that nobody stamped.
 */
export class NoteHistory {
  readonly #made = new Map<Sha, Entry[]>();
  readonly #of = new Map<VaultPath, Entry[]>();

  constructor(
    private readonly state: Pick<StateStore, 'read'>,
    changes: readonly LoggedChange[],
    /** Texts that undos have made, and of which texts. */
    private readonly putBack: ReadonlyMap<Sha, Sha>,
  ) {
    let at = 0;
    for (const { ts, op, notes } of changes) {
      for (const [index, note] of notes.entries()) {
        const next = notes[index + 1];
        // A move is planned as a new note, then the removal of the old one.
        const isMove = note.before === null && next !== undefined && next.after === null;
        const entry = { at: (at += 1), ts, op, note, ...(isMove && { from: next }) };
        push(this.#of, note.path, entry);
        if (note.after !== null) push(this.#made, note.after, entry);
      }
    }
  }

  /** True when the service has replaced a text at the path in the time of the log. */
  isReplaced(path: VaultPath): boolean {
    return this.#of.get(path)?.some(({ note }) => note.before !== null) === true;
  }

  /** The hash of the text that an undo made this one of; null for a text that no undo has made. */
  madeOf(hash: Sha): Sha | null {
    return this.putBack.get(hash) ?? null;
  }

  /** What the service was doing when it wrote this very text here; null when the log does not know. */
  madeBy(path: VaultPath, hash: Sha): string | null {
    return this.#entryOf(path, hash)?.op ?? null;
  }

  /** The texts that a note has had, newest first, beginning with `text` itself. Ends where the trace does. */
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
      current = await this.#former(past, entry);
    }
  }

  async #former(
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
   * A text that the service is not known to have written, although it had written here and no later stamp is on it. One that
   * bears a later stamp was written by the service on another device, or before a crash cut off the log.
   */
  #isEdited(path: VaultPath, hash: Sha, frontmatter: Values, before: number): boolean {
    if (this.#made.has(hash)) return false;
    const last = this.#of
      .get(path)
      ?.filter(({ at, note }) => at < before && note.after !== null)
      .at(-1);
    if (last === undefined) return false;
    const written = lastWritten(frontmatter);
    return frontmatter.supersedes !== last.note.after && (written === undefined || written <= last.ts);
  }

  #entryOf(path: VaultPath, hash: Sha, before = Infinity): Entry | undefined {
    const entries = (this.#made.get(hash) ?? []).filter(({ at }) => at < before);
    return entries.filter(({ note }) => note.path === path).at(-1) ?? entries.at(-1);
  }
}

function push<Key>(map: Map<Key, Entry[]>, key: Key, entry: Entry): void {
  const entries = map.get(key);
  if (entries === undefined) map.set(key, [entry]);
  else entries.push(entry);
}

/** When the writer of a text wrote it. */
function writtenAt({ updated_at, created_at }: Values): Timestamp | undefined {
  const time = noteTime(updated_at) ?? noteTime(created_at);
  return time === null ? undefined : timestamp(time);
}

/**
 * The texts of a note, newest first, back to the first that is older than the time in question, that one included. What an
 * undo put back is as old as the text that it was made of, and what it took away is no text to go back to: both would bring
 * back what was undone. Nor is any other text that `isUndone` says so of; the newest text is there in any case.
 */
async function versionsSince(
  since: Timestamp,
  history: NoteHistory,
  { path, text }: { readonly path: VaultPath; readonly text: string },
  isUndone: (past: PastVersion) => boolean,
): Promise<PastVersion[]> {
  const chain: PastVersion[] = [];
  const seen = new Set<Sha>();
  // One at most: what was put back, until the text that it was made of is found.
  let waiting: readonly PutBack[] = [];
  for await (const each of history.texts(path, text)) {
    const [putBack] = waiting;
    if (putBack !== undefined && each.hash !== putBack.of) continue;
    seen.add(each.hash);
    const of = history.madeOf(each.hash);
    if (of !== null) {
      // An undo that was taken back leads here again; and what was put back may have been put back before.
      if (!seen.has(of)) waiting = [{ past: putBack?.past ?? each, of }];
      continue;
    }
    waiting = [];
    const past = putBack === undefined ? each : asOldAs(each, putBack.past);
    if (chain.length > 0 && isUndone(past)) continue;
    chain.push(past);
    const written = writtenAt(past.frontmatter);
    if (written === undefined || written < since) break;
  }
  // The trace ends before it: then nobody can tell that it is of the time in question.
  chain.push(...waiting.map(({ past }) => asOldAs(null, past)));
  return withHandEdits(chain);
}

/** A text that an undo has made of another one, which comes later in the trace. */
interface PutBack {
  readonly past: PastVersion;
  readonly of: Sha;
}

/** A text that was put back, with the age of the text that it was made of. */
function asOldAs(older: PastVersion | null, past: PastVersion): PastVersion {
  const { created_at, updated_at } = older?.frontmatter ?? {};
  return {
    ...past,
    edited: older?.edited ?? past.edited,
    frontmatter: { ...past.frontmatter, created_at, updated_at },
  };
}

/**
 * What the service changes in passing (a link that follows a note) puts no stamp on the text, so a hand edit shows through:
 * such a text is as much a person's as the one before it.
 */
function withHandEdits(chain: readonly PastVersion[]): PastVersion[] {
  const marked: PastVersion[] = [];
  let former: PastVersion | null = null;
  for (const past of [...chain].reverse()) {
    const edited: boolean = past.edited || (former !== null && former.edited && isSameWrite(past, former));
    former = { ...past, edited };
    marked.unshift(former);
  }
  return marked;
}

function isSameWrite(a: PastVersion, b: PastVersion): boolean {
  const [one, other] = [a.frontmatter, b.frontmatter];
  return ['created_at', 'updated_at', 'supersedes', 'written_by'].every((key) => one[key] === other[key]);
}

/** The writer and the start of the time that an undo covers. */
export interface UndoScope {
  /** As `isWriter` takes it. */
  readonly by: string;
  readonly since: Timestamp;
}

/** The scope of an earlier undo, which ended at its own time. */
export interface PastUndoScope extends UndoScope {
  readonly until: Timestamp;
}

/**
 * What is done about a note: `revert` to a version that is not the writer's, `queue` it for review as it has none,
 * `unpromote` and `restore` what the writer has decided about notes of others, `sources` takes out of it what the writer has
 * added to its sources.
 */
export const ACTIONS = ['revert', 'queue', 'unpromote', 'restore', 'sources'] as const;
export type Action = (typeof ACTIONS)[number];

/** Why nothing is done about a note in which the writer had a hand. */
export const LEFT_REASONS = ['changed_since', 'edited_since', 'locked', 'in_queue', 'unreadable'] as const;
type LeftReason = (typeof LEFT_REASONS)[number];

/** What an undo does to one note. */
export interface NoteUndo {
  readonly action: Exclude<Action, 'sources'>;
  /** The version that the note gets: an older one, or its present one. */
  readonly to: PastVersion;
}

export interface LeftAlone {
  readonly left: LeftReason;
  /** Who wrote the note since, where it says. */
  readonly who?: string | undefined;
}

/** True when the stamps say that it was the writer, in that time. */
function isInScope({ by, since }: UndoScope, who: unknown, at: unknown): boolean {
  if (!isWriter(who, by)) return false;
  const time = noteTime(at);
  return time !== null && timestamp(time) >= since;
}

/** True when the front matter says that the writer wrote the text in that time. */
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
 * What is done about a note of `wiki/` or `knowledge/`: a pure reading of its past. Null when the writer had no hand in it,
 * or when an undo has settled it already.
 * @param undone what was undone of other writers before: no note goes back to that
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

  if (isOurs(now)) {
    const to = chain.find((past) => !isOurs(past));
    // A lock that came with the writer's own text is the writer's, and no word of the owner's.
    if (isLocked(now.text) && (isPersonStamp(scope.by) || (to !== undefined && isLocked(to.text)))) {
      return { left: 'locked' };
    }
    if (to === undefined) return { action: 'queue', to: now };
    return { action: isPromotedBy(scope, to.frontmatter) ? 'queue' : 'revert', to };
  }
  if (history.madeBy(path, now.hash) === 'undo') return null;
  const hadHand =
    isPromotedBy(scope, frontmatter) || chain.some((past) => isWrittenBy(scope, past.frontmatter));
  if (!hadHand) return null;
  if (now.edited) return { left: 'edited_since' };
  if (!isPromotedBy(scope, frontmatter) || isChangedSinceReview(frontmatter)) {
    const { written_by: who } = frontmatter;
    return { left: 'changed_since', ...(typeof who === 'string' && { who }) };
  }
  return isLocked(now.text) ? { left: 'locked' } : { action: 'unpromote', to: now };
}

function isUndone(
  { edited, frontmatter }: PastVersion,
  scope: UndoScope,
  undone: readonly PastUndoScope[],
): boolean {
  if (edited || isWrittenBy(scope, frontmatter)) return false;
  const written = writtenAt(frontmatter);
  return written !== undefined && undone.some((one) => written <= one.until && isWrittenBy(one, frontmatter));
}
