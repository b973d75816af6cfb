import type { Documents } from './documents';
import { docOf, type PostingRange, type Postings } from './postings';

/** The most terms whose holders are remembered. */
const MAX_COUNTED = 4096;

type Changing = Pick<
  Documents<{ readonly path: string }>,
  'all' | 'changedSince' | 'changes' | 'isReviewed' | 'item' | 'length' | 'limit' | 'size'
>;

/**
 * The documents of an index that one reader may see, and what scores go by if there are no others. It takes a bit for each
 * document of the index, and follows its changes when it is asked.
 */
export class SeenDocuments {
  #bits = new Uint32Array(0);
  #documents = 0;
  #reviewed = 0;
  #totalLength = 0;
  /** The number of changes of the index that it has followed. */
  #followed = Number.NEGATIVE_INFINITY;
  /** By term, the number of seen documents that hold it. */
  readonly #holders = new Map<number, number>();

  /** @param sees returns true for the path of a document that the reader may see */
  constructor(
    private readonly index: { readonly documents: Changing; readonly postings: Postings },
    private readonly sees: (path: string) => boolean,
  ) {}

  /** The number of seen documents. */
  get documents(): number {
    this.#follow();
    return this.#documents;
  }

  /** The number of seen documents that are not raw. */
  get reviewed(): number {
    this.#follow();
    return this.#reviewed;
  }

  /** The sum of the lengths of seen documents. */
  get totalLength(): number {
    this.#follow();
    return this.#totalLength;
  }

  has(doc: number): boolean {
    this.#follow();
    return this.#bit(doc) === 1;
  }

  /** Returns the number of seen documents that hold the term. */
  holders(term: number): number {
    this.#follow();
    if (this.#seesAll) return this.index.postings.count(term);
    const known = this.#holders.get(term);
    if (known !== undefined) return known;
    const { cells, from, to } = this.index.postings.range(term);
    let count = 0;
    for (let at = from; at < to; at += 1) count += this.#bit(docOf(cells[at] ?? 0));
    if (this.#holders.size >= MAX_COUNTED) this.#holders.clear();
    this.#holders.set(term, count);
    return count;
  }

  /** Returns the postings of a term in seen documents, valid until the next change. */
  range(term: number): PostingRange {
    this.#follow();
    const range = this.index.postings.range(term);
    if (this.#seesAll) return range;
    const seen = new Uint32Array(range.to - range.from);
    let count = 0;
    for (let at = range.from; at < range.to; at += 1) {
      const posting = range.cells[at] ?? 0;
      seen[count] = posting;
      count += this.#bit(docOf(posting));
    }
    return { cells: seen, from: 0, to: count };
  }

  get #seesAll(): boolean {
    return this.#documents === this.index.documents.size;
  }

  #bit(doc: number): number {
    return ((this.#bits[doc >>> 5] ?? 0) >>> (doc & 31)) & 1;
  }

  #follow(): void {
    const { documents } = this.index;
    const { changes, limit } = documents;
    if (changes === this.#followed) return;
    const changed = this.#bits.length * 32 < limit ? null : documents.changedSince(this.#followed);
    if (changed === null) this.#bits = new Uint32Array((limit >>> 4) + 1);
    for (const doc of changed ?? documents.all()) this.#look(doc);
    [this.#documents, this.#reviewed, this.#totalLength] = [0, 0, 0];
    for (let doc = 0; doc < limit; doc += 1) {
      if (this.#bit(doc) === 0) continue;
      this.#documents += 1;
      this.#totalLength += documents.length(doc);
      if (documents.isReviewed(doc)) this.#reviewed += 1;
    }
    this.#holders.clear();
    this.#followed = changes;
  }

  #look(doc: number): void {
    const item = this.index.documents.item(doc);
    const bit = 1 << (doc & 31);
    const bits = this.#bits[doc >>> 5] ?? 0;
    this.#bits[doc >>> 5] = item !== undefined && this.sees(item.path) ? bits | bit : bits & ~bit;
  }
}
