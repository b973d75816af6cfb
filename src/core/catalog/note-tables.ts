import type { Wing } from '../rules/address';
import type { VaultPath } from '../rules/paths';
import { LinkSources } from './link-sources';
import { firstKeysOf, keysOf, type Link, linksOf } from './link-tables';
import type { NoteRecord } from './note-record';
import { PathTable } from './path-table';
import { WingNotes } from './wing-notes';

/** The records of the notes, and all under which they are found again: keys, links, and the folders of the wings. */
export class NoteTables {
  readonly #records = new Map<VaultPath, NoteRecord>();
  readonly #keys = new PathTable<VaultPath>();
  readonly #links = new LinkSources();
  readonly #ofWings = new WingNotes();
  /** Notes that can be looked up by their path and by nothing else yet. */
  readonly #unlisted = new Set<VaultPath>();

  /** The note at a path, or undefined when there is none. */
  record(path: VaultPath): NoteRecord | undefined {
    return this.#records.get(path);
  }

  /** Every note, in no promised order. */
  records(): Iterable<NoteRecord> {
    return this.#records.values();
  }

  /** Adds or replaces a note. `keys` and `links` are what `keysOf` and `linksOf` say of it. */
  set(record: NoteRecord, keys: ReadonlySet<string>, links: readonly Link[]): void {
    this.delete(record.path);
    this.#records.set(record.path, record);
    this.#list(record, keys, links);
  }

  /** Adds a note that is found by its path and its status only, until it is listed. */
  setUnlisted(record: NoteRecord): void {
    this.delete(record.path);
    this.#records.set(record.path, record);
    this.#unlisted.add(record.path);
    for (const key of firstKeysOf(record)) this.#keys.add(key, record.path);
  }

  /** Takes an unlisted note into all tables; nothing when it has been listed, replaced or deleted meanwhile. */
  list(path: VaultPath): void {
    const record = this.#records.get(path);
    if (record === undefined || !this.#unlisted.delete(path)) return;
    this.#list(record, keysOf(record), linksOf(record));
  }

  /** Removes the note at a path; nothing when there is none. */
  delete(path: VaultPath): void {
    const record = this.#records.get(path);
    if (record === undefined) return;
    this.#records.delete(path);
    const isListed = !this.#unlisted.delete(path);
    for (const key of isListed ? keysOf(record) : firstKeysOf(record)) this.#keys.delete(key, path);
    this.#ofWings.delete(path);
    if (!isListed || record.status === 'rejected') return;
    for (const link of linksOf(record)) this.#links.delete(link, path);
  }

  /** The paths of the notes with this key, sorted; a view that is valid until the next change. */
  paths(key: string): readonly VaultPath[] {
    return this.#keys.get(key);
  }

  /** The notes with this key, by path. */
  under(key: string): NoteRecord[] {
    const notes: NoteRecord[] = [];
    for (const path of this.#keys.get(key)) {
      const note = this.#records.get(path);
      if (note !== undefined) notes.push(note);
    }
    return notes;
  }

  /** The notes with a link that may mean one of the names and passes, by path. */
  linking(names: Iterable<string>, passes: (link: Link, source: VaultPath) => boolean): VaultPath[] {
    return this.#links.linking(names, passes);
  }

  /** The notes of a wing's folder, by path; a view that is valid until the next change. */
  ofWing(wing: Wing): readonly NoteRecord[] {
    return this.#ofWings.of(wing);
  }

  #list(record: NoteRecord, keys: ReadonlySet<string>, links: readonly Link[]): void {
    this.#ofWings.put(record);
    for (const key of keys) this.#keys.add(key, record.path);
    // Of a rejected note no link is looked at.
    if (record.status === 'rejected') return;
    for (const link of links) this.#links.add(link, record.path);
  }
}
