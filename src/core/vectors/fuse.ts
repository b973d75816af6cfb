import type { VaultPath } from '../rules/paths';
import { compareText } from '../rules/text';

/** Cormack, Clarke, Büttcher 2009; the specification fixes it. */
export const RRF_K = 60;

/** A note of either list with what both say of it; ranks count from 1. */
export interface Fused {
  readonly path: VaultPath;
  /** The sum of 1 / (RRF_K + rank) over the lists that hold the note. */
  readonly score: number;
  readonly ranks: { readonly bm25?: number; readonly vector?: number };
}

/**
 * Reciprocal rank fusion of two lists, each best first and without repeats. A list that does not hold a note adds nothing.
 * Best first; of equal scores the one that BM25 ranks better, then by path: a total order.
 */
export function fuse(bm25: readonly VaultPath[], vector: readonly VaultPath[]): Fused[] {
  const lexical = rankOf(bm25);
  const near = rankOf(vector);
  const fused = [...new Set([...bm25, ...vector])].map((path): Fused => {
    const [byWords, byMeaning] = [lexical.get(path), near.get(path)];
    return {
      path,
      score: reciprocal(byWords) + reciprocal(byMeaning),
      ranks: {
        ...(byWords !== undefined && { bm25: byWords }),
        ...(byMeaning !== undefined && { vector: byMeaning }),
      },
    };
  });
  return fused.sort(
    (a, b) =>
      b.score - a.score ||
      (a.ranks.bm25 ?? Number.MAX_SAFE_INTEGER) - (b.ranks.bm25 ?? Number.MAX_SAFE_INTEGER) ||
      compareText(a.path, b.path),
  );
}

function rankOf(list: readonly VaultPath[]): Map<VaultPath, number> {
  return new Map(list.map((path, index) => [path, index + 1]));
}

function reciprocal(rank: number | undefined): number {
  return rank === undefined ? 0 : 1 / (RRF_K + rank);
}
