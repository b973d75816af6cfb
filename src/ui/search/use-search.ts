import { useEffect, useState } from 'preact/hooks';
import type { Hall } from '../../core/rules/hall';
import type { BrainClient, CallError } from '../client';
import { useUi } from '../context';
import { useAsync } from '../parts/use-async';
import { useChanges } from '../parts/use-changes';
import type { SearchResult } from './facets';

/** Results that facets are counted over: the most that the service gives at once. */
export const MOST_RESULTS = 50;
/** Long enough to let a word be typed, short enough to feel like an answer to it. */
const REST_MS = 140;

export interface Asked {
  readonly query: string;
  readonly wing: string | null;
  readonly hall: Hall | null;
  /** Whether the review queue is searched too. */
  readonly raw: boolean;
}

export interface Found {
  readonly query: string;
  readonly mode: 'bm25' | 'hybrid';
  readonly degraded: boolean;
  /** What the query finds anywhere; facets are counted over it. */
  readonly everywhere: readonly SearchResult[];
  /** What it finds in the chosen wing and hall. */
  readonly here: readonly SearchResult[];
  readonly ms: number;
}

export interface Search {
  /** The last answer. It stays while the next one is on its way, so that the list does not flicker. */
  readonly found: Found | null;
  /** True when an answer is late enough for a sign. */
  readonly loading: boolean;
  readonly error: CallError | null;
  readonly retry: () => void;
}

/** Answers a question that may change with every key; changes in the vault ask it again. An empty query asks nothing. */
export function useSearch(asked: Asked): Search {
  const { client } = useUi();
  const query = useRested(asked.query.trim(), REST_MS);
  const settled = { ...asked, query };
  const answer = useAsync(query === '' ? null : JSON.stringify(settled), () => search(client, settled), {
    keep: true,
  });
  const retry = (): void => answer.reload();
  useChanges(retry);
  return { found: answer.value, error: answer.error, loading: answer.loading, retry };
}

/** A value once it has not changed for a while; an empty text at once, for whoever clears a field sees nothing to wait for. */
function useRested(value: string, ms: number): string {
  const [rested, setRested] = useState(value);
  useEffect(() => {
    const timer = window.setTimeout(() => setRested(value), value === '' ? 0 : ms);
    return () => window.clearTimeout(timer);
  }, [value, ms]);
  return value === '' ? '' : rested;
}

async function search(client: BrainClient, { query, wing, hall, raw }: Asked): Promise<Found> {
  const from = performance.now();
  const ask = { query, limit: MOST_RESULTS, include_raw: raw, explain: true };
  const { mode, degraded, results } = await client.call('query', ask);
  let here = results;
  if (results.length < MOST_RESULTS) {
    here = results.filter(
      (result) => (wing === null || result.wing === wing) && (hall === null || result.hall === hall),
    );
  } else if (wing !== null || hall !== null) {
    // The best fifty of everywhere may lack good ones of the chosen place.
    const place = { ...(wing !== null && { wing }), ...(hall !== null && { hall }) };
    ({ results: here } = await client.call('query', { ...ask, ...place }));
  }
  return { query, mode, degraded, everywhere: results, here, ms: performance.now() - from };
}
