import type { Answer } from '../client';
import { type Hall, HALLS } from '../../core/rules/hall';

/** One note that a search found. */
export type SearchResult = Answer<'query'>['results'][number];

/** What narrows a search; null means all. */
export interface Chosen {
  readonly wing: string | null;
  readonly hall: Hall | null;
  /** Whether notes past their half-life are shown. */
  readonly stale: boolean;
}

/** A value of a facet, and how many of the found notes have it. */
export interface FacetCount<Value extends string> {
  readonly value: Value;
  readonly count: number;
}

export interface Facets {
  /** Most notes first, ties by name. */
  readonly wings: readonly FacetCount<string>[];
  /** Notes that any wing would show. */
  readonly allWings: number;
  /** In the order of the halls. */
  readonly halls: readonly FacetCount<Hall>[];
  readonly allHalls: number;
}

/**
 * Counts what each choice would show, the other choices kept. A chosen wing or hall stays in its list, without notes if
 * it must be, so that it can be seen and taken back.
 */
export function countFacets(results: readonly SearchResult[], chosen: Chosen): Facets {
  const forWings = results.filter((result) => fits(result, { ...chosen, wing: null }));
  const forHalls = results.filter((result) => fits(result, { ...chosen, hall: null }));
  const wings = new Map<string, number>(chosen.wing === null ? [] : [[chosen.wing, 0]]);
  for (const { wing } of forWings) if (wing !== undefined) wings.set(wing, (wings.get(wing) ?? 0) + 1);
  const halls = new Map<Hall, number>(chosen.hall === null ? [] : [[chosen.hall, 0]]);
  for (const { hall } of forHalls) if (hall !== undefined) halls.set(hall, (halls.get(hall) ?? 0) + 1);
  return {
    wings: [...wings]
      .map(([value, count]) => ({ value, count }))
      .sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1)),
    allWings: forWings.length,
    halls: HALLS.filter((hall) => halls.has(hall)).map((value) => ({ value, count: halls.get(value) ?? 0 })),
    allHalls: forHalls.length,
  };
}

/** Whether a choice shows a note. */
export function fits(result: SearchResult, { wing, hall, stale }: Chosen): boolean {
  return (
    (wing === null || result.wing === wing) &&
    (hall === null || result.hall === hall) &&
    (stale || !result.stale)
  );
}
