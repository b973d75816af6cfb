import type { Maker, VectorStore } from './store';

/**
 * Below this share of the reviewed notes a table is too empty to rank them: its few notes would take the first places of
 * every answer just by being there. A judgement.
 */
const ENOUGH = 0.5;
/**
 * So many notes without a vector leave no table too empty, however few it holds: they are embedded within minutes, and who
 * has just begun, or has a small vault, is not to wait for a share of it. A judgement.
 */
const SOON = 200;

/** What is asked of the catalog. */
interface Notes {
  /** Grows by one at least with every note that is added. */
  readonly revision: number;
  notes(status: 'wiki'): { readonly length: number };
}

/**
 * How many of the reviewed notes have a vector. The rows are counted once, by the first who asks; from then on the sync keeps
 * the figure, so that no search counts a table.
 */
export class Coverage {
  readonly #catalog: Notes;
  #rows: number | null = null;
  #counted = { notes: 0, revision: Number.NEGATIVE_INFINITY };

  constructor(catalog: Notes) {
    this.#catalog = catalog;
  }

  /** Counts the rows unless that is known; of rows whose note is gone the first sync then knows better. @throws StoreDown. */
  async look(vectors: Pick<VectorStore, 'count'>, maker: Maker): Promise<void> {
    if (this.#rows !== null) return;
    const rows = await vectors.count(maker);
    this.#rows ??= rows;
  }

  /** Says how many notes have a row. */
  set(rows: number): void {
    this.#rows = rows;
  }

  /** Says that so many more notes have a row. */
  add(rows: number): void {
    if (this.#rows !== null) this.#rows += rows;
  }

  /** True when searches have to do without vectors because too few notes have one; false while that is not known. */
  get isThin(): boolean {
    if (this.#rows === null) return false;
    const most = Math.max(this.#rows / ENOUGH, this.#rows + SOON);
    return this.#notes(most) > most;
  }

  /** Why searches do without vectors, in a sentence that is safe to show; null when they need not. */
  get reason(): string | null {
    if (!this.isThin) return null;
    const { notes } = this.#counted;
    const enough = Math.min(Math.ceil(ENOUGH * notes), notes - SOON);
    return `${this.#rows ?? 0} of ${notes} notes in wiki/ have a vector; from ${enough} on, search goes by meaning too.`;
  }

  /** The reviewed notes, or a number that is none too small and not above `enough`. */
  #notes(enough: number): number {
    const { revision } = this.#catalog;
    // So many more there can be at most, which need not be counted while they make no difference.
    const most = this.#counted.notes + revision - this.#counted.revision;
    if (revision === this.#counted.revision || most <= enough) return most;
    this.#counted = { notes: this.#catalog.notes('wiki').length, revision };
    return this.#counted.notes;
  }
}
