import { compareText } from '../base/text';
import { type Wing, wingOfPath } from '../vocabulary/address';
import type { VaultPath } from '../vocabulary/paths';
import { firstKeysOf, keysOf, type Link, linksOf, MAX_TARGET, namesMeant } from './link-keys';
import { PathTable } from './path-table';
import type { NoteRecord } from './record';

/** A link as it is written, whoever writes it, and the notes that do. */
interface SharedLink {
  readonly link: Link;
  readonly sources: ReadonlySet<VaultPath>;
}

/**
 * Which notes write which links, found by the names that a link may mean: whoever asks what leads to a note looks at the links
 * that have a name in common with it, and at no other link of the notes that write them.
 */
class LinkSources {
  readonly #links = new Map<string, { readonly link: Link; readonly sources: Set<VaultPath> }>();
  readonly #named = new Map<string, Set<SharedLink>>();

  /** Takes note that the note at `source` writes the link. One that is too long to name a note is left out. */
  add(link: Link, source: VaultPath): void {
    if (link.target.length > MAX_TARGET) return;
    const key = keyOf(link);
    const known = this.#links.get(key);
    if (known !== undefined) {
      known.sources.add(source);
      return;
    }
    const shared = { link, sources: new Set([source]) };
    this.#links.set(key, shared);
    for (const name of namesMeant(link.target)) {
      const others = this.#named.get(name);
      if (others === undefined) this.#named.set(name, new Set([shared]));
      else others.add(shared);
    }
  }

  /** Takes note that the note at `source` writes the link no more; nothing when it did not. */
  delete(link: Link, source: VaultPath): void {
    const shared = this.#links.get(keyOf(link));
    if (shared === undefined || !shared.sources.delete(source) || shared.sources.size > 0) return;
    this.#links.delete(keyOf(link));
    for (const name of namesMeant(link.target)) {
      const others = this.#named.get(name);
      if (others?.delete(shared) === true && others.size === 0) this.#named.delete(name);
    }
  }

  /**
   * The notes that write a link which may mean one of the names and passes; by path. Of a note none is looked at after the
   * first that does.
   */
  linking(names: Iterable<string>, passes: (link: Link, source: VaultPath) => boolean): VaultPath[] {
    const links = new Set<SharedLink>();
    for (const name of names) for (const shared of this.#named.get(name) ?? []) links.add(shared);
    const found = new Set<VaultPath>();
    for (const { link, sources } of links) {
      for (const source of sources) if (!found.has(source) && passes(link, source)) found.add(source);
    }
    return [...found].sort(compareText);
  }
}

function keyOf({ target, relative }: Link): string {
  return `${relative ? 'from here' : 'from the root'}:${target}`;
}

/** The notes below each folder of `wiki/`, by path. */
class WingNotes {
  readonly #wings = new Map<Wing, NoteRecord[]>();

  /** The notes of a wing, sorted by path; a view that is valid until the next change. */
  of(wing: Wing): readonly NoteRecord[] {
    return this.#wings.get(wing) ?? [];
  }

  /** Adds a note, or replaces the one with the same path; nothing for a note outside `wiki/<wing>/`. */
  put(note: NoteRecord): void {
    const wing = wingOfPath(note.path);
    if (wing === null) return;
    const notes = this.#wings.get(wing);
    if (notes === undefined) {
      this.#wings.set(wing, [note]);
      return;
    }
    const at = positionOf(note.path, notes);
    notes.splice(at, notes[at]?.path === note.path ? 1 : 0, note);
  }

  /** Removes the note with this path; nothing when there is none. */
  delete(path: string): void {
    const wing = wingOfPath(path);
    const notes = wing === null ? undefined : this.#wings.get(wing);
    if (wing === null || notes === undefined) return;
    const at = positionOf(path, notes);
    if (notes[at]?.path === path) notes.splice(at, 1);
    if (notes.length === 0) this.#wings.delete(wing);
  }
}

/** How many of the sorted notes stand before `path`. */
function positionOf(path: string, notes: readonly NoteRecord[]): number {
  let low = 0;
  let high = notes.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const other = notes[middle];
    if (other !== undefined && other.path < path) low = middle + 1;
    else high = middle;
  }
  return low;
}

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
