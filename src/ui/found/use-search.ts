import { useEffect, useState } from 'preact/hooks';
import type { Answer, Ask, BrainClient, CallError } from '../../core/registry/client';
import { useUi } from '../client/context';
import { useAsync, useChanges } from '../kit/async';
import { counted } from '../kit/words';
import { ANY, type FacetChoice, matches, type SearchResult } from './facets';

/** The largest number of results that the service gives; facets are counted over them. */
export const MOST_RESULTS = 50;
/** The delay of the debounced query: long enough to type on, short enough to feel immediate (ms). */
const DEBOUNCE_MS = 140;

export type SourceType = NonNullable<Ask<'query'>['source_type']>;

export interface Asked extends FacetChoice {
  readonly query: string;
  /** True searches the review queue too. */
  readonly raw: boolean;
  /** The kind of source that the notes name; null for all. It is no facet, since results do not have it. */
  readonly source: SourceType | null;
}

/** An empty query with no value chosen. */
export const NOTHING: Asked = { ...ANY, query: '', raw: false, source: null };

export interface Found {
  readonly query: string;
  readonly mode: 'bm25' | 'hybrid';
  readonly degraded: boolean;
  /** The results of the query alone; facets are counted over them. */
  readonly everywhere: readonly SearchResult[];
  /** The results that have the chosen values. */
  readonly here: readonly SearchResult[];
  /** The progress of the first reading of the vault, while it lasts: the query may find more notes later. */
  readonly reading: Answer<'query'>['reading'];
  /** The number of notes that were searched; undefined when some were found. */
  readonly searched: number | undefined;
  readonly ms: number;
}

export interface Search {
  /** The last answer. It stays until the next one arrives, so that the list does not flicker. */
  readonly found: Found | null;
  /** True when an answer is late enough for a loading sign. */
  readonly loading: boolean;
  readonly error: CallError | null;
  readonly retry: () => void;
}

/** Runs a debounced search, and again after changes in the vault. An empty query is not sent. */
export function useSearch(asked: Asked): Search {
  const { client } = useUi();
  const query = useDebounced(asked.query.trim(), DEBOUNCE_MS);
  const settled = { ...asked, query };
  const answer = useAsync(query === '' ? null : JSON.stringify(settled), () => search(client, settled), {
    keep: true,
  });
  const retry = (): void => answer.reload();
  useChanges(retry);
  return { found: answer.value, error: answer.error, loading: answer.loading, retry };
}

/** Returns the value once it is unchanged for `ms`. An empty text is returned at once: a cleared field has no answer. */
function useDebounced(value: string, ms: number): string {
  const [debounced, setDebounced] = useState(value);
  useEffect(() => {
    const timer = window.setTimeout(() => setDebounced(value), value === '' ? 0 : ms);
    return () => window.clearTimeout(timer);
  }, [value, ms]);
  return value === '' ? '' : debounced;
}

async function search(client: BrainClient, asked: Asked): Promise<Found> {
  const { query, raw, source } = asked;
  const from = performance.now();
  const ask = {
    query,
    limit: MOST_RESULTS,
    include_raw: raw,
    explain: true,
    ...(source !== null && { source_type: source }),
  };
  const { mode, degraded, reading, searched, results } = await client.call('query', ask);
  let here = results;
  if (results.length < MOST_RESULTS) here = results.filter((result) => matches(result, asked));
  else if (isNarrowed(asked)) {
    // The best results of the query alone may lack good ones with the chosen values.
    ({ results: here } = await client.call('query', { ...ask, ...filterFields(asked) }));
  }
  return {
    ...{ query, mode, degraded, reading, searched },
    ...{ everywhere: results, here, ms: performance.now() - from },
  };
}

/** Returns what was searched when nothing was found: `1,204 notes were searched.` Empty when some notes were found. */
export function searchedWords({ searched }: Pick<Found, 'searched'>): string {
  if (searched === undefined) return '';
  if (searched === 0) return 'There is no note to search yet.';
  return `${counted(searched, 'note')} ${searched === 1 ? 'was' : 'were'} searched.`;
}

/** Returns true when a value of a facet is chosen. */
export function isNarrowed({ wing, hall, writer, status, fresh }: FacetChoice): boolean {
  return wing !== null || hall !== null || writer !== null || status !== null || fresh;
}

/** Returns the chosen values as fields of the request. */
function filterFields({ wing, hall, writer, status, fresh }: FacetChoice): Partial<Ask<'query'>> {
  return {
    ...(wing !== null && { wing }),
    ...(hall !== null && { hall }),
    ...(writer !== null && { written_by: writer }),
    ...(status !== null && { status }),
    ...(fresh && { not_stale: true }),
  };
}

export interface Selection {
  /** -1 when there are no results. */
  readonly index: number;
  readonly result: SearchResult | null;
  readonly select: (index: number) => void;
  /** Moves by a number of results, at most to the first or the last. */
  readonly move: (step: number) => void;
}

/** Holds the selected result. The selection stays with its note while the list changes; a new query selects the first. */
export function useSelection(results: readonly SearchResult[], query: string): Selection {
  const [path, setPath] = useState<string | null>(null);
  useEffect(() => setPath(null), [query]);
  const at = path === null ? 0 : results.findIndex((result) => result.path === path);
  const index = results.length === 0 ? -1 : Math.max(at, 0);
  const select = (to: number): void =>
    setPath(results[Math.max(0, Math.min(to, results.length - 1))]?.path ?? null);
  return { index, result: results[index] ?? null, select, move: (step) => select(index + step) };
}
