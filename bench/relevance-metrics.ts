import { randomFrom } from './support';

/** Gains of the documents that someone judged for one query; a document that is missing counts 0. */
export type Judgements = Readonly<Record<string, number>>;

/** True when at least one document is of use; other queries tell nothing about a ranking and are left out. */
export function isAnswerable(judged: Judgements): boolean {
  return Object.values(judged).some((gain) => gain > 0);
}

/**
 * Normalised discounted cumulative gain of the first `depth` results, 0 to 1: linear gains, discount log2(rank + 1), ideal
 * order over all judged documents (Järvelin and Kekäläinen 2002, in the form that trec_eval computes). A document that is
 * listed twice counts once.
 */
export function ndcg(found: readonly string[], judged: Judgements, depth: number): number {
  const gains = firstOf(found, depth).map((path) => Math.max(0, judged[path] ?? 0));
  const ideal = Object.values(judged)
    .filter((gain) => gain > 0)
    .sort((a, b) => b - a)
    .slice(0, depth);
  const best = discounted(ideal);
  return best === 0 ? 0 : discounted(gains) / best;
}

/** The share, 0 to 1, of the relevant documents that stand among the first `depth` results. */
export function recall(found: readonly string[], judged: Judgements, depth: number): number {
  const relevant = Object.values(judged).filter((gain) => gain > 0).length;
  const hit = firstOf(found, depth).filter((path) => (judged[path] ?? 0) > 0).length;
  return relevant === 0 ? 0 : hit / relevant;
}

/** 1 / the rank of the first relevant result, counted from 1; 0 when there is none. */
export function reciprocalRank(found: readonly string[], judged: Judgements): number {
  const at = found.findIndex((path) => (judged[path] ?? 0) > 0);
  return at < 0 ? 0 : 1 / (at + 1);
}

export interface Estimate {
  readonly mean: number;
  /** Bounds of the interval. */
  readonly low: number;
  readonly high: number;
}

/**
 * Mean of one value a query, with the bounds between which 95 of 100 bootstrap means lie (Efron's percentile interval).
 * Drawn with a fixed seed, so a run repeats. For the difference of two engines pass the differences query by query.
 */
export function estimate(values: readonly number[], seed = 1, resamples = 1000): Estimate {
  const random = randomFrom(seed);
  const count = values.length;
  const mean = values.reduce((sum, value) => sum + value, 0) / count;
  const means: number[] = [];
  for (let n = 0; n < resamples; n += 1) {
    let sum = 0;
    for (let k = 0; k < count; k += 1) sum += values[Math.floor(random() * count)] ?? 0;
    means.push(sum / count);
  }
  means.sort((a, b) => a - b);
  const at = (share: number): number => means[Math.round(share * (means.length - 1))] ?? mean;
  return { mean, low: at(0.025), high: at(0.975) };
}

function firstOf(found: readonly string[], depth: number): string[] {
  return [...new Set(found)].slice(0, depth);
}

function discounted(gains: readonly number[]): number {
  return gains.reduce((sum, gain, index) => sum + gain / Math.log2(index + 2), 0);
}
