import type { Maker, VectorStore } from './store';

/**
 * The share of the notes that need a vector before searches use the table. The notes of an emptier table would take
 * the first places of every answer. The value is an estimate.
 */
const MIN_SHARE = 0.5;
/**
 * A table that lacks at most this many notes is used whatever its share: a sync embeds them within minutes, and small vaults
 * need not wait. The value is an estimate.
 */
const MAX_MISSING = 200;

/** The notes that get vectors, as far as the coverage asks. */
interface Notes {
  /** Grows by at least one with every note that is added. */
  readonly revision: number;
  /** The notes in the words of a message. */
  readonly name: string;
  records(): { readonly length: number };
}

/**
 * The number of notes that have a vector. The rows are counted once, at the first call; later the sync keeps the
 * number current, so that no search counts a table.
 */
export class Coverage {
  readonly #all: Notes;
  #rows: number | null = null;
  #counted = { notes: 0, revision: Number.NEGATIVE_INFINITY };

  constructor(all: Notes) {
    this.#all = all;
  }

  /**
   * Counts the rows unless the number is known. It includes rows whose note is gone until the first sync.
   * @throws StoreDown
   */
  async count(vectors: Pick<VectorStore, 'count'>, maker: Maker): Promise<void> {
    if (this.#rows !== null) return;
    const rows = await vectors.count(maker);
    this.#rows ??= rows;
  }

  /** Sets the number of notes that have a row. */
  set(rows: number): void {
    this.#rows = rows;
  }

  /** Adds to the number of notes that have a row. */
  add(rows: number): void {
    if (this.#rows !== null) this.#rows += rows;
  }

  /** True when searches work without vectors because too few notes have one; false while the number is unknown. */
  get isThin(): boolean {
    if (this.#rows === null) return false;
    const most = Math.max(this.#rows / MIN_SHARE, this.#rows + MAX_MISSING);
    return this.#notes(most) > most;
  }

  /** The reason why searches work without vectors, in a sentence that is safe to show; null when they use them. */
  get reason(): string | null {
    if (!this.isThin) return null;
    const { notes } = this.#counted;
    const enough = Math.min(Math.ceil(MIN_SHARE * notes), notes - MAX_MISSING);
    return `${this.#rows ?? 0} of ${notes} ${this.#all.name} have a vector; from ${enough} on, search goes by meaning too.`;
  }

  /** Returns the number of notes that get vectors, or an upper bound of it that is at most `enough`. */
  #notes(enough: number): number {
    const { revision } = this.#all;
    // This upper bound saves counting while it is at most `enough`.
    const most = this.#counted.notes + revision - this.#counted.revision;
    if (revision === this.#counted.revision || most <= enough) return most;
    this.#counted = { notes: this.#all.records().length, revision };
    return this.#counted.notes;
  }
}
