import type { Catalog } from '../catalog/catalog';
import { listOutside } from '../catalog/load';
import type { NoteRecord, NoteStatus } from '../catalog/record';
import type { Config } from '../config/config';
import type { FileEntry, VaultStore } from '../ports/ports';
import { type VaultPath, zoneOf } from '../vocabulary/paths';

const STATUSES = {
  wiki: ['wiki'],
  all: ['wiki', 'knowledge', 'vault'],
} as const satisfies Readonly<Record<Config['embedRoots'], readonly NoteStatus[]>>;

/** The status of a note that has a vector or gets one. */
export type EmbeddedStatus = (typeof STATUSES)[Config['embedRoots']][number];

/** Returns true for the status of notes that get vectors. */
export function isEmbeddedStatus(
  roots: Config['embedRoots'],
  status: NoteStatus | null,
): status is EmbeddedStatus {
  return STATUSES[roots].some((embedded) => embedded === status);
}

/** Returns the notes of a catalog that get vectors. */
export function embeddedRecords(catalog: Pick<Catalog, 'notes'>, roots: Config['embedRoots']): NoteRecord[] {
  return STATUSES[roots].flatMap((status) => catalog.notes(status));
}

/**
 * The notes that get vectors: those of `wiki/` alone, or with the setting `all` those of `knowledge/` and the owner's notes as
 * well, as far as they are read.
 */
export class EmbeddedNotes {
  constructor(
    private readonly catalog: Pick<Catalog, 'notes' | 'statusOf' | 'scope' | 'revision'>,
    private readonly roots: Config['embedRoots'],
  ) {}

  /** The notes in the words of a message: "notes in wiki/", or "notes". */
  get name(): string {
    return this.roots === 'wiki' ? 'notes in wiki/' : 'notes';
  }

  /** Grows by at least one with every note that is added. */
  get revision(): number {
    return this.catalog.revision;
  }

  /** Returns true for the path of a note that gets a vector. */
  has(path: VaultPath): boolean {
    return isEmbeddedStatus(this.roots, this.catalog.statusOf(path));
  }

  /**
   * Returns true for a path outside the folders of the service while a file of the app's settings cannot be read: nobody knows
   * then whether the owner leaves the note out, so its vector is neither made nor removed.
   */
  isUndecided(path: VaultPath): boolean {
    const { roots, catalog } = this;
    return roots === 'all' && catalog.scope.unread.length > 0 && zoneOf(path) === 'other' && !this.has(path);
  }

  /** Returns the notes that the catalog knows. */
  records(): NoteRecord[] {
    return embeddedRecords(this.catalog, this.roots);
  }

  /** Lists every file of the folders that hold such notes, other files included. Rejects when a folder cannot be listed. */
  async *list(vault: Pick<VaultStore, 'list'>): AsyncIterable<FileEntry> {
    const { roots, catalog } = this;
    yield* vault.list('wiki');
    if (roots === 'wiki') return;
    yield* vault.list('knowledge');
    if (catalog.scope.scope === 'vault') yield* listOutside(vault, catalog.scope);
  }
}
