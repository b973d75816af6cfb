import { type Sha, sha256 } from '../base/hash';
import type { Log } from '../base/host';
import { isChangedSinceReview, noteTime, type Timestamp, timestamp, lastWritten } from '../base/time';
import { comparePlaces, type NoteChange, type PastChange } from '../storage/change-log';
import type { VaultStore } from '../ports/ports';
import { isPersonStamp } from '../vocabulary/envelope';
import type { VaultPath } from '../vocabulary/paths';
import type { Past, PastReader } from './past';

/** What a person or whoever decides for one has seen of the text of a note. */
export interface Review {
  /** Who had this text in view last when it was taken over into the wiki or written by hand on a screen; null for no one. */
  readonly reviewed: { readonly by: string; readonly at: Timestamp } | null;
  /** The service did not write this text, though it wrote one here before: a hand, or another program, changed it. */
  readonly edited_since?: true;
  /** The service wrote this text for another caller after a review. */
  readonly changed_since_review?: true;
}

/** A note as it is now. */
export interface NoteNow {
  readonly path: VaultPath;
  readonly content_hash: Sha;
  readonly frontmatter: Readonly<Record<string, unknown>>;
}

/** The operations by which a text is taken over as it is. */
const DECISIONS: ReadonlySet<string> = new Set(['promote', 'adopt', 'replace']);
/** Those that leave what a note says: they set stamps, places and links. */
const LEAVES: ReadonlySet<string> = new Set([
  'move',
  'confirm',
  'unconfirm',
  'tunnels',
  'follow',
  'backfill-refs',
]);
/** Those that bring back a text which was there before. */
const BRINGS_BACK: ReadonlySet<string> = new Set(['undo', 'undo-back', 'unreplace', 'unpromote', 'restore']);

/** The most changes that are followed for one note. Beyond them its stamps decide. */
const MAX_CHANGES = 100;

/** The most notes of which is remembered what was found. */
const MAX_FOUND = 4_096;

/** Tells by the past of notes who has reviewed their texts, and remembers it until the past goes on. */
export class Reviews {
  readonly #found = new Map<string, { readonly lines: number; readonly review: Promise<Review> }>();
  #edition = 0;

  constructor(
    private readonly past: Past,
    private readonly vault: Pick<VaultStore, 'read'>,
    private readonly log: Pick<Log, 'warn'>,
  ) {}

  /**
   * Resolves with the review of a note. Where no change of it is known, as on a device to which the logs were not brought, or where
   * the logs cannot be read now, its stamps decide.
   */
  async of(note: NoteNow): Promise<Review> {
    try {
      return await this.#remembered(note);
    } catch (error) {
      this.log.warn('past.review', { path: note.path, message: String(error) });
      return byStamps(note);
    }
  }

  async #remembered(note: NoteNow): Promise<Review> {
    const reader = await this.past.recent();
    if (this.#edition !== reader.edition || this.#found.size >= MAX_FOUND) this.#found.clear();
    this.#edition = reader.edition;
    const key = `${note.path}\n${note.content_hash}`;
    // A change of this process that names neither leaves the review as it is.
    const lines = reader.countOf(note.path) + reader.countOf(note.content_hash);
    const known = this.#found.get(key);
    if (known?.lines === lines) return known.review;
    const review = reviewOf(reader, note, this.vault);
    this.#found.set(key, { lines, review });
    review.catch(() => this.#found.delete(key));
    return review;
  }
}

async function reviewOf(reader: PastReader, note: NoteNow, vault: Pick<VaultStore, 'read'>): Promise<Review> {
  const known = await knownHash(reader, note, vault);
  const found = known === 'foreign' ? null : await followed(reader, note, known);
  return found ?? byStamps(note);
}

/** Returns what the stamps say. They know whole seconds, and no hand that left them as they were. */
function byStamps({ frontmatter }: NoteNow): Review {
  const { promoted_by: by, promoted_at } = frontmatter;
  const at = noteTime(promoted_at);
  const isChanged = isChangedSinceReview(frontmatter);
  const isReviewed = typeof by === 'string' && at !== null && !isChanged;
  return told(isReviewed ? { by, at: timestamp(at) } : null, false, isChanged);
}

/** A text in the past of a note: what made it lies before `before`. */
interface At {
  readonly path: VaultPath;
  readonly hash: Sha;
  readonly before: PastChange | null;
}

/**
 * Returns the hash under which the past has the text of the note, whose line ends or mark at the start may be others; null for a text
 * that it does not have, and `foreign` when it has nothing of the note, or when the text may come from a device whose log is missing.
 */
async function knownHash(
  reader: PastReader,
  { path, content_hash: hash, frontmatter }: NoteNow,
  vault: Pick<VaultStore, 'read'>,
): Promise<Sha | null | 'foreign'> {
  if ((await madeBy(reader, { path, hash, before: null })) !== null) return hash;
  const last = (await reader.naming(path))
    .filter(({ notes }) => notes.some((note) => note.path === path && note.after !== null))
    .at(-1);
  if (last === undefined) return 'foreign';
  const text = await vault.read(path);
  for (const each of text === null ? [] : dressed(text)) {
    const other = sha256(each);
    if ((await madeBy(reader, { path, hash: other, before: null })) !== null) return other;
  }
  const written = lastWritten(frontmatter);
  return written !== undefined && written > last.ts ? 'foreign' : null;
}

/** Returns the text with and without a byte order mark, and with either kind of line ends. */
function dressed(text: string): string[] {
  const plain = text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n');
  return [plain, plain.replaceAll('\n', '\r\n')].flatMap((each) => [each, `\uFEFF${each}`]);
}

/** Follows a note back to its last review; null when that cannot be told. */
async function followed(reader: PastReader, note: NoteNow, known: Sha | null): Promise<Review | null> {
  const editedSince = known === null;
  let at: At | null = { path: note.path, hash: known ?? note.content_hash, before: null };
  if (known === null) {
    const changes = await reader.naming(note.path);
    at = changes.flatMap((change) => textIn(change, note.path)).at(-1) ?? null;
  }
  let isChanged = false;
  for (let steps = 0; at !== null; steps += 1) {
    const made = await madeBy(reader, at);
    if (made === null || steps === MAX_CHANGES) return null;
    const { change, own } = made;
    const by = reviewerIn(change, own, steps === 0 ? note.frontmatter : {});
    if (by !== null) {
      const reviewed = isChanged || editedSince ? null : { by, at: change.ts };
      return told(reviewed, editedSince, isChanged);
    }
    if (BRINGS_BACK.has(change.op)) {
      at = { ...at, before: change };
      continue;
    }
    isChanged ||= !leavesText(change, own);
    at = textBefore(change, own);
  }
  return told(null, editedSince, false);
}

function told(reviewed: Review['reviewed'], isEdited: boolean, isChanged: boolean): Review {
  return {
    reviewed,
    ...(isEdited && { edited_since: true as const }),
    ...(isChanged && { changed_since_review: true as const }),
  };
}

/** Returns the text that a change left at the path. */
function textIn(change: PastChange, path: VaultPath): At[] {
  const after = change.notes.find((note) => note.path === path)?.after;
  return after == null ? [] : [{ path, hash: after, before: null }];
}

/** Returns the last change, before another one, that made the text: at the path, or where it was moved from by hand. */
async function madeBy(
  reader: PastReader,
  { path, hash, before }: At,
): Promise<{ readonly change: PastChange; readonly own: NoteChange } | null> {
  let found: { readonly change: PastChange; readonly own: NoteChange } | null = null;
  for (const change of await reader.naming(hash)) {
    if (before !== null && comparePlaces(change, before) >= 0) break;
    const made = change.notes.filter(({ after }) => after === hash);
    const own = made.find((each) => each.path === path) ?? made[0];
    if (own !== undefined && (own.path === path || found?.own.path !== path)) found = { change, own };
  }
  return found;
}

/** Returns who had the text in view that this change made of the note; null for a change that is no review. */
function reviewerIn(
  { op, decision, by, notes }: PastChange,
  own: NoteChange,
  frontmatter: NoteNow['frontmatter'],
): string | null {
  const isMain = own.role === undefined ? own === notes[0] : own.role === 'main';
  if (DECISIONS.has(op)) {
    const { promoted_by: stamp } = frontmatter;
    return isMain ? (decision?.by ?? (typeof stamp === 'string' ? stamp : null)) : null;
  }
  if (!isMain || LEAVES.has(op) || BRINGS_BACK.has(op)) return null;
  if (by !== undefined) return by.human ? `human:${by.name}` : null;
  const { written_by: writer } = frontmatter;
  return isPersonStamp(writer) ? String(writer) : null;
}

/** Returns true for a change that left what the note says: its place, stamps, links, or sources. */
function leavesText({ op, notes, decision }: PastChange, own: NoteChange): boolean {
  if (LEAVES.has(op) || own.role === 'link') return true;
  if (op === 'ingest') return own.before !== null;
  return own.role === undefined && decision !== undefined && own !== notes[0];
}

/** Returns the text from which a change made that of the note, there or where the note was before; null for a new note. */
function textBefore(change: PastChange, own: NoteChange): At | null {
  const next = change.notes[change.notes.indexOf(own) + 1];
  const left = own.before === null && next?.after === null ? next : own;
  return left.before === null ? null : { path: left.path, hash: left.before, before: change };
}
