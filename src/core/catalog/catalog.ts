import { type Sha, sha256 } from '../base/hash';
import { finish, LONG_TEXT, type Steps } from '../base/steps';
import { compareText } from '../base/text';
import type { Prepared } from '../fulltext/search-index';
import { isNameOf, type LinkTargets, type LinkTier, resolveLink } from '../links/resolve';
import { titleOfPath } from '../links/title';
import { type FileStat, sameStat, type VaultChange } from '../ports/ports';
import type { Wing } from '../vocabulary/address';
import { fold, linkPath, stemOf, type VaultPath, vaultPath, zoneOf } from '../vocabulary/paths';
import { keySteps, type Link, linkSteps, MAX_TARGET, namesMeant, namesOf, tagKey } from './link-keys';
import { NoteSearch, type SearchFilter, type SearchHit, type TitledPath } from './note-search';
import { PathTable } from './path-table';
import {
  headingPlaces,
  type NoteRecord,
  type NoteStatus,
  noteStatus,
  noteSteps,
  type OpenedNote,
  readNote,
  stamped,
  type Unread,
  type UnstampedRecord,
} from './record';
import { NoteTables } from './tables';
import { WingFolders } from './wings';

/** A file that could not be read is left alone for so long, in milliseconds: every reader would have to wait for it. */
const REST_MS = 5_000;

/** Paths that changed since they were read, each with a stamp that tells one change from the next. */
export class DirtyPaths {
  readonly #due = new Map<VaultPath, number>();
  /** Those that could not be read, in the order in which that was; none of them is due as well. */
  readonly #resting = new Map<VaultPath, { readonly stamp: number; readonly since: number }>();
  #stamps = 0;

  get size(): number {
    return this.#due.size + this.#resting.size;
  }

  mark(path: VaultPath): void {
    this.#resting.delete(path);
    this.#due.set(path, (this.#stamps += 1));
  }

  /** Takes note that more has become known of a path: what is being read of it now is older. */
  touch(path: VaultPath): void {
    if (this.#due.has(path) || this.#resting.has(path)) this.mark(path);
  }

  /** All of them. */
  paths(): VaultPath[] {
    return [...this.#due.keys(), ...this.#resting.keys()];
  }

  /** Those that are to be read now (a time, in milliseconds), with the stamps of their last changes. Takes no longer for more. */
  due(now: number): ReadonlyMap<VaultPath, number> {
    for (const [path, { stamp, since }] of this.#resting) {
      // A clock that was set back must not make an endless rest.
      if (now >= since && now < since + REST_MS) break;
      this.#resting.delete(path);
      this.#due.set(path, stamp);
    }
    return this.#due;
  }

  /** Says that a path has been read; false, when it changed again since the stamp, and then it stays marked. */
  settle(path: VaultPath, stamp: number): boolean {
    return this.#due.get(path) === stamp && this.#due.delete(path);
  }

  /** Says that a path could not be read: from now on it rests for a while, unless it has changed since the stamp, or does. */
  rest(path: VaultPath, stamp: number, now: number): void {
    if (this.settle(path, stamp)) this.#resting.set(path, { stamp, since: now });
  }
}

/** All that the catalog makes of a text. */
interface ReadNote {
  readonly record: UnstampedRecord;
  readonly keys: ReadonlySet<string>;
  /** None of a rejected note. */
  readonly links: readonly Link[];
  /** Null for a note that is not searched. */
  readonly document: Prepared | null;
}

/** A text that may be put next, and what was made of it already. */
interface Ahead {
  readonly path: VaultPath;
  readonly text: string;
  opened?: OpenedNote;
  note?: ReadNote;
}
/** … so many of them at most: a bound on memory. */
const MAX_LONG = 4;

/** Reads notes for the catalog; one of them, when that is wished, before its file stands, and some long ones. */
class NoteReader {
  #ahead: Ahead | null = null;
  /** The long ones, which take so long that others come in between; all of them are put, or their change failed. */
  readonly #long = new Map<VaultPath, Ahead>();

  constructor(private readonly search: Pick<NoteSearch, 'prepareSteps'>) {}

  /** Two pieces of work, each in steps, after which `read` has little left to do for this text. They may be left out. */
  ahead(path: VaultPath, text: string): Steps<void>[] {
    const status = noteStatus(path);
    if (status === null) return [];
    const ahead: Ahead = { path, text };
    if (text.length < LONG_TEXT) this.#ahead = ahead;
    else {
      this.#long.delete(path);
      for (const [oldest] of this.#long) {
        if (this.#long.size < MAX_LONG) break;
        this.#long.delete(oldest);
      }
      this.#long.set(path, ahead);
    }
    return [this.#open(ahead, status), this.#complete(ahead, status)];
  }

  read(path: VaultPath, status: NoteStatus, text: string): ReadNote {
    const ahead = this.#long.get(path) ?? this.#ahead;
    this.#ahead = null;
    this.#long.delete(path);
    const known = ahead?.path === path && ahead.text === text ? ahead : null;
    return known?.note ?? finish(this.#finishing(status, known?.opened ?? readNote(path, status, text)));
  }

  *#open(ahead: Ahead, status: NoteStatus): Steps<void> {
    ahead.opened = yield* noteSteps(ahead.path, status, ahead.text);
  }

  *#complete(ahead: Ahead, status: NoteStatus): Steps<void> {
    if (ahead.opened !== undefined) ahead.note = yield* this.#finishing(status, ahead.opened);
  }

  /** The words of a search, which take longest, by themselves. */
  *#finishing(status: NoteStatus, { record, fields }: OpenedNote): Steps<ReadNote> {
    const links = status === 'rejected' ? [] : yield* linkSteps(record);
    const keys = yield* keySteps(record, links);
    yield;
    return { record, keys, links, document: yield* this.search.prepareSteps(record, fields) };
  }
}

/** True for the places that the catalog knows. */
export function isCatalogued(path: string): boolean {
  return !['sessions', 'hidden', 'other'].includes(zoneOf(path));
}

/** Notes and attachments of the wiki, and the kept originals that notes name as their sources. */
function isLinkable(path: VaultPath): boolean {
  return ['wiki', 'knowledge', 'processed'].includes(zoneOf(path));
}

/**
 * Everything known about the vault without reading the disk: paths, notes, links, and the search index.
 * Derived from the files, which win. After any sequence of changes it is the same as one built anew from the
 * same files.
 */
export class Catalog implements LinkTargets {
  readonly #notes = new NoteTables();
  readonly #known = new Set<VaultPath>();
  readonly #folded = new PathTable<VaultPath>();
  readonly #wings = new WingFolders();
  readonly #search = new NoteSearch();
  readonly #reader = new NoteReader(this.#search);
  readonly #unreadable = new Map<VaultPath, Unread>();
  readonly #dirty = new DirtyPaths();
  #revision = 0;

  // --- What changes it ---

  /**
   * Work that may be done ahead for a text that is about to be put, in pieces of several steps, so that little is left to do
   * then. Changes no answer.
   */
  expect(path: VaultPath, text: string): Steps<void>[] {
    return this.#reader.ahead(path, text);
  }

  /** Gives back the memory that only makes the reading of many notes fast. */
  rest(): void {
    this.#search.rest();
  }

  /** Takes note of a file with this text. A file that is no note is known by its path alone. */
  put(path: VaultPath, text: string, stat: FileStat): void {
    const status = noteStatus(path);
    const old = this.#notes.record(path);
    this.known(path);
    if (status === null || (sameStat(old, stat) && old?.content_hash === sha256(text))) return;
    this.#revision += 1;
    const { record: unstamped, keys, links, document } = this.#reader.read(path, status, text);
    const record: NoteRecord = stamped(unstamped, stat);
    this.#notes.set(record, keys, links);
    if (document !== null) this.#search.put(record, document);
  }

  /** Takes note that a file stands at the path, whatever it holds. */
  known(path: VaultPath): void {
    this.#dirty.touch(path);
    this.#unreadable.delete(path);
    if (this.#known.has(path)) return;
    this.#revision += 1;
    this.#known.add(path);
    this.#folded.add(fold(path), path);
    this.#wings.add(path);
  }

  /** Takes note that what stands at the path is no text, or too large (in bytes), and why; it is no note, until it is put. */
  unread(path: VaultPath, reason: string, tooLarge: number | null = null): void {
    this.known(path);
    this.#revision += 1;
    this.#notes.delete(path);
    this.#search.drop(path);
    this.#unreadable.set(path, { reason, tooLarge });
  }

  /** Takes note that no file stands at the path. */
  drop(path: VaultPath): void {
    this.#dirty.touch(path);
    this.#unreadable.delete(path);
    if (!this.#known.delete(path)) return;
    this.#revision += 1;
    this.#folded.delete(fold(path), path);
    this.#wings.delete(path);
    this.#notes.delete(path);
    this.#search.drop(path);
  }

  // --- What a snapshot keeps, and gives back to an empty catalog ---

  /** Every note, in no promised order. */
  records(): NoteRecord[] {
    return [...this.#notes.records()];
  }

  /** The search index in pieces; they belong together only when `revision` is the same after the last one. */
  packIndex(): Iterable<Uint8Array> {
    return this.#search.pack();
  }

  /** Takes over the index of these notes, before any of them; false, with nothing changed, when it is not theirs or damaged. */
  restoreIndex({ records, index }: { records: readonly NoteRecord[]; index: Uint8Array }): Steps<boolean> {
    return this.#search.restore(records, index);
  }

  /** Takes over a note whose text the index knows. Until it is listed, only its path, its status and a search find it. */
  restore(record: NoteRecord): void {
    this.known(record.path);
    this.#notes.setUnlisted(record);
  }

  /** Lists a note that was taken over under all that it is looked up by; nothing when it is gone or has changed since. */
  list(path: VaultPath): void {
    this.#revision += 1;
    this.#notes.list(path);
  }

  // --- What has changed on disk and was not read yet ---

  /** Marks a file that someone changed; `refreshCatalog` reads it. */
  markDirty({ path }: VaultChange): void {
    if (isCatalogued(path)) this.#dirty.mark(path);
  }

  /** Number of files that changed since they were read. */
  get dirtyCount(): number {
    return this.#dirty.size;
  }

  /** Those files: which of them are to be read, and what came of it. */
  get dirty(): Pick<DirtyPaths, 'paths' | 'due' | 'settle' | 'rest'> {
    return this.#dirty;
  }

  /** Takes note that a file could not be read this time, and why. What was known of it stays. */
  failed(path: VaultPath, reason: string): void {
    this.#unreadable.set(path, { reason, tooLarge: null });
  }

  /** Files that could not be read, and why. */
  get unreadable(): ReadonlyMap<VaultPath, Unread> {
    return this.#unreadable;
  }

  // --- What it answers ---

  /** Grows whenever anything that the catalog answers may have changed; never shrinks. */
  get revision(): number {
    return this.#revision;
  }

  /** The note at a path, or undefined when there is none. */
  record(path: VaultPath): NoteRecord | undefined {
    return this.#notes.record(path);
  }

  /** The notes of one status, or all of them, rejected ones included; by path. */
  notes(status?: NoteStatus): NoteRecord[] {
    return this.#notes.under(status === undefined ? 'all' : `status:${status}`);
  }

  /** The file that takes the place of `path` on a file system that folds case, or null when the name is free. */
  taken(path: VaultPath): VaultPath | null {
    return this.#known.has(path) ? path : (this.#folded.get(fold(path))[0] ?? null);
  }

  /** Every known file whose path begins with `prefix`, sorted. */
  pathsBelow(prefix: string): VaultPath[] {
    return [...this.#known].filter((path) => path.startsWith(prefix)).sort(compareText);
  }

  /** The folders under `wiki/` that have a hall folder with a file in it, sorted; `emptied`, those that have none any more. */
  wings(which: 'whole' | 'emptied' = 'whole'): Wing[] {
    return which === 'whole' ? this.#wings.wings() : this.#wings.emptied();
  }

  /** The folder that is this wing, as it is spelt; the wing as given when there is none. */
  wingSpelling(wing: Wing): Wing {
    return this.#wings.spelling(wing);
  }

  /** The same, or null when no file is known in such a folder. */
  knownWing(wing: Wing): Wing | null {
    return this.#wings.known(wing);
  }

  /** The notes below `wiki/<wing>/`, at any depth, by path. */
  notesOfWing(wing: Wing): NoteRecord[] {
    return [...this.#notes.ofWing(wing)];
  }

  /** A note that has exactly these bytes and was not rejected, or null. */
  withHash(hash: Sha): VaultPath | null {
    return this.#notes.paths(`hash:${hash}`)[0] ?? null;
  }

  /** The notes that say the same, rejected ones included; by path. */
  keyOwners(contentKey: Sha): VaultPath[] {
    return [...this.#notes.paths(`content:${contentKey}`)];
  }

  /** The notes that were made from the source with this hash, rejected ones included; by path. */
  ofSource(sourceHash: Sha): NoteRecord[] {
    return this.#notes.under(`source:${sourceHash}`);
  }

  /** The notes of the wiki that have a title or alias whose first word this is, as `phrase` folds it; by path. */
  opening(word: string): VaultPath[] {
    return [...this.#notes.paths(`opens:${word}`)];
  }

  /** The notes that supersede an older version of themselves, by path. */
  superseding(): NoteRecord[] {
    return this.#notes.under('supersedes');
  }

  /** The notes with tunnels, by path, each with those of its tunnels that lead to a note. */
  tunnels(): [VaultPath, VaultPath[]][] {
    return this.#notes
      .under('tunnels')
      .map(({ path, tunnels }) => [path, tunnels.filter((to) => this.#notes.record(to) !== undefined)]);
  }

  /** The reviewed notes with a tag, by path. */
  tagged(tag: string): NoteRecord[] {
    return this.#notes.under(`tag:${tagKey(tag)}`);
  }

  /** The notes, but for rejected ones, with a link or tunnel that leads to the note at `path`; by path. */
  backlinks(path: VaultPath): VaultPath[] {
    const note = this.#notes.record(path);
    if (note === undefined || note.status === 'raw' || note.status === 'rejected') return this.linksTo(path);
    return this.#notes.linking(namesOf(note), (link, source) => this.#leadsTo(link, source, path));
  }

  /** The notes, but for rejected ones, whose links (from the root or their folder) or tunnels spell out this path; by path. */
  linksTo(path: VaultPath): VaultPath[] {
    return this.#notes.paths(`to:${linkPath(path)}`).filter((source) => source !== path);
  }

  /** Other notes, but for rejected ones, with a link or tunnel that is no more than the name of the note at `path`; by path. */
  naming(path: VaultPath): VaultPath[] {
    const names = namesMeant(stemOf(path));
    return this.#notes.linking(names, ({ target }, from) => from !== path && isNameOf(target, path));
  }

  #leadsTo({ target, relative }: Link, source: VaultPath, path: VaultPath): boolean {
    const note = this.#notes.record(source);
    if (note === undefined) return false;
    const resolution = resolveLink(target, note, this, relative);
    return resolution.status === 'resolved' && resolution.path === path;
  }

  // --- What links may lead to ---

  /** The file that a link names by its whole path, with or without `.md`; only files that notes may link to. */
  has(path: string): VaultPath | null {
    if (path.length > MAX_TARGET) return null;
    const exact = vaultPath(path);
    const found = [exact, vaultPath(`${exact}.md`)].find((each) => this.#known.has(each));
    return found !== undefined && isLinkable(found) ? found : null;
  }

  candidates(tier: LinkTier, key: string): readonly VaultPath[] {
    return [...this.#notes.paths(`${tier}:${key}`)];
  }

  fragments(path: VaultPath): ReturnType<LinkTargets['fragments']> {
    const note = this.#notes.record(path);
    return note === undefined ? null : { headings: headingPlaces(note), blocks: note.blockIds };
  }

  title(path: VaultPath): string {
    return this.#notes.record(path)?.title ?? titleOfPath(path);
  }

  // --- What is searched ---

  /** What the index knows of words: how text comes apart, what a term tells or may mean, and where phrases stand. */
  get words(): Omit<NoteSearch, 'put' | 'drop' | 'restore' | 'search' | 'similar'> {
    return this.#search;
  }

  /** The best notes for a query, best first, ties by path. */
  search(query: string, filter: SearchFilter): SearchHit[] {
    return this.#search.search(query, filter);
  }

  /** The reviewed notes most like a text, best first; never the note at `exclude`. */
  similar(title: string, text: string, options: { exclude?: VaultPath; limit: number }): TitledPath[] {
    return this.#search.similar(title, text, options);
  }
}
