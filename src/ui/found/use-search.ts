import { useEffect, useState } from 'preact/hooks';
import type { Answer, Ask, BrainClient, CallError } from '../../core/registry/client';
import { useUi } from '../client/context';
import { useAsync, useChanges } from '../kit/async';
import { ANY, type Chosen, fits, type SearchResult } from './facets';

/** Results that facets are counted over: the most that the service gives at once. */
export const MOST_RESULTS = 50;
/** Long enough to let a word be typed, short enough to feel like an answer to it. */
const REST_MS = 140;

export type SourceType = NonNullable<Ask<'query'>['source_type']>;

export interface Asked extends Chosen {
  readonly query: string;
  /** Whether the review queue is searched too. */
  readonly raw: boolean;
  /** What the notes say of where they come from; null for all of them. Results do not tell, so it is not counted. */
  readonly source: SourceType | null;
}

/** Nothing is asked. */
export const NOTHING: Asked = { ...ANY, query: '', raw: false, source: null };

export interface Found {
  readonly query: string;
  readonly mode: 'bm25' | 'hybrid';
  readonly degraded: boolean;
  /** What the query finds anywhere; facets are counted over it. */
  readonly everywhere: readonly SearchResult[];
  /** What it finds of what is chosen. */
  readonly here: readonly SearchResult[];
  /** How far the first reading of the vault is, while it lasts: other notes may be found later. */
  readonly reading: Answer<'query'>['reading'];
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
  const { mode, degraded, reading, results } = await client.call('query', ask);
  let here = results;
  if (results.length < MOST_RESULTS) here = results.filter((result) => fits(result, asked));
  else if (isNarrowed(asked)) {
    // The best fifty of everything may lack good ones of what is chosen.
    ({ results: here } = await client.call('query', { ...ask, ...choiceOf(asked) }));
  }
  return { query, mode, degraded, reading, everywhere: results, here, ms: performance.now() - from };
}

/** Whether something is chosen of what was found. */
export function isNarrowed({ wing, hall, writer, status, fresh }: Chosen): boolean {
  return wing !== null || hall !== null || writer !== null || status !== null || fresh;
}

function choiceOf({ wing, hall, writer, status, fresh }: Chosen): Partial<Ask<'query'>> {
  return {
    ...(wing !== null && { wing }),
    ...(hall !== null && { hall }),
    ...(writer !== null && { written_by: writer }),
    ...(status !== null && { status }),
    ...(fresh && { not_stale: true }),
  };
}

export interface Selection {
  /** -1 when there is nothing to choose from. */
  readonly index: number;
  readonly result: SearchResult | null;
  readonly select: (index: number) => void;
  /** Moves by so many, stopping at both ends. */
  readonly move: (step: number) => void;
}

/**
 * The chosen one of a list of results. It stays with its note while the list changes under it; a new query begins at the top.
 */
export function useSelection(results: readonly SearchResult[], query: string): Selection {
  const [path, setPath] = useState<string | null>(null);
  useEffect(() => setPath(null), [query]);
  const at = path === null ? 0 : results.findIndex((result) => result.path === path);
  const index = results.length === 0 ? -1 : Math.max(at, 0);
  const select = (to: number): void =>
    setPath(results[Math.max(0, Math.min(to, results.length - 1))]?.path ?? null);
  return { index, result: results[index] ?? null, select, move: (step) => select(index + step) };
}
