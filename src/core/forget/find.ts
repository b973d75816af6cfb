import { BrainError } from '../base/errors';
import { isSha, type Sha, sha256 } from '../base/hash';
import { inSlices } from '../base/steps';
import { SIMILAR_TEXT } from '../catalog/note-search';
import { sharingNotes } from '../notes/similar';
import { textsOf } from '../catalog/prose';
import { noteSteps } from '../catalog/record';
import { PROCESSED } from '../documents/paths';
import { parseNote } from '../frontmatter/parse';
import { findIngestedSource } from '../ingest/known';
import { readReference } from '../links/references';
import { rootNotePath } from '../notes/root';
import { linkedPath, noSuchNote, readKnown, readText } from '../notes/targets';
import { versionsOf } from '../notes/versions';
import type { Brain } from '../operation/context';
import { isOwnersText } from '../operation/owner';
import type { PastReader } from '../past/past';
import { listOf } from '../sources/source-references';
import { comparePlaces, type NoteChange, type PastChange } from '../storage/change-log';
import { readHistory } from '../storage/history';
import { isOfPipeline } from '../vocabulary/envelope';
import { type VaultPath, vaultPath } from '../vocabulary/paths';

/** The document that a note was made of. */
interface Source {
  readonly hash: Sha;
  /** The copy that the service keeps; null without. */
  readonly original: VaultPath | null;
  /** Other notes that were made of it. */
  readonly others: readonly VaultPath[];
}

/** A note, and all that it was. */
export interface WholeNote {
  /** Where it is; null for one that is gone. */
  readonly path: VaultPath | null;
  readonly title: string;
  /** Its text now, else the last one that is known; empty when none is. */
  readonly text: string;
  /** True for a note of the owner: its file stays. */
  readonly isOwners: boolean;
  /** The hashes of its texts but those that other notes have. */
  readonly hashes: ReadonlySet<Sha>;
  /** The texts that other notes have too. */
  readonly shared: ReadonlySet<Sha>;
  /** Every path that it had. */
  readonly paths: ReadonlySet<VaultPath>;
  /** The ids of the changes that were about it. */
  readonly lines: ReadonlySet<string>;
  readonly source: Source | null;
}

/** What names a note: its path or the hash of one of its texts. */
export interface Asked {
  readonly path?: string | undefined;
  readonly hash?: string | undefined;
}

/**
 * Finds a note by its path or by one of its texts, with all its texts and paths. It may be gone.
 * @throws BrainError `missing_field`, `invalid_field`, `note_not_found`, `path_not_allowed`
 */
export async function wholeNote(brain: Brain, asked: Asked): Promise<WholeNote> {
  const past = await brain.past.read();
  const path = await askedPath(brain, past, asked);
  const text = await readKnown(brain, path);
  const trail = new Trail(past, (at) => brain.catalog.taken(at) !== null);
  await trail.follow(path, null);
  if (isSha(asked.hash)) trail.texts.add(asked.hash);
  if (text === null && trail.texts.size === 0) throw await noSuchNote(brain, path, path);
  const isOwners = text !== null && (isOwnersText(path, text) || path === (await rootNotePath(brain)));
  if (text !== null) {
    trail.texts.add(sha256(text));
    for await (const { hash } of versionsOf(brain, path, text)) trail.texts.add(hash);
  }
  const shared = await sharedTexts(brain, past, trail, path);
  // The file of the owner stays, and with it this text.
  if (isOwners && text !== null) shared.add(sha256(text));
  const last = text ?? (await lastText(brain, trail.texts)) ?? '';
  return {
    path: text === null ? null : path,
    title: (await inSlices(noteSteps(path, 'raw', last), brain.pace)).record.title,
    text: last,
    isOwners,
    hashes: new Set([...trail.texts].filter((hash) => !shared.has(hash))),
    shared,
    lines: trail.lines,
    paths: new Set([...trail.paths].filter((at) => isGone(brain, at) || (at === path && !isOwners))),
    source: isOwners ? null : await sourceOf(brain, path, last),
  };
}

/** Returns true for a path where no other note is now: what names it means the note that was there. */
function isGone({ catalog }: Pick<Brain, 'catalog'>, path: VaultPath): boolean {
  return catalog.taken(path) === null;
}

async function askedPath(brain: Brain, past: PastReader, { path, hash }: Asked): Promise<VaultPath> {
  if (path !== undefined && hash !== undefined) {
    throw new BrainError('invalid_field', 'Name the note by "path" or by "hash", not by both.', {
      field: 'hash',
    });
  }
  if (path !== undefined) {
    const at = linkedPath(brain, path, brain.config.rootNote);
    if (brain.catalog.statusOf(at) !== null || at === (await rootNotePath(brain))) return at;
    throw new BrainError('path_not_allowed', `${at} is no note. Name the note that is to be forgotten.`, {
      path: at,
    });
  }
  if (hash === undefined) {
    throw new BrainError('missing_field', 'Name the note by "path" or by "hash".', { field: 'path' });
  }
  const found = isSha(hash) ? await pathOf(brain, past, hash) : null;
  if (found !== null) return found;
  throw new BrainError('note_not_found', 'No note and no older version has this hash.', { hash });
}

/** Returns where the note with a text is, or where it was last. */
async function pathOf(brain: Brain, past: PastReader, hash: Sha): Promise<VaultPath | null> {
  const { catalog } = brain;
  const now = catalog.notes().find((note) => note.content_hash === hash);
  if (now !== undefined) return now.path;
  const last = (await past.naming(hash)).at(-1);
  if (last !== undefined) {
    const at = last.notes.findIndex(({ before, after }) => before === hash || after === hash);
    const [made, note] = [last.notes[at - 1], last.notes[at]];
    return (
      (made !== undefined && note !== undefined && isFormer(last, made, note) ? made : note)?.path ?? null
    );
  }
  for (const { path, frontmatter } of catalog.superseding())
    if ((await brain.versions.past(brain.state, frontmatter.supersedes, hash)).has(hash)) return path;
  return null;
}

/** Follows a note back through the past, over its moves and the notes whose texts went into it. */
class Trail {
  readonly texts = new Set<Sha>();
  readonly paths = new Set<VaultPath>();
  readonly lines = new Set<string>();
  readonly #followed = new Set<string>();

  constructor(
    private readonly past: PastReader,
    private readonly isTaken: (path: VaultPath) => boolean,
  ) {}

  /** Adds what the note at a path was before a change; null for all that it was. */
  async follow(path: VaultPath, until: PastChange | null): Promise<void> {
    const key = `${path}\n${until?.place.join(' ') ?? ''}`;
    if (this.#followed.has(key)) return;
    this.#followed.add(key);
    this.paths.add(path);
    const changes = (await this.past.naming(path)).filter(
      (change) =>
        change.notes.some((note) => note.path === path) &&
        (until === null || comparePlaces(change, until) < 0),
    );
    // It begins with its creation, and behind the removal of another note that was there before.
    const begun = changes.map((change) => noteAt(change, path)?.before).lastIndexOf(null);
    const left = changes.map((change) => noteAt(change, path)?.after).lastIndexOf(null);
    const isHere = until !== null || this.isTaken(path);
    const own = changes.slice(Math.max(0, begun, isHere || left < changes.length - 1 ? left + 1 : 0));
    for (const change of own) await this.#add(change, path);
    const [first] = own;
    const before = first === undefined ? null : (noteAt(first, path)?.before ?? null);
    // A hand moved it here: its text was made somewhere else, where no note is any more.
    if (begun < 0 && first !== undefined && before !== null) await this.#followText(before, first, path);
  }

  async #add(change: PastChange, path: VaultPath): Promise<void> {
    const at = change.notes.findIndex((note) => note.path === path);
    const [note, next] = [change.notes[at], change.notes[at + 1]];
    if (change.id !== undefined) this.lines.add(change.id);
    for (const hash of [note?.before, note?.after]) if (isSha(hash)) this.texts.add(hash);
    if (note === undefined || next === undefined || !isFormer(change, note, next)) return;
    if (next.before !== null) this.texts.add(next.before);
    await this.follow(next.path, change);
  }

  async #followText(hash: Sha, until: PastChange, path: VaultPath): Promise<void> {
    for (const change of await this.past.naming(hash)) {
      const made = change.notes.find((note) => note.after === hash && note.path !== path);
      if (made !== undefined && comparePlaces(change, until) < 0 && !this.isTaken(made.path)) {
        await this.#add(change, made.path);
        await this.follow(made.path, until);
      }
    }
  }
}

/** Returns true when a change gave a note the text of the one that it removed right after: it moved, or took the place of its text. */
function isFormer({ op }: PastChange, note: NoteChange, next: NoteChange): boolean {
  if (note.after === null || next.after !== null) return false;
  if (note.before !== null) return op === 'replace' && (next.role === undefined || next.role === 'used');
  return note.role === undefined || note.from === next.path;
}

function noteAt({ notes }: PastChange, path: VaultPath): NoteChange | undefined {
  return notes.find((note) => note.path === path);
}

/** Returns those of the texts that another note has or had. */
async function sharedTexts(
  brain: Brain,
  past: PastReader,
  { texts, paths }: Pick<Trail, 'texts' | 'paths'>,
  own: VaultPath,
): Promise<Set<Sha>> {
  const shared = new Set<Sha>();
  for (const { path, content_hash, frontmatter } of brain.catalog.notes()) {
    const { supersedes } = frontmatter;
    if (path === own || !(texts.has(content_hash) || (isSha(supersedes) && texts.has(supersedes)))) continue;
    // It may have left the path of this one by hand, and then its versions are its own.
    const text = await readText(brain, path);
    const versions = text === null ? [] : versionsOf(brain, path, text);
    for await (const { hash } of versions) if (texts.has(hash)) shared.add(hash);
  }
  for (const hash of texts) {
    const changes = await past.naming(hash);
    const isOthers = ({ path, before, after }: NoteChange): boolean =>
      (before === hash || after === hash) && !paths.has(path);
    if (changes.some(({ notes }) => notes.some(isOthers))) shared.add(hash);
  }
  return shared;
}

async function lastText({ state }: Pick<Brain, 'state'>, texts: ReadonlySet<Sha>): Promise<string | null> {
  for (const hash of [...texts].reverse()) {
    const text = await readHistory(state, hash);
    if (text !== null) return text;
  }
  return null;
}

async function sourceOf(brain: Brain, own: VaultPath, text: string): Promise<Source | null> {
  const { frontmatter } = parseNote(text);
  const { source_hash: hash } = frontmatter;
  if (!isSha(hash) || !isOfPipeline(frontmatter)) return null;
  const known = await findIngestedSource(brain, hash);
  const linked = listOf(frontmatter.sources).flatMap((element) => {
    const reference = readReference(element);
    return reference.kind === 'link' ? [vaultPath(reference.target)] : [];
  });
  const kept = [known?.entry?.original, ...linked].find((at) => at?.startsWith(`${PROCESSED}/`));
  const others = (known?.pages ?? []).map(({ path }) => path).filter((path) => path !== own);
  return { hash, original: kept ?? null, others };
}

/** Another note that holds words of a note, and some of them. */
export interface HoldingNote {
  readonly path: VaultPath;
  readonly title: string;
  readonly shared: readonly string[];
}

/** The most notes that are listed because they hold words of the note. */
const MAX_OTHERS = 20;

/** Returns other notes that hold words of a note: those that say the same first. */
export async function notesHolding(brain: Brain, { path, title, text }: WholeNote): Promise<HoldingNote[]> {
  const { catalog } = brain;
  const record = path === null ? undefined : catalog.record(path);
  const exclude = path === null ? {} : { path };
  const prose = (record && (await textsOf(brain, record, SIMILAR_TEXT))?.prose) ?? parseNote(text).body;
  const found = new Map<VaultPath, HoldingNote>();
  for (const same of record === undefined ? [] : catalog.keyOwners(record.content_key))
    if (same !== path) found.set(same, { path: same, title: catalog.title(same), shared: [] });
  for (const similar of await sharingNotes(brain, { ...exclude, title }, prose, { limit: MAX_OTHERS }))
    if (!found.has(similar.path)) found.set(similar.path, similar);
  return [...found.values()].slice(0, MAX_OTHERS);
}
