import { useEffect, useState } from 'preact/hooks';
import type { SearchResult } from './facets';

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
