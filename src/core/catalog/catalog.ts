import type { FileStat, VaultChange } from '../ports';
import { type Wing } from '../rules/address';
import { type Sha, sha256 } from '../rules/hash';
import { type LinkTargets, type LinkTier, resolveLink } from '../rules/links';
import { fold, stemOf, type VaultPath, vaultPath } from '../rules/paths';
import { compareText } from '../rules/text';
import type { Analyser } from '../search/analyse';
import { LinkSources } from './link-sources';
import { exactTarget, keysOf, type Link, linksOf, MAX_TARGET, namesOf } from './link-tables';
import { NoteReader } from './note-reader';
import { type NoteRecord, noteStatus, type NoteStatus } from './note-record';
import { NoteSearch, type SearchFilter, type SearchHit, type TitledPath } from './note-search';
import { PathTable } from './path-table';
import { wingKey, WingFolders } from './wing-folders';
import { WingNotes } from './wing-notes';
import { isCatalogued, isLinkable } from './zones';

/**
 * Everything known about the vault without reading the disk: paths, notes, links, and the search index.
 * Derived from the files, which win. After any sequence of changes it is the same as one built anew from the
 * same files.
 */
export class Catalog implements LinkTargets {
  readonly #records = new Map<VaultPath, NoteRecord>();
  readonly #keys = new PathTable<VaultPath>();
  readonly #links = new LinkSources();
  readonly #known = new Set<VaultPath>();
  readonly #folded = new PathTable<VaultPath>();
  readonly #wings = new WingFolders();
  readonly #notesOfWings = new WingNotes();
  readonly #search = new NoteSearch();
  readonly #reader = new NoteReader(this.#search);
  readonly #unreadable = new Map<VaultPath, string>();
  /** Paths that changed since they were read, each with a stamp that tells one change from the next. */
  readonly #dirty = new Map<VaultPath, number>();
  #stamps = 0;
  #revision = 0;

  // --- What changes it ---

  /**
   * Work that may be done ahead for a text that is about to be put, in pieces, so that little is left to do then. Changes no
   * answer.
   */
  expect(path: VaultPath, text: string): (() => void)[] {
    return this.#reader.ahead(path, text);
  }

  /** Takes note of a file with this text. A file that is no note is known by its path alone. */
  put(path: VaultPath, text: string, stat: FileStat): void {
    const status = noteStatus(path);
    const old = this.#records.get(path);
    this.known(path);
    if (status === null || (old && old.mtime === stat.mtime && old.content_hash === sha256(text))) return;
    this.#revision += 1;
    const { record: unstamped, keys, links, document } = this.#reader.read(path, status, text);
    const record: NoteRecord = { ...unstamped, mtime: stat.mtime, size: stat.size };
    this.#forget(path);
    this.#records.set(path, record);
    this.#notesOfWings.put(record);
    for (const key of keys) this.#keys.add(key, path);
    for (const link of links) this.#links.add(link, path);
    if (document !== null) this.#search.put(record, document);
  }

  /** Takes note that a file stands at the path, whatever it holds. */
  known(path: VaultPath): void {
    this.#touch(path);
    this.#unreadable.delete(path);
    if (this.#known.has(path)) return;
    this.#revision += 1;
    this.#known.add(path);
    this.#folded.add(fold(path), path);
    this.#wings.add(path);
  }

  /** Takes note that what stands at the path is no text, and why; it is no note, until it is put. */
  unread(path: VaultPath, reason: string): void {
    this.known(path);
    this.#revision += 1;
    this.#forget(path);
    this.#search.drop(path);
    this.#unreadable.set(path, reason);
  }

  /** Takes note that no file stands at the path. */
  drop(path: VaultPath): void {
    this.#touch(path);
    this.#unreadable.delete(path);
    if (!this.#known.delete(path)) return;
    this.#revision += 1;
    this.#folded.delete(fold(path), path);
    this.#wings.delete(path);
    this.#forget(path);
    this.#search.drop(path);
  }

  /** Takes away the record and its keys; the index is left to the caller, who may have new text for it. */
  #forget(path: VaultPath): void {
    const record = this.#records.get(path);
    if (record === undefined) return;
    this.#notesOfWings.delete(path);
    for (const key of keysOf(record)) this.#keys.delete(key, path);
    for (const link of linksOf(record)) this.#links.delete(link, path);
    this.#records.delete(path);
  }

  // --- What has changed on disk and was not read yet ---

  /** Marks a file that someone changed; `refreshCatalog` reads it. */
  markDirty({ path }: VaultChange): void {
    if (isCatalogued(path)) this.#dirty.set(path, (this.#stamps += 1));
  }

  /** Number of files that changed since they were read. */
  get dirtyCount(): number {
    return this.#dirty.size;
  }

  /** Those files, each with the stamp of its last change. */
  dirty(): [VaultPath, number][] {
    return [...this.#dirty];
  }

  /**
   * Says that a file has been read; false, when it changed again since the stamp, and then it stays marked.
   */
  settle(path: VaultPath, stamp: number): boolean {
    return this.#dirty.get(path) === stamp && this.#dirty.delete(path);
  }

  /** What is being read now is older than what the catalog has just been told. */
  #touch(path: VaultPath): void {
    if (this.#dirty.has(path)) this.#dirty.set(path, (this.#stamps += 1));
  }

  /** Takes note that a file could not be read this time, and why. What was known of it stays. */
  failed(path: VaultPath, reason: string): void {
    this.#unreadable.set(path, reason);
  }

  /** Files that could not be read, and why. */
  get unreadable(): ReadonlyMap<VaultPath, string> {
    return this.#unreadable;
  }

  // --- What it answers ---

  /** Grows whenever anything that the catalog answers may have changed; never shrinks. */
  get revision(): number {
    return this.#revision;
  }

  /** The note at a path, or undefined when there is none. */
  record(path: VaultPath): NoteRecord | undefined {
    return this.#records.get(path);
  }

  /** The notes of one status, or all of them, rejected ones included; by path. */
  notes(status?: NoteStatus): NoteRecord[] {
    return this.#under(status === undefined ? 'all' : `status:${status}`);
  }

  /**
   * The file that takes the place of `path` on a file system that folds case, or null when the name is free.
   */
  taken(path: VaultPath): VaultPath | null {
    return this.#known.has(path) ? path : (this.#folded.get(fold(path))[0] ?? null);
  }

  /** Every known file whose path begins with `prefix`, sorted. */
  pathsBelow(prefix: string): VaultPath[] {
    return [...this.#known].filter((path) => path.startsWith(prefix)).sort(compareText);
  }

  /** The folders under `wiki/` that have a hall folder with a file in it, sorted. */
  wings(): Wing[] {
    return this.#wings.wings();
  }

  /** The folder that is this wing, as it is spelt; the wing as given when there is none. */
  wingSpelling(wing: Wing): Wing {
    return this.#wings.spelling(wing);
  }

  /** The notes below `wiki/<wing>/`, at any depth, by path. */
  notesOfWing(wing: Wing): NoteRecord[] {
    return [...this.#notesOfWings.of(wing)];
  }

  /** A note that has exactly these bytes and was not rejected, or null. */
  withHash(hash: Sha): VaultPath | null {
    return this.#keys.get(`hash:${hash}`)[0] ?? null;
  }

  /** The notes that say the same, rejected ones included; by path. */
  keyOwners(contentKey: Sha): VaultPath[] {
    return [...this.#keys.get(`content:${contentKey}`)];
  }

  /** The notes of the wiki that have a title or alias whose first word this is, as `phrase` folds it; by path. */
  opening(word: string): VaultPath[] {
    return [...this.#keys.get(`opens:${word}`)];
  }

  /** The notes that supersede an older version of themselves, by path. */
  superseding(): NoteRecord[] {
    return this.#under('supersedes');
  }

  /** The notes with tunnels, by path, each with those of its tunnels that lead to a note. */
  tunnels(): [VaultPath, VaultPath[]][] {
    return this.#under('tunnels').map(({ path, tunnels }) => [
      path,
      tunnels.filter((to) => this.#records.has(to)),
    ]);
  }

  /** The notes, but for rejected ones, with a link or tunnel that leads to the note at `path`; by path. */
  backlinks(path: VaultPath): VaultPath[] {
    const note = this.#records.get(path);
    if (note === undefined || note.status === 'raw' || note.status === 'rejected') return this.linksTo(path);
    const found = new Set<VaultPath>();
    for (const { link, sources } of this.#links.named(namesOf(note))) {
      for (const source of sources) {
        if (!found.has(source) && this.#leadsTo(link, source, path)) found.add(source);
      }
    }
    return [...found].sort(compareText);
  }

  /** The notes, but for rejected ones, with a link or tunnel that spells out this very path; by path. */
  linksTo(path: VaultPath): VaultPath[] {
    return this.#keys.get(`to:${exactTarget(path)}`).filter((source) => source !== path);
  }

  #leadsTo({ target, relative }: Link, source: VaultPath, path: VaultPath): boolean {
    const note = this.#records.get(source);
    if (note === undefined) return false;
    const resolution = resolveLink(target, note, this, relative);
    return resolution.status === 'resolved' && resolution.path === path;
  }

  #under(key: string): NoteRecord[] {
    const notes: NoteRecord[] = [];
    for (const path of this.#keys.get(key)) {
      const note = this.#records.get(path);
      if (note !== undefined) notes.push(note);
    }
    return notes;
  }

  // --- What links may lead to ---

  /**
   * The file that a link names by its whole path, with or without `.md`; only files that notes may link to.
   */
  has(path: string): VaultPath | null {
    if (path.length > MAX_TARGET) return null;
    const exact = vaultPath(path);
    const found = [exact, vaultPath(`${exact}.md`)].find((each) => this.#known.has(each));
    return found !== undefined && isLinkable(found) ? found : null;
  }

  candidates(tier: LinkTier, key: string): readonly VaultPath[] {
    return [...this.#keys.get(`${tier}:${key}`)];
  }

  fragments(path: VaultPath): { headings: readonly string[]; blocks: readonly string[] } {
    const note = this.#records.get(path);
    return { headings: note?.headings ?? [], blocks: note?.blockIds ?? [] };
  }

  title(path: VaultPath): string {
    return this.#records.get(path)?.title ?? stemOf(path);
  }

  // --- What is searched ---

  /** How the index takes text apart; whoever looks for what it found uses the same. */
  get analyser(): Analyser {
    return this.#search.analyser;
  }

  /** The best notes for a query, best first, ties by path. */
  search(query: string, { wing, ...filter }: SearchFilter): SearchHit[] {
    const inWing = wing === undefined ? null : new Set(this.#keys.get(`wing:${wingKey(wing) ?? wing}`));
    return this.#search.search(query, filter, (note) => inWing === null || inWing.has(note.path));
  }

  /** The reviewed notes most like a text, best first; never the note at `exclude`. */
  similar(title: string, text: string, options: { exclude?: VaultPath; limit: number }): TitledPath[] {
    return this.#search.similar(title, text, options);
  }
}
