import { useEffect, useState } from 'preact/hooks';
import type { Answer, Ask, BrainClient, CallError } from '../../core/registry/client';
import { useUi } from '../client/context';
import { useAsync, useChanges, useRested } from '../kit/async';
import { count, counted } from '../kit/words';
import { ANY, type FacetChoice, matches, type SearchResult } from './facets';

/** The largest number of results that the service gives; facets are counted over them. */
export const MOST_RESULTS = 50;
/** The delay of the debounced query: long enough to type on, short enough to feel immediate (ms). */
const DEBOUNCE_MS = 140;
/** The interval at which a search runs again while the vault is being read (ms). */
const READING_MS = 1_000;

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
  /** The operators that were understood; undefined for plain words. */
  readonly parsed: Answer<'query'>['parsed'];
  /** The number of notes that were searched; undefined when some were found. */
  readonly searched: number | undefined;
  /** How many notes of the review queue match as well, and were not searched. */
  readonly waiting: number;
  /** The words of the query that stand in no note. */
  readonly missing: readonly string[];
  /** Sentences of the service on the request: a wing that does not exist. */
  readonly warnings: readonly string[];
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

/**
 * Runs a debounced search, and again after changes in the vault and every `READING_MS` while the vault is being read. An empty
 * query is not sent.
 */
export function useSearch(asked: Asked): Search {
  const { client } = useUi();
  const query = useDebounced(asked.query.trim());
  const settled = { ...asked, query };
  const answer = useAsync(query === '' ? null : JSON.stringify(settled), () => search(client, settled), {
    keep: true,
  });
  const retry = (): void => answer.reload();
  useChanges(retry);
  const isReading = answer.value?.reading !== undefined;
  useEffect(() => {
    if (!isReading) return undefined;
    const timer = window.setTimeout(answer.reload, READING_MS);
    return () => window.clearTimeout(timer);
    // Every answer and every failure sets the next timer.
  }, [isReading, answer.value, answer.error, answer.reload]);
  return { found: answer.value, error: answer.error, loading: answer.loading, retry };
}

/** Returns the value once it is unchanged for `DEBOUNCE_MS`. An empty text is returned at once: a cleared field has no answer. */
function useDebounced(value: string): string {
  const rested = useRested(value, value === '' ? 0 : DEBOUNCE_MS);
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
    max_tokens: 0,
    ...(source !== null && { source_type: source }),
  };
  const {
    mode,
    degraded,
    reading,
    parsed,
    searched,
    waiting = 0,
    missing_words: missing = [],
    results,
    warnings: general = [],
  } = await client.call('query', ask);
  const isComplete = results.length < MOST_RESULTS;
  let here = isComplete ? results.filter((result) => matches(result, asked)) : results;
  let warnings = general;
  // The best results of the query alone may lack good ones with the chosen values. The service warns of an unknown wing.
  if (isNarrowed(asked) && (!isComplete || (here.length === 0 && asked.wing !== null))) {
    ({ results: here, warnings = [] } = await client.call('query', { ...ask, ...filterFields(asked) }));
  }
  return {
    ...{ query, mode, degraded, reading, parsed, searched, waiting, missing, warnings },
    ...{ everywhere: results, here, ms: performance.now() - from },
  };
}

/**
 * Returns what was searched when no note is shown: `1,204 notes were searched.` When only the filters hide what was found, it
 * says how many notes those are.
 */
export function searchedWords({
  searched,
  everywhere,
}: Pick<Found, 'searched'> & { readonly everywhere: { readonly length: number } }): string {
  if (searched === undefined) {
    const { length } = everywhere;
    const number = length === MOST_RESULTS ? `${length} or more notes` : counted(length, 'note');
    return length === 0 ? '' : `${number} ${length === 1 ? 'fits' : 'fit'} without the filters.`;
  }
  if (searched === 0) return 'There is no note to search yet.';
  return `${counted(searched, 'note')} ${searched === 1 ? 'was' : 'were'} searched.`;
}

/** Returns which words of the query stand in no note: `No note has “zorp”, “blix”.`; nothing when there are none. */
export function missingWords({ missing }: Pick<Found, 'missing'>): string {
  return missing.length === 0 ? '' : `No note has ${missing.map((word) => `“${word}”`).join(', ')}.`;
}

/** Returns how many notes of the review queue match: `2 notes of the review queue match.`; nothing when there are none. */
export function waitingWords({ waiting }: Pick<Found, 'waiting'>): string {
  if (waiting === 0) return '';
  return `${counted(waiting, 'note')} of the review queue ${waiting === 1 ? 'matches' : 'match'}.`;
}

/** Returns the progress of the first reading of the vault: `The vault is still being read: 812 of 10,000 notes.` */
export function readingWords({ done, total }: NonNullable<Found['reading']>): string {
  return `The vault is still being read: ${count(done)} of ${counted(total, 'note')}.`;
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
  /** True when a person has moved to the result. */
  readonly isChosen: boolean;
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
  return {
    index,
    result: results[index] ?? null,
    isChosen: index >= 0 && results[index]?.path === path,
    select,
    move: (step) => select(index + step),
  };
}
