import type { Answer } from '../../core/registry/client';
import { type Hall, HALLS } from '../../core/vocabulary/address';

/** One note that a search found. */
export type SearchResult = Answer<'query'>['results'][number];
export type Status = SearchResult['status'];

const STATUSES: readonly Status[] = ['wiki', 'knowledge', 'vault', 'raw', 'attachment'];

/** The chosen values of the facets; null means all. */
export interface FacetChoice {
  readonly wing: string | null;
  readonly hall: Hall | null;
  /** The verified name of the writer, without its client. */
  readonly writer: string | null;
  readonly status: Status | null;
  /** True leaves out notes past their half-life. */
  readonly fresh: boolean;
}

/** No value is chosen. */
export const ANY: FacetChoice = { wing: null, hall: null, writer: null, status: null, fresh: false };

/** A value of a facet, and the number of found notes that have it. */
interface FacetCount<Value extends string> {
  readonly value: Value;
  readonly count: number;
}

/** A facet: its values, and the number of notes with none of them chosen. */
interface FacetCounts<Value extends string> {
  readonly all: number;
  readonly values: readonly FacetCount<Value>[];
}

export interface Facets {
  /** Most notes first, ties by name. */
  readonly wings: FacetCounts<string>;
  /** In the order of `HALLS`. */
  readonly halls: FacetCounts<Hall>;
  /** Most notes first, ties by name. */
  readonly writers: FacetCounts<string>;
  /** Reviewed first. */
  readonly statuses: FacetCounts<Status>;
}

/**
 * Counts, for each value of each facet, the results that it shows together with the chosen values of the other facets. A
 * chosen value stays in its list even with a count of 0, so that it can be taken back.
 */
export function countFacets(results: readonly SearchResult[], chosen: FacetChoice): Facets {
  const without = (facet: Partial<FacetChoice>) =>
    results.filter((result) => matches(result, { ...chosen, ...facet }));
  return {
    wings: byCount(without({ wing: null }), ({ wing }) => wing, chosen.wing),
    halls: inOrder(without({ hall: null }), ({ hall }) => hall, chosen.hall, HALLS),
    writers: byCount(without({ writer: null }), writerOf, chosen.writer),
    statuses: inOrder(without({ status: null }), ({ status }) => status, chosen.status, STATUSES),
  };
}

function tally<Value extends string>(
  results: readonly SearchResult[],
  valueOf: (result: SearchResult) => Value | undefined,
  chosen: Value | null,
): Map<Value, number> {
  const counts = new Map<Value, number>(chosen === null ? [] : [[chosen, 0]]);
  for (const result of results) {
    const value = valueOf(result);
    if (value !== undefined) counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  return counts;
}

function byCount(
  results: readonly SearchResult[],
  valueOf: (result: SearchResult) => string | undefined,
  chosen: string | null,
): FacetCounts<string> {
  const values = [...tally(results, valueOf, chosen)]
    .map(([value, count]) => ({ value, count }))
    .sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1));
  return { all: results.length, values };
}

function inOrder<Value extends string>(
  results: readonly SearchResult[],
  valueOf: (result: SearchResult) => Value | undefined,
  chosen: Value | null,
  order: readonly Value[],
): FacetCounts<Value> {
  const counts = tally(results, valueOf, chosen);
  const values = order
    .filter((value) => counts.has(value))
    .map((value) => ({ value, count: counts.get(value) ?? 0 }));
  return { all: results.length, values };
}

/** Returns true for a result that has all chosen values. */
export function matches(result: SearchResult, { wing, hall, writer, status, fresh }: FacetChoice): boolean {
  return (
    (wing === null || result.wing === wing) &&
    (hall === null || result.hall === hall) &&
    (writer === null || writerOf(result) === writer) &&
    (status === null || result.status === status) &&
    !(fresh && result.stale)
  );
}

/** Returns the writer as the service filters by it: the stamp without its client and its model. */
function writerOf({ written_by: writtenBy }: Pick<SearchResult, 'written_by'>): string | undefined {
  return writtenBy?.split(/ \(| via /)[0];
}
