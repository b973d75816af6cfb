import { type Sha, sha256 } from '../base/hash';
import type { Log } from '../base/host';
import { isChangedSinceReview, noteTime, type Timestamp, timestamp, lastWritten } from '../base/time';
import type { PastChange } from '../storage/change-log';
import type { VaultStore } from '../ports/ports';
import { isPersonStamp } from '../vocabulary/envelope';
import type { VaultPath } from '../vocabulary/paths';
import type { Past, PastReader } from './past';
import { Remembered } from './remembered';
import { bringsBack, keepsText, type Made, madeBy, type PastText, textBefore } from './trail';

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
/** The most changes that are followed for one note. Beyond them its stamps decide. */
const MAX_CHANGES = 100;

/** Tells by the past of notes who has reviewed their texts, and remembers it until the past goes on. */
export class Reviews {
  readonly #found = new Remembered<Review>();

  /** @param sees returns false for a path of which nothing may be told; absent when there is none */
  constructor(
    private readonly past: Pick<Past, 'recent'>,
    private readonly vault: Pick<VaultStore, 'read'>,
    private readonly log: Pick<Log, 'warn'>,
    private readonly sees?: (path: string) => boolean,
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
    return this.#found.of(reader, note.path, note.content_hash, () =>
      reviewOf(reader, note, this.vault, this.sees),
    );
  }
}

async function reviewOf(
  reader: PastReader,
  note: NoteNow,
  vault: Pick<VaultStore, 'read'>,
  sees?: (path: string) => boolean,
): Promise<Review> {
  const known = await knownHash(reader, note, vault, sees);
  const found = known === 'foreign' ? null : await followed(reader, note, known, sees);
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

/**
 * Returns the hash under which the past has the text of the note, whose line ends or mark at the start may be others; null for a text
 * that it does not have, and `foreign` when it has nothing of the note, or when the text may come from a device whose log is missing.
 */
async function knownHash(
  reader: PastReader,
  { path, content_hash: hash, frontmatter }: NoteNow,
  vault: Pick<VaultStore, 'read'>,
  sees?: (path: string) => boolean,
): Promise<Sha | null | 'foreign'> {
  if ((await madeBy(reader, { path, hash, before: null }, sees)) !== null) return hash;
  const last = (await reader.naming(path))
    .filter(({ notes }) => notes.some((note) => note.path === path && note.after !== null))
    .at(-1);
  if (last === undefined) return 'foreign';
  const text = await vault.read(path);
  for (const each of text === null ? [] : dressed(text)) {
    const other = sha256(each);
    if ((await madeBy(reader, { path, hash: other, before: null }, sees)) !== null) return other;
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
async function followed(
  reader: PastReader,
  note: NoteNow,
  known: Sha | null,
  sees?: (path: string) => boolean,
): Promise<Review | null> {
  const editedSince = known === null;
  let at: PastText | null = { path: note.path, hash: known ?? note.content_hash, before: null };
  if (known === null) {
    const changes = await reader.naming(note.path);
    at = changes.flatMap((change) => textIn(change, note.path)).at(-1) ?? null;
  }
  let isChanged = false;
  for (let steps = 0; at !== null; steps += 1) {
    const made = await madeBy(reader, at, sees);
    if (made === null || steps === MAX_CHANGES) return null;
    const { change } = made;
    const by = reviewerIn(made, steps === 0 ? note.frontmatter : {});
    if (by !== null) {
      const reviewed = isChanged || editedSince ? null : { by, at: change.ts };
      return told(reviewed, editedSince, isChanged);
    }
    if (bringsBack(change)) {
      at = { ...at, before: change };
      continue;
    }
    isChanged ||= !leavesText(made);
    at = textBefore(made);
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
function textIn(change: PastChange, path: VaultPath): PastText[] {
  const after = change.notes.find((note) => note.path === path)?.after;
  return after == null ? [] : [{ path, hash: after, before: null }];
}

/** Returns who had the text in view that this change made of the note; null for a change that is no review. */
function reviewerIn(made: Made, frontmatter: NoteNow['frontmatter']): string | null {
  const { change, own } = made;
  const { op, decision, by, notes } = change;
  const isMain = own.role === undefined ? own === notes[0] : own.role === 'main';
  if (DECISIONS.has(op)) {
    const { promoted_by: stamp } = frontmatter;
    return isMain ? (decision?.by ?? (typeof stamp === 'string' ? stamp : null)) : null;
  }
  // Nobody has read what came with an import, whoever brought it.
  if (!isMain || op === 'import' || keepsText(made) || bringsBack(change)) return null;
  if (by !== undefined) return by.human ? `human:${by.name}` : null;
  const { written_by: writer } = frontmatter;
  return isPersonStamp(writer) ? String(writer) : null;
}

/** Returns true for a change that left what the note says: its place, stamps, links, or sources. */
function leavesText(made: Made): boolean {
  return keepsText(made) || (made.change.op === 'ingest' && made.own.before !== null);
}
