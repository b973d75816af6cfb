import { BrainError } from '../base/errors';
import { isSha, type Sha, sha256 } from '../base/hash';
import { inSlices } from '../base/steps';
import { SIMILAR_TEXT } from '../catalog/note-search';
import { textsOf } from '../catalog/prose';
import { noteSteps } from '../catalog/record';
import { PROCESSED } from '../documents/paths';
import { parseNote } from '../frontmatter/parse';
import { findIngestedSource } from '../ingest/known';
import { readReference } from '../links/references';
import { rootNotePath } from '../notes/root';
import { linkedPath, noSuchNote, readKnown } from '../notes/targets';
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
  for (const { path, frontmatter } of catalog.superseding())
    if ((await brain.versions.past(brain.state, frontmatter.supersedes, hash)).has(hash)) return path;
  const last = (await past.naming(hash)).at(-1);
  const at = last?.notes.findIndex(({ before, after }) => before === hash || after === hash) ?? -1;
  const note = last?.notes[at];
  const made = last?.notes[at - 1];
  return (note?.after === null && made?.before === null ? made.path : note?.path) ?? null;
}

/** Follows a note back through the past, over its moves and the notes whose texts went into it. */
class Trail {
  readonly texts = new Set<Sha>();
  readonly paths = new Set<VaultPath>();
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
    const begun = changes.map((change) => noteAt(change, path)?.before).lastIndexOf(null);
    const own = changes.slice(Math.max(0, begun));
    for (const change of own) await this.#add(change, path);
    const [first] = own;
    const before = first === undefined ? null : (noteAt(first, path)?.before ?? null);
    // A hand moved it here: its text was made somewhere else, where no note is any more.
    if (begun < 0 && first !== undefined && before !== null) await this.#followText(before, first, path);
  }

  async #add(change: PastChange, path: VaultPath): Promise<void> {
    const at = change.notes.findIndex((note) => note.path === path);
    const [note, next] = [change.notes[at], change.notes[at + 1]];
    for (const hash of [note?.before, note?.after]) if (isSha(hash)) this.texts.add(hash);
    // The text of a note that is removed right after went into this one.
    if (note?.after === null || next?.after !== null) return;
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

function noteAt({ notes }: PastChange, path: VaultPath): NoteChange | undefined {
  return notes.find((note) => note.path === path);
}

/** Returns those of the texts that another note has or had. */
async function sharedTexts(
  { catalog }: Pick<Brain, 'catalog'>,
  past: PastReader,
  { texts, paths }: Pick<Trail, 'texts' | 'paths'>,
  own: VaultPath,
): Promise<Set<Sha>> {
  const shared = new Set<Sha>();
  for (const { path, content_hash, frontmatter } of catalog.notes()) {
    if (path === own) continue;
    for (const hash of [content_hash, frontmatter.supersedes])
      if (isSha(hash) && texts.has(hash)) shared.add(hash);
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
  const exclude = path === null ? {} : { exclude: path };
  const prose = (record && (await textsOf(brain, record, SIMILAR_TEXT))?.prose) ?? parseNote(text).body;
  const found = new Map<VaultPath, HoldingNote>();
  for (const same of record === undefined ? [] : catalog.keyOwners(record.content_key))
    if (same !== path) found.set(same, { path: same, title: catalog.title(same), shared: [] });
  for (const similar of catalog.similar(title, prose, { ...exclude, limit: MAX_OTHERS }))
    if (!found.has(similar.path)) found.set(similar.path, similar);
  return [...found.values()].slice(0, MAX_OTHERS);
}
