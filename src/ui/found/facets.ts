import type { Answer } from '../../core/registry/client';
import { type Hall, HALLS } from '../../core/vocabulary/address';

/** One note that a search found. */
export type SearchResult = Answer<'query'>['results'][number];
export type Status = SearchResult['status'];

const STATUSES: readonly Status[] = ['wiki', 'knowledge', 'raw'];

/** What narrows a search to some of what it found; null means all. */
export interface Chosen {
  readonly wing: string | null;
  readonly hall: Hall | null;
  /** Who wrote it: the verified name, whatever client it came through. */
  readonly writer: string | null;
  readonly status: Status | null;
  /** Leaves out notes past their half-life. */
  readonly fresh: boolean;
}

/** Nothing is chosen. */
export const ANY: Chosen = { wing: null, hall: null, writer: null, status: null, fresh: false };

/** A value of a facet, and how many of the found notes have it. */
interface FacetCount<Value extends string> {
  readonly value: Value;
  readonly count: number;
}

/** A facet: its values, and how many notes it would show with none of them chosen. */
interface FacetCounts<Value extends string> {
  readonly all: number;
  readonly values: readonly FacetCount<Value>[];
}

export interface Facets {
  /** Most notes first, ties by name; so are writers. */
  readonly wings: FacetCounts<string>;
  /** In the order of the halls. */
  readonly halls: FacetCounts<Hall>;
  readonly writers: FacetCounts<string>;
  /** Reviewed first. */
  readonly statuses: FacetCounts<Status>;
}

/**
 * Counts what each choice would show, the other choices kept. A chosen value stays in its list, without notes if it must be,
 * so that it can be seen and taken back.
 */
export function countFacets(results: readonly SearchResult[], chosen: Chosen): Facets {
  const within = (free: Partial<Chosen>) => results.filter((result) => fits(result, { ...chosen, ...free }));
  return {
    wings: byCount(within({ wing: null }), ({ wing }) => wing, chosen.wing),
    halls: inOrder(within({ hall: null }), ({ hall }) => hall, chosen.hall, HALLS),
    writers: byCount(within({ writer: null }), writerOf, chosen.writer),
    statuses: inOrder(within({ status: null }), ({ status }) => status, chosen.status, STATUSES),
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

function byCount(...given: Parameters<typeof tally<string>>): FacetCounts<string> {
  const values = [...tally(...given)]
    .map(([value, count]) => ({ value, count }))
    .sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1));
  return { all: given[0].length, values };
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

/** Whether a choice shows a note. */
export function fits(result: SearchResult, { wing, hall, writer, status, fresh }: Chosen): boolean {
  return (
    (wing === null || result.wing === wing) &&
    (hall === null || result.hall === hall) &&
    (writer === null || writerOf(result) === writer) &&
    (status === null || result.status === status) &&
    !(fresh && result.stale)
  );
}

/** The writer as the service filters by it: what stands before the name of the client, or of the model in between. */
function writerOf({ written_by: writtenBy }: Pick<SearchResult, 'written_by'>): string | undefined {
  return writtenBy?.split(/ \(| via /)[0];
}
