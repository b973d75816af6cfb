import { finish, partitionPoint, type Steps } from '../base/steps';
import { compareText } from '../base/text';
import { type Wing, wingOfPath } from '../vocabulary/address';
import type { VaultPath } from '../vocabulary/paths';
import { type Entries, entrySteps, type Link, namesOfTarget, statusKeysOf } from './link-keys';
import { PathTable } from './path-table';
import type { NoteRecord } from './record';

/** A link as written, and the notes that contain it. */
interface SharedLink {
  readonly link: Link;
  readonly sources: ReadonlySet<VaultPath>;
}

/**
 * The links of notes, by the names that they may mean. A search for backlinks examines only the links that share a name
 * with the note, and no other links of their notes.
 */
class LinkSources {
  readonly #links = new Map<string, { readonly link: Link; readonly sources: Set<VaultPath> }>();
  readonly #named = new Map<string, Set<SharedLink>>();

  /** Records that the note at `source` has the link. */
  add(link: Link, source: VaultPath): void {
    const key = keyOf(link);
    const known = this.#links.get(key);
    if (known !== undefined) {
      known.sources.add(source);
      return;
    }
    const shared = { link, sources: new Set([source]) };
    this.#links.set(key, shared);
    for (const name of namesOfTarget(link.target)) {
      const others = this.#named.get(name);
      if (others === undefined) this.#named.set(name, new Set([shared]));
      else others.add(shared);
    }
  }

  /** Removes the link of the note at `source`, if it is there. */
  delete(link: Link, source: VaultPath): void {
    const shared = this.#links.get(keyOf(link));
    if (shared === undefined || !shared.sources.delete(source) || shared.sources.size > 0) return;
    this.#links.delete(keyOf(link));
    for (const name of namesOfTarget(link.target)) {
      const others = this.#named.get(name);
      if (others?.delete(shared) === true && others.size === 0) this.#named.delete(name);
    }
  }

  /**
   * Returns the notes with a link that may mean one of the names and passes. It tests no more links of a note after one has
   * passed.
   */
  linking(names: Iterable<string>, passes: (link: Link, source: VaultPath) => boolean): Set<VaultPath> {
    const links = new Set<SharedLink>();
    for (const name of names) for (const shared of this.#named.get(name) ?? []) links.add(shared);
    const found = new Set<VaultPath>();
    for (const { link, sources } of links) {
      for (const source of sources) if (!found.has(source) && passes(link, source)) found.add(source);
    }
    return found;
  }
}

function keyOf({ target, relative }: Link): string {
  return `${relative ? 'from here' : 'from the root'}:${target}`;
}

/** The entries of a note with many links or tags. */
type LargeEntries = Entries & { readonly named: NonNullable<Entries['named']> };

/** The notes below each folder of `wiki/`, sorted by path. */
class WingNotes {
  readonly #wings = new Map<Wing, NoteRecord[]>();

  /** Returns the notes of a wing, sorted by path: a view that is valid until the next change. */
  of(wing: Wing): readonly NoteRecord[] {
    return this.#wings.get(wing) ?? [];
  }

  /** Adds a note, or replaces the one with the same path; ignores a note outside `wiki/<wing>/`. */
  put(note: NoteRecord): void {
    const wing = wingOfPath(note.path);
    if (wing === null) return;
    const notes = this.#wings.get(wing);
    if (notes === undefined) {
      this.#wings.set(wing, [note]);
      return;
    }
    const at = partitionPoint(notes, ({ path }) => path < note.path);
    notes.splice(at, notes[at]?.path === note.path ? 1 : 0, note);
  }

  /** Removes the note with this path, if there is one. */
  delete(path: string): void {
    const wing = wingOfPath(path);
    const notes = wing === null ? undefined : this.#wings.get(wing);
    if (wing === null || notes === undefined) return;
    const at = partitionPoint(notes, (note) => note.path < path);
    if (notes[at]?.path === path) notes.splice(at, 1);
    if (notes.length === 0) this.#wings.delete(wing);
  }
}

/** The look-ups among notes. */
export type NoteLookups = Pick<
  NoteTables,
  'record' | 'records' | 'paths' | 'under' | 'mentioning' | 'linking' | 'ofWing'
>;

/**
 * The records of the notes, with all look-up tables: keys, links, and the folders of the wings. A note with many links or
 * tags keeps its entries to itself, and a look-up asks each such note: so adding and removing it takes no time that grows
 * with it.
 */
export class NoteTables {
  readonly #records = new Map<VaultPath, NoteRecord>();
  readonly #keys = new PathTable<VaultPath>();
  readonly #links = new LinkSources();
  readonly #ofWings = new WingNotes();
  /** The entries of notes with many links or tags. Only their own keys are in the tables of all notes. */
  readonly #large = new Map<VaultPath, LargeEntries>();
  /** Notes that are found only by path and status so far. */
  readonly #unlisted = new Set<VaultPath>();

  /** Returns the note at a path, or undefined if there is none. */
  record(path: VaultPath): NoteRecord | undefined {
    return this.#records.get(path);
  }

  /** Returns every note, in no defined order. */
  records(): Iterable<NoteRecord> {
    return this.#records.values();
  }

  /** Adds or replaces a note. `entries` is what `entrySteps` returns for it. */
  set(record: NoteRecord, entries: Entries): void {
    this.delete(record.path);
    this.#records.set(record.path, record);
    this.#list(record, entries);
  }

  /** Adds a note that is found only by its path and its status until it is listed. */
  setUnlisted(record: NoteRecord): void {
    this.delete(record.path);
    this.#records.set(record.path, record);
    this.#unlisted.add(record.path);
    for (const key of statusKeysOf(record)) this.#keys.add(key, record.path);
  }

  /** Adds an unlisted note to all tables, unless it has been listed, replaced or deleted meanwhile. */
  *listSteps(path: VaultPath): Steps<void> {
    const record = this.#records.get(path);
    if (record === undefined || !this.#unlisted.has(path)) return;
    const entries = yield* entrySteps(record);
    if (this.#records.get(path) === record && this.#unlisted.delete(path)) this.#list(record, entries);
  }

  /** Removes the note at a path, if there is one. */
  delete(path: VaultPath): void {
    const record = this.#records.get(path);
    if (record === undefined) return;
    this.#records.delete(path);
    this.#ofWings.delete(path);
    if (this.#unlisted.delete(path)) {
      for (const key of statusKeysOf(record)) this.#keys.delete(key, path);
      return;
    }
    const large = this.#large.get(path);
    const { keys, mentions, links } = large ?? finish(entrySteps(record));
    for (const key of keys) this.#keys.delete(key, path);
    if (this.#large.delete(path)) return;
    for (const key of mentions) this.#keys.delete(key, path);
    for (const link of links) this.#links.delete(link, path);
  }

  /** Returns the paths of the notes with a key of their own, sorted: a view that is valid until the next change. */
  paths(key: string): readonly VaultPath[] {
    return this.#keys.get(key);
  }

  /** Returns the notes with a key of their own, sorted by path. */
  under(key: string): NoteRecord[] {
    return this.#recordsAt(this.#keys.get(key));
  }

  /** Returns the notes whose text mentions a key, sorted by path. */
  mentioning(key: string): NoteRecord[] {
    const large = [...this.#large].filter(([, { mentions }]) => mentions.has(key)).map(([path]) => path);
    const paths = this.#keys.get(key);
    return this.#recordsAt(large.length === 0 ? paths : [...paths, ...large].sort(compareText));
  }

  /**
   * Returns the notes with a link that may mean one of the names and passes, sorted by path. It tests no more links of a note
   * after one has passed.
   */
  linking(names: ReadonlySet<string>, passes: (link: Link, source: VaultPath) => boolean): VaultPath[] {
    const found = this.#links.linking(names, passes);
    for (const [source, { named }] of this.#large) {
      for (const name of names)
        if (!found.has(source) && named.get(name)?.some((link) => passes(link, source))) found.add(source);
    }
    return [...found].sort(compareText);
  }

  /** Returns the notes of a wing's folder, sorted by path: a view that is valid until the next change. */
  ofWing(wing: Wing): readonly NoteRecord[] {
    return this.#ofWings.of(wing);
  }

  /** Returns the look-ups as they are without the notes whose paths do not pass. */
  seenBy(sees: (path: VaultPath) => boolean): NoteLookups {
    const isSeen = ({ path }: NoteRecord): boolean => sees(path);
    return {
      record: (path) => (sees(path) ? this.record(path) : undefined),
      records: () => [...this.records()].filter(isSeen),
      paths: (key) => this.paths(key).filter(sees),
      under: (key) => this.under(key).filter(isSeen),
      mentioning: (key) => this.mentioning(key).filter(isSeen),
      linking: (names, passes) => this.linking(names, (link, from) => sees(from) && passes(link, from)),
      ofWing: (wing) => this.ofWing(wing).filter(isSeen),
    };
  }

  #recordsAt(paths: readonly VaultPath[]): NoteRecord[] {
    return paths.flatMap((path) => this.#records.get(path) ?? []);
  }

  #list(record: NoteRecord, entries: Entries): void {
    const { path } = record;
    const { keys, mentions, links, named } = entries;
    this.#ofWings.put(record);
    for (const key of keys) this.#keys.add(key, path);
    if (named !== null) {
      this.#large.set(path, { ...entries, named });
      return;
    }
    for (const key of mentions) this.#keys.add(key, path);
    for (const link of links) this.#links.add(link, path);
  }
}
