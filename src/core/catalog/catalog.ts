import { type Sha, sha256 } from '../base/hash';
import type { Unsubscribe } from '../base/host';
import { finish, LONG_TEXT, type Steps } from '../base/steps';
import { compareText } from '../base/text';
import type { Prepared } from '../fulltext/search-index';
import { isCanvas } from '../links/canvas';
import { hasFragment } from '../links/headings';
import { type FileNames, foldLink, type LinkTargets, type LinkTier, opens, titleKey } from '../links/resolve';
import { titleOfPath } from '../links/title';
import { type FileStat, sameStat, type VaultChange } from '../ports/ports';
import type { Wing } from '../vocabulary/address';
import { fileName, isMarkdown, linkPath, type VaultPath, vaultPath, zoneOf } from '../vocabulary/paths';
import { type ReadScope, WHOLE_VAULT } from '../vocabulary/read-scope';
import { FileTable } from './file-table';
import { type Entries, entrySteps, type Link, MAX_TARGET, namesOf, tagKey } from './link-keys';
import {
  NoteSearch,
  type NoteWords,
  type PlaceFilter,
  type SimilarNote,
  type SimilarOptions,
} from './note-search';
import {
  headingPlaces,
  type NoteRecord,
  type NoteStatus,
  noteStatus,
  noteSteps,
  type OpenedNote,
  readNote,
  withFileStat,
  type Unread,
  type UnstampedRecord,
} from './record';
import { ReservedPaths } from './reserved';
import { type NoteLookups, NoteTables } from './tables';
import { type HallSection, WingShelf } from './wing-shelf';
import { WingFolders } from './wings';

/** An unreadable file is retried only after this time (ms), because every reader waits for it. */
const REST_MS = 5_000;

/** Paths that changed since they were read, each with a stamp that tells one change from the next. */
export class DirtyPaths {
  readonly #due = new Map<VaultPath, number>();
  /** Paths that could not be read, oldest first; none of them is also due. */
  readonly #resting = new Map<VaultPath, { readonly stamp: number; readonly since: number }>();
  #stamps = 0;

  get size(): number {
    return this.#due.size + this.#resting.size;
  }

  mark(path: VaultPath): void {
    this.#resting.delete(path);
    this.#due.set(path, (this.#stamps += 1));
  }

  /** Renews the stamp of a path, if it is dirty: what is being read of it now is outdated. */
  touch(path: VaultPath): void {
    if (this.#due.has(path) || this.#resting.has(path)) this.mark(path);
  }

  /** Returns all paths. */
  paths(): VaultPath[] {
    return [...this.#due.keys(), ...this.#resting.keys()];
  }

  /**
   * Returns the paths to read at a time (ms), with the stamps of their last changes. The cost does not depend on their
   * number.
   */
  due(now: number): ReadonlyMap<VaultPath, number> {
    for (const [path, { stamp, since }] of this.#resting) {
      // A clock that was set back must not delay the next read forever.
      if (now >= since && now < since + REST_MS) break;
      this.#resting.delete(path);
      this.#due.set(path, stamp);
    }
    return this.#due;
  }

  /** Removes a path that has been read. Returns false and keeps it if it changed since the stamp. */
  settle(path: VaultPath, stamp: number): boolean {
    return this.#due.get(path) === stamp && this.#due.delete(path);
  }

  /** Postpones a path that could not be read, unless it has changed since the stamp. */
  rest(path: VaultPath, stamp: number, now: number): void {
    if (this.settle(path, stamp)) this.#resting.set(path, { stamp, since: now });
  }
}

/** The data that the catalog derives from a text. */
interface ReadNote {
  readonly record: UnstampedRecord;
  readonly entries: Entries;
  /** Null for a note that is not searched. */
  readonly document: Prepared | null;
}

/** A text that may be put next, and what was derived from it already. */
interface PendingText {
  readonly path: VaultPath;
  readonly text: string;
  opened?: OpenedNote;
  note?: ReadNote;
}
/** The maximum number of long texts that are prepared at the same time, which bounds memory. */
const MAX_LONG = 4;

/** Reads notes for the catalog. It can prepare one note before its file exists, and some long ones. */
class NoteReader {
  #pending: PendingText | null = null;
  /** Long texts take so long that other notes come in between. All of them are put, or their change failed. */
  readonly #long = new Map<VaultPath, PendingText>();

  constructor(
    private readonly search: Pick<NoteSearch, 'prepareSteps'>,
    private readonly statusOf: (path: VaultPath) => NoteStatus | null,
  ) {}

  /** Returns two optional pieces of work, each in steps, after which `read` has little left to do for this text. */
  prepare(path: VaultPath, text: string): Steps<void>[] {
    const status = this.statusOf(path);
    if (status === null) return [];
    const known = this.#long.get(path);
    const pending: PendingText = known?.text === text ? known : { path, text };
    if (text.length < LONG_TEXT) this.#pending = pending;
    else {
      this.#long.delete(path);
      for (const [oldest] of this.#long) {
        if (this.#long.size < MAX_LONG) break;
        this.#long.delete(oldest);
      }
      this.#long.set(path, pending);
    }
    return [this.#open(pending, status), this.#complete(pending)];
  }

  read(path: VaultPath, status: NoteStatus, text: string): ReadNote {
    const pending = this.#long.get(path) ?? this.#pending;
    this.#pending = null;
    this.#long.delete(path);
    const known = pending?.path === path && pending.text === text ? pending : null;
    return known?.note ?? finish(this.#derive(known?.opened ?? readNote(path, status, text)));
  }

  *#open(pending: PendingText, status: NoteStatus): Steps<void> {
    pending.opened ??= yield* noteSteps(pending.path, status, pending.text);
  }

  *#complete(pending: PendingText): Steps<void> {
    if (pending.opened !== undefined) pending.note ??= yield* this.#derive(pending.opened);
  }

  /** The terms take longest and have steps of their own. */
  *#derive({ record, fields }: OpenedNote): Steps<ReadNote> {
    const entries = yield* entrySteps(record);
    yield;
    return { record, entries, document: yield* this.search.prepareSteps(record, fields) };
  }
}

/**
 * Returns true for notes and attachments of the wiki and of the owner, and for kept originals that notes name as their
 * sources.
 */
function isLinkable(path: VaultPath): boolean {
  return ['wiki', 'knowledge', 'processed', 'other'].includes(zoneOf(path));
}

/**
 * Returns true for a file that a link may mean by its name: a reviewed note, one of the owner, or a file of theirs that is no note. Kept
 * originals are meant by their whole path only.
 */
function isNamed(path: VaultPath): boolean {
  const status = noteStatus(path);
  if (status !== null) return status !== 'raw' && status !== 'rejected';
  return !isMarkdown(path) && ['wiki', 'knowledge', 'other'].includes(zoneOf(path));
}

/** Returns a test whether a tier that goes by paths finds a file under a key; null for another tier. */
function spells(tier: LinkTier, key: string): ((path: VaultPath) => boolean) | null {
  switch (tier) {
    case 'suffix':
      return (path) => `/${linkPath(path)}`.endsWith(`/${key}`);
    case 'basename':
      return (path) => linkPath(fileName(path)) === key;
    case 'folded':
      return (path) => foldLink(linkPath(fileName(path))) === key;
    case 'title':
    case 'alias':
    case 'slug':
      return null;
  }
}

/** What one reader is told of: all files, or those whose paths pass. */
class Sight {
  /** Grows with every change of a file in sight. */
  revision = 0;
  /** The folders of the wings of the files in sight; null until they are asked for. */
  folders: WingFolders | null = null;

  constructor(
    readonly sees: ((path: VaultPath) => boolean) | null,
    private readonly known: ReadonlySet<VaultPath>,
  ) {}

  get wings(): WingFolders {
    if (this.folders !== null) return this.folders;
    this.folders = new WingFolders();
    for (const path of this.of([...this.known])) this.folders.add(path);
    return this.folders;
  }

  /** Returns the paths in sight. */
  of(paths: readonly VaultPath[]): readonly VaultPath[] {
    return this.sees === null ? paths : paths.filter(this.sees);
  }
}

/** What is known of a file of which nothing keeps a reader. */
const READABLE = { tooLarge: null, entangled: false, forgotten: false } as const;
/** Why the text of a forgotten note is passed over. */
export const HELD_BACK = 'It has the text of a note that was forgotten.';

/** What is known of a vault, which all of its readers share. */
class Tables {
  readonly notes = new NoteTables();
  readonly known = new Set<VaultPath>();
  readonly files = new FileTable();
  readonly canvases = new Set<VaultPath>();
  readonly search = new NoteSearch();
  readonly unreadable = new Map<VaultPath, Unread>();
  readonly heldBack = new Set<Sha>();
  readonly dirty = new DirtyPaths();
  readonly followers = new Set<(path: VaultPath) => void>();
  readonly sights: Sight[] = [];

  /** Returns the sights that a path is in. */
  sightsOf(path: VaultPath): Sight[] {
    return this.sights.filter(({ sees }) => sees === null || sees(path));
  }

  changed(path: VaultPath): void {
    for (const sight of this.sightsOf(path)) sight.revision += 1;
  }

  /** Changes what is known of a file, which may bring it into a sight or out of it: a sight may go by what a note says. */
  change(path: VaultPath, change: () => void): void {
    const before = this.sightsOf(path);
    change();
    const after = this.sightsOf(path);
    for (const sight of new Set([...before, ...after])) {
      sight.revision += 1;
      if (!before.includes(sight)) sight.folders?.add(path);
      else if (!after.includes(sight)) sight.folders?.delete(path);
    }
  }
}

/**
 * Everything known about the vault without reading the disk: paths, notes, links, and the search index. It is derived from
 * the files, which win. After any sequence of changes it equals a catalog built anew from the same files.
 */
export class Catalog implements LinkTargets, FileNames {
  readonly reserved = new ReservedPaths();
  /** The refresh that runs; `refreshCatalog` sets it. */
  refreshing: Promise<unknown> | null = null;
  readonly #shelves = new Map<Wing, WingShelf>();
  readonly #tables: Tables;
  readonly #reader: NoteReader;
  readonly #sight: Sight;
  readonly #notes: NoteLookups;
  readonly #words: NoteWords;

  /**
   * @param scope what is read of the vault outside the service's folders
   * @param seen the files that this catalog tells of, if not all, and the catalog of all
   */
  constructor(
    readonly scope: ReadScope = WHOLE_VAULT,
    seen?: { readonly whole: Catalog; readonly sees: (path: string) => boolean },
  ) {
    this.#tables = seen === undefined ? new Tables() : seen.whole.#tables;
    const { known, notes, search, sights } = this.#tables;
    this.#reader = new NoteReader(search, (path) => this.statusOf(path));
    this.#sight = new Sight(seen?.sees ?? null, known);
    this.#notes = seen === undefined ? notes : notes.seenBy(seen.sees);
    this.#words = seen === undefined ? search.words : search.seenBy(seen.sees);
    if (seen === undefined) this.#sight.folders = new WingFolders();
    sights.push(this.#sight);
  }

  /**
   * Returns this catalog as it is for a reader who sees the files whose paths pass: it answers as one of these files alone. It
   * shares all tables with this one, and has the same changes.
   */
  seenBy(sees: (path: string) => boolean): Catalog {
    return new Catalog(this.scope, { whole: this, sees });
  }

  /** Returns true for the path of a file that the catalog covers. */
  covers(path: string): boolean {
    return !this.scope.leavesOut(path);
  }

  /** Returns the status that a note at this path has; null for a file that is no note, and for one that is not covered. */
  statusOf(path: VaultPath): NoteStatus | null {
    return this.covers(path) ? noteStatus(path) : null;
  }

  // --- Changes ---

  /**
   * Returns optional work for a text that is about to be put, in pieces of several steps, after which `put` has little left
   * to do. Changes no answer.
   */
  prepare(path: VaultPath, text: string): Steps<void>[] {
    return this.#reader.prepare(path, text);
  }

  /** Releases the memory that only makes reading many notes fast. */
  releaseBuffers(): void {
    this.#tables.search.releaseBuffers();
  }

  /** Records a file with this text. A file that is no note is recorded by path only. */
  put(path: VaultPath, text: string, stat: FileStat): void {
    const status = this.statusOf(path);
    const old = this.#tables.notes.record(path);
    this.addPath(path);
    if (status === null || (sameStat(old, stat) && old?.content_hash === sha256(text))) return;
    const { record: unstamped, entries, document } = this.#reader.read(path, status, text);
    const record: NoteRecord = withFileStat(unstamped, stat);
    this.#tables.change(path, () => this.#tables.notes.set(record, entries));
    if (document !== null) this.#tables.search.put(record, document);
    // A text that is written again on purpose is no copy.
    this.#tables.heldBack.delete(record.content_hash);
  }

  /** Calls `listener` with the path of every file that is recorded or dropped from now on, until unsubscribed. */
  follow(listener: (path: VaultPath) => void): Unsubscribe {
    this.#tables.followers.add(listener);
    return () => this.#tables.followers.delete(listener);
  }

  /** Records the name of a file that is left out: it is never read or told of, but a link that opens it opens no other file. */
  addName(path: VaultPath): void {
    if (zoneOf(path) !== 'hidden') this.#tables.files.add(path);
  }

  /** Records that a file exists at the path, whatever its contents. */
  addPath(path: VaultPath): void {
    for (const follower of this.#tables.followers) follower(path);
    this.#tables.dirty.touch(path);
    this.#tables.unreadable.delete(path);
    if (this.#tables.known.has(path)) return;
    this.#tables.known.add(path);
    this.#tables.files.add(path);
    if (isCanvas(path)) this.#tables.canvases.add(path);
    for (const { folders } of this.#tables.sightsOf(path)) folders?.add(path);
    this.#tables.changed(path);
  }

  /**
   * Records a file that is no text or is too large (its size in bytes), with the reason. It is no note until the next `put`.
   */
  addUnreadable(path: VaultPath, reason: string, why: Partial<Omit<Unread, 'reason'>> = {}): void {
    this.addPath(path);
    this.#tables.change(path, () => this.#tables.notes.delete(path));
    this.#tables.search.drop(path);
    this.#tables.unreadable.set(path, { ...READABLE, reason, ...why });
  }

  /** Passes over these texts of forgotten notes from now on, wherever another program brings one back. */
  holdBack(texts: Iterable<Sha>): void {
    const known = this.#tables.heldBack.size;
    for (const text of texts) this.#tables.heldBack.add(text);
    if (this.#tables.heldBack.size === known) return;
    for (const { path, content_hash } of this.records())
      if (this.isHeldBack(content_hash)) this.addUnreadable(path, HELD_BACK, { forgotten: true });
  }

  /** Returns true for a text that is passed over because its note was forgotten. */
  isHeldBack(text: Sha): boolean {
    return this.#tables.heldBack.has(text);
  }

  /** Records that no file exists at the path. */
  drop(path: VaultPath): void {
    for (const follower of this.#tables.followers) follower(path);
    this.#tables.dirty.touch(path);
    this.#tables.unreadable.delete(path);
    if (!this.#tables.known.delete(path)) return;
    this.#tables.files.delete(path);
    this.#tables.canvases.delete(path);
    for (const { folders } of this.#tables.sightsOf(path)) folders?.delete(path);
    this.#tables.changed(path);
    this.#tables.notes.delete(path);
    this.#tables.search.drop(path);
  }

  // --- Snapshots ---

  /** Returns every note, in no defined order. */
  records(): NoteRecord[] {
    return [...this.#notes.records()];
  }

  /** Yields the search index in pieces, which are valid only if `revision` is unchanged after the last one. */
  packIndex(): Iterable<Uint8Array> {
    return this.#tables.search.pack();
  }

  /**
   * Restores the index of these notes, before any of them. Returns false and changes nothing if the index is damaged or
   * belongs to other notes.
   */
  restoreIndex({ records, index }: { records: readonly NoteRecord[]; index: Uint8Array }): Steps<boolean> {
    return this.#tables.search.restore(records, index);
  }

  /** Restores a note that the index already holds. Until it is listed, only its path, its name, its status and a search find it. */
  restore(record: NoteRecord): void {
    this.addPath(record.path);
    this.#tables.change(record.path, () => this.#tables.notes.setUnlisted(record));
  }

  /** Adds a restored note to all look-up tables, unless it is gone or has changed since. */
  *list(path: VaultPath): Steps<void> {
    yield* this.#tables.notes.listSteps(path);
    this.#tables.changed(path);
  }

  // --- Files that changed on disk and were not read yet ---

  /** Marks a file that someone changed, for `refreshCatalog` to read. Of one that is left out only the name is known. */
  markDirty({ path, kind }: VaultChange): void {
    if (this.covers(path)) this.#tables.dirty.mark(path);
    else if (kind === 'changed') this.addName(path);
    else this.#tables.files.delete(path);
  }

  /** The number of files that changed since they were read. */
  get dirtyCount(): number {
    return this.#tables.dirty.size;
  }

  /** The changed files, for the code that reads them. */
  get dirty(): Pick<DirtyPaths, 'paths' | 'due' | 'settle' | 'rest'> {
    return this.#tables.dirty;
  }

  /** Records that a file could not be read this time, and why. Earlier knowledge of it stays. */
  failed(path: VaultPath, reason: string): void {
    this.#tables.unreadable.set(path, { ...READABLE, reason });
  }

  /** The files that could not be read, and why. */
  get unreadable(): ReadonlyMap<VaultPath, Unread> {
    const { unreadable } = this.#tables;
    const { sees } = this.#sight;
    return sees === null ? unreadable : new Map([...unreadable].filter(([path]) => sees(path)));
  }

  // --- Queries ---

  /** A number that grows whenever an answer of the catalog may have changed. */
  get revision(): number {
    return this.#sight.revision;
  }

  /** Returns the note at a path, or undefined if there is none. */
  record(path: VaultPath): NoteRecord | undefined {
    return this.#notes.record(path);
  }

  /** Returns the notes with a status, or all, including rejected ones; sorted by path. */
  notes(status?: NoteStatus): NoteRecord[] {
    return this.#notes.under(status === undefined ? 'all' : `status:${status}`);
  }

  /** Returns the paths of all notes, including rejected ones; sorted. Later changes leave the list as it is. */
  notePaths(): VaultPath[] {
    return [...this.#notes.paths('all')];
  }

  /** The number of all notes, including rejected ones. */
  get noteCount(): number {
    return this.#notes.paths('all').length;
  }

  /** Returns the number of notes with a status. */
  count(status: NoteStatus): number {
    return this.#notes.paths(`status:${status}`).length;
  }

  /** Returns the number of notes that a search looks through. */
  searchedCount({ includeRaw }: Pick<PlaceFilter, 'includeRaw'>): number {
    return this.#words.count({ includeRaw });
  }

  /** Returns the file that has `path` on a file system that folds case, or null if the name is free. */
  taken(path: VaultPath): VaultPath | null {
    if (this.#knows(path)) return path;
    return this.#tables.files.at(path).find((each) => this.#knows(each)) ?? null;
  }

  /** Returns every known file whose path begins with `prefix`, sorted. */
  pathsBelow(prefix: string): VaultPath[] {
    return this.#known()
      .filter((path) => path.startsWith(prefix))
      .sort(compareText);
  }

  /** Returns every known canvas, in no defined order. */
  canvases(): VaultPath[] {
    return [...this.#sight.of([...this.#tables.canvases])];
  }

  /**
   * Returns the folders under `wiki/` with a file in a hall folder, sorted; `emptied` returns those that have none any more.
   */
  wings(which: 'whole' | 'emptied' = 'whole'): Wing[] {
    return which === 'whole' ? this.#sight.wings.wings() : this.#sight.wings.emptied();
  }

  /** Returns the folder of a wing as it is spelled on disk; the wing as given if there is none. */
  wingSpelling(wing: Wing): Wing {
    return this.#sight.wings.spelling(wing);
  }

  /** Returns the folder of a wing as it is spelled on disk; null if no file is known in one. */
  knownWing(wing: Wing): Wing | null {
    return this.#sight.wings.known(wing);
  }

  /** Returns the notes below `wiki/<wing>/` at any depth, sorted by path. */
  notesOfWing(wing: Wing): NoteRecord[] {
    return [...this.#notes.ofWing(wing)];
  }

  /** Returns the lines of the notes of a wing, as its map lists them; they are kept from one change to the next. */
  hallsOfWing(wing: Wing): HallSection[] {
    const notes = this.notesOfWing(wing);
    const shelf = this.#shelves.get(wing) ?? new WingShelf();
    if (notes.length === 0) this.#shelves.delete(wing);
    else this.#shelves.set(wing, shelf);
    shelf.update(notes);
    return shelf.halls;
  }

  /** Returns a note with exactly these bytes that was not rejected, or null. */
  withHash(hash: Sha): VaultPath | null {
    return this.#notes.paths(`hash:${hash}`)[0] ?? null;
  }

  /** Returns the notes with a content key, including rejected ones; sorted by path. */
  keyOwners(contentKey: Sha): VaultPath[] {
    return [...this.#notes.paths(`content:${contentKey}`)];
  }

  /** Returns the notes of the queue with a title; sorted. Case and accents do not count. */
  queuedAs(title: string): VaultPath[] {
    return [...this.#notes.paths(`queued:${titleKey(title)}`)];
  }

  /** Returns the notes made from the source with this hash, including rejected ones; sorted by path. */
  ofSource(sourceHash: Sha): NoteRecord[] {
    return this.#notes.under(`source:${sourceHash}`);
  }

  /** Returns the notes of the wiki with a title or alias that begins with this word, as `phrase` folds it; sorted by path. */
  withFirstWord(word: string): VaultPath[] {
    return [...this.#notes.paths(`opens:${word}`)];
  }

  /** Returns the notes that supersede an older version of themselves, sorted by path. */
  superseding(): NoteRecord[] {
    return this.#notes.under('supersedes');
  }

  /** Returns the notes with tunnels, sorted by path, each with its tunnels that lead to a note. */
  tunnels(): [VaultPath, VaultPath[]][] {
    return this.#notes
      .under('tunnels')
      .map(({ path, tunnels }) => [path, tunnels.filter((to) => this.#notes.record(to) !== undefined)]);
  }

  /** Returns the reviewed notes with a tag, sorted by path. */
  tagged(tag: string): NoteRecord[] {
    return this.#notes.mentioning(`tag:${tagKey(tag)}`);
  }

  /** Returns other notes, except rejected ones, with a link or tunnel that opens the file at `path`; sorted by path. */
  backlinks(path: VaultPath): VaultPath[] {
    const leads = ({ target, relative }: Link, source: VaultPath): boolean =>
      opens(target, source, this, relative) === path;
    return this.linking(path, leads).filter((source) => source !== path);
  }

  /**
   * Returns the notes, except rejected ones, with a link or tunnel that ends like the path of a file and passes; sorted by path.
   * @param passes is told the link and its note
   */
  linking(path: VaultPath, passes: (link: Link, source: VaultPath) => boolean): VaultPath[] {
    return this.#notes.linking(namesOf(path), passes);
  }

  /**
   * Returns the notes, except rejected ones, whose links (from the root or their folder) or tunnels spell out this path;
   * sorted by path.
   */
  linksTo(path: VaultPath): VaultPath[] {
    const sources = this.#notes.mentioning(`to:${linkPath(path)}`).map((note) => note.path);
    return sources.filter((source) => source !== path);
  }

  // --- Link targets ---

  /** Returns the file that a link names by its whole path, with or without `.md`, if notes may link to it. */
  has(path: string): VaultPath | null {
    if (path.length > MAX_TARGET) return null;
    const exact = vaultPath(path);
    const found = [exact, vaultPath(`${exact}.md`)].find((each) => this.#knows(each));
    return found !== undefined && isLinkable(found) ? found : null;
  }

  candidates(tier: LinkTier, key: string): readonly VaultPath[] {
    const passes = spells(tier, key);
    if (passes === null) return this.#notes.paths(`${tier}:${key}`);
    // Only the end of a path has a slash.
    if (tier !== 'suffix' && key.includes('/')) return [];
    const found = this.#tables.files.named(key);
    return found.filter((path) => passes(path) && isNamed(path) && this.#knows(path)).sort(compareText);
  }

  // --- File names ---

  at(path: string): readonly VaultPath[] {
    const wanted = path.toLowerCase();
    return this.#sight.of(this.#tables.files.at(path)).filter((each) => each.toLowerCase() === wanted);
  }

  first(name: string, passes: (path: VaultPath) => boolean): VaultPath | null {
    const { sees } = this.#sight;
    const found = this.#tables.files.named(name);
    return found.find((path) => passes(path) && (sees === null || sees(path))) ?? null;
  }

  holds(path: VaultPath, fragment: string): boolean {
    const note = this.#notes.record(path);
    return note === undefined || hasFragment(headingPlaces(note), note.blockIds, fragment);
  }

  title(path: VaultPath): string {
    return this.#notes.record(path)?.title ?? titleOfPath(path);
  }

  // --- Search ---

  /** The search index: search, and analysis, weights and guesses of terms. */
  get words(): Omit<NoteWords, 'similar'> {
    return this.#words;
  }

  /** Does what `NoteWords.similar` does. */
  similar(title: string, text: string, options: SimilarOptions): SimilarNote[] {
    return this.#words.similar(title, text, options);
  }

  #knows(path: VaultPath): boolean {
    const { sees } = this.#sight;
    return this.#tables.known.has(path) && (sees === null || sees(path));
  }

  /** Returns every file in sight. */
  #known(): VaultPath[] {
    return [...this.#sight.of([...this.#tables.known])];
  }
}
