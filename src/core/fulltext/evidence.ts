import { docOf, type PostingRange } from './postings';

/** A term of at most this many documents is rare in an index of any size. */
const ALWAYS_RARE = 3;
/** One letter of a script with spaces, or a number of one or two digits: two texts share it by chance. */
const TOO_SHORT = /^(?:[\p{N}\p{P}\p{S}]{1,2}|[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}])$/u;

/**
 * Returns the most documents that a rare term may occur in: the square root of their number, and at least three.
 *
 * Terms in N/100 to N/10 of N documents tell documents apart best (Salton, Yang and Yu, A theory of term importance in automatic
 * text analysis, 1975). The square root is N/10 for 100 documents and N/100 for 10,000, and stays between the two for the sizes
 * of vaults between them; a fixed share would be one document in a small vault, and hundreds in a large one.
 */
export function mostHoldersOfRare(documents: number): number {
  return Math.max(ALWAYS_RARE, Math.floor(Math.sqrt(documents)));
}

/** The parts of an index that rarity is read from. */
interface Counted {
  readonly postings: (term: number) => PostingRange;
  /** Returns true for a document that counts: a reviewed one, or one of the queue. */
  readonly isCounted: (doc: number) => boolean;
  /** The number of documents that count. */
  readonly count: number;
  /** An upper bound (exclusive) of the documents. */
  readonly limit: number;
}

/** A rare term, and the counted documents that hold it. */
interface RareTerm {
  readonly term: string;
  readonly holders: readonly number[];
}

/** The rare terms of a text, each with the counted documents that hold it. Valid until the index changes. */
export class Evidence {
  readonly #rare: readonly RareTerm[];
  /** By document, 1 if it holds a rare term. */
  readonly #holds: Uint8Array;

  /**
   * @param terms the distinct words of the text by stem, with the numbers of their forms, without stop words
   * @param own the document of the text itself, which does not count
   */
  constructor(
    terms: readonly { readonly term: string; readonly forms: readonly number[] }[],
    own: number | undefined,
    counted: Counted,
  ) {
    const most = mostHoldersOfRare(counted.count - (own !== undefined && counted.isCounted(own) ? 1 : 0));
    this.#rare = terms
      .filter(({ term }) => !TOO_SHORT.test(term))
      .map(({ term, forms }) => ({ term, holders: countedHolders(forms, own, most, counted) }))
      .filter(({ holders }) => holders.length > 0)
      .sort((a, b) => a.holders.length - b.holders.length);
    this.#holds = new Uint8Array(this.#rare.length === 0 ? 0 : counted.limit);
    for (const { holders } of this.#rare) for (const doc of holders) this.#holds[doc] = 1;
  }

  /** True if no other counted document holds a rare term. */
  get isEmpty(): boolean {
    return this.#rare.length === 0;
  }

  /** Returns true if the document holds at least one of the rare terms. */
  readonly holds = (doc: number): boolean => this.#holds[doc] === 1;

  /** Returns the rare terms that the document holds, rarest first, equally rare ones in the order given. */
  termsIn(doc: number): string[] {
    return this.#rare.filter(({ holders }) => holders.includes(doc)).map(({ term }) => term);
  }
}

/** Returns the counted documents with any of the terms, apart from `own`; empty if there are more than `most`. */
function countedHolders(
  terms: readonly number[],
  own: number | undefined,
  most: number,
  { postings, isCounted }: Counted,
): number[] {
  const holders = new Set<number>();
  for (const term of terms) {
    const { cells, from, to } = postings(term);
    for (let at = from; at < to; at += 1) {
      const doc = docOf(cells[at] ?? 0);
      if (doc === own || !isCounted(doc)) continue;
      holders.add(doc);
      if (holders.size > most) return [];
    }
  }
  return [...holders];
}
