import type { NearRow } from '../embeddings/store';
import type { VaultPath } from '../vocabulary/paths';

/** The constant k of reciprocal rank fusion (Cormack, Clarke, Büttcher 2009), as the specification requires. */
export const RRF_K = 60;

/** A note of either list with its ranks, which count from 1. */
export interface Fused {
  readonly path: VaultPath;
  /** Comparable within one answer only. */
  readonly score: number;
  readonly ranks: { readonly bm25?: number; readonly vector?: number };
}

/** A note that was found by its words, and its BM25 score, which is positive. */
export interface WordHit {
  readonly path: VaultPath;
  readonly score: number;
}

/**
 * Reciprocal rank fusion of two lists, each best first and without duplicates: the score is the sum of 1 / (RRF_K + rank) over the
 * lists that have the note. Returns the notes best first. Of equal scores those of BM25 come first, in its order.
 */
export function fuse(bm25: readonly VaultPath[], vector: readonly VaultPath[]): Fused[] {
  return fused(bm25, vector, (_, byWords, byMeaning) => reciprocal(byWords) + reciprocal(byMeaning));
}

/**
 * Mixes two lists, each best first and without duplicates, by their scores: the share of the best BM25 score, plus `weight` times the
 * cosine on a scale from 0 (the last note of the vectors) to 1 (the first one). Returns the notes best first. Of equal
 * scores those of BM25 come first, in its order.
 */
export function mix(bm25: readonly WordHit[], vector: readonly NearRow[], weight: number): Fused[] {
  const best = bm25[0]?.score ?? 1;
  const [high = 1, low = 1] = [vector[0]?.cosine, vector.at(-1)?.cosine];
  const range = high > low ? high - low : 1;
  const scores = new Map(bm25.map(({ path, score }) => [path, score / best]));
  for (const { path, cosine } of vector) {
    const near = high > low ? (cosine - low) / range : 1;
    scores.set(path, (scores.get(path) ?? 0) + weight * near);
  }
  const paths = (list: readonly { readonly path: VaultPath }[]) => list.map(({ path }) => path);
  return fused(paths(bm25), paths(vector), (path) => scores.get(path) ?? 0);
}

/** Returns what `fuse` gives a note with this BM25 score that stands among others by its words alone. */
export function worthOfRank(score: number, bm25: readonly WordHit[]): number {
  return reciprocal(bm25.filter((hit) => hit.score >= score).length + 1);
}

function fused(
  bm25: readonly VaultPath[],
  vector: readonly VaultPath[],
  scoreOf: (path: VaultPath, byWords: number | undefined, byMeaning: number | undefined) => number,
): Fused[] {
  const [lexical, near] = [rankOf(bm25), rankOf(vector)];
  const all = [...new Set([...bm25, ...vector])].map((path): Fused => {
    const [byWords, byMeaning] = [lexical.get(path), near.get(path)];
    return {
      path,
      score: scoreOf(path, byWords, byMeaning),
      ranks: {
        ...(byWords !== undefined && { bm25: byWords }),
        ...(byMeaning !== undefined && { vector: byMeaning }),
      },
    };
  });
  // The sort is stable, so equal scores keep the order of BM25.
  return all.sort((a, b) => b.score - a.score);
}

function rankOf(list: readonly VaultPath[]): Map<VaultPath, number> {
  return new Map(list.map((path, index) => [path, index + 1]));
}

function reciprocal(rank: number | undefined): number {
  return rank === undefined ? 0 : 1 / (RRF_K + rank);
}
