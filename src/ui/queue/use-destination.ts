import { useEffect, useState } from 'preact/hooks';
import type { CallError } from '../client';
import { useUi } from '../context';
import { useAsync } from '../parts/use-async';
import { promoteAsk } from './decisions';
import type { Draft } from './entry';

/** How long typing has to rest before the service is asked. */
const REST_MS = 150;

/** Where a note would go, as far as the service has been asked about it. */
export type Destination =
  | { readonly state: 'incomplete' | 'asking' }
  | { readonly state: 'free'; readonly path: string }
  | { readonly state: 'refused'; readonly error: CallError };

/** Asks where the note would go, and whether it could, whenever typing rests. Changes nothing. */
export function useDestination(path: string | null, draft: Draft | null, revision: number): Destination {
  const { client } = useUi();
  const complete = draft !== null && draft.hall !== null && draft.wing.trim() !== '';
  const now = complete && path !== null ? JSON.stringify([path, draft, revision]) : null;
  const rested = useRested(now);
  const { value, error } = useAsync(now === rested ? rested : null, async () => {
    if (path === null || draft === null || draft.hall === null) throw new Error('Nothing to ask.');
    return client.call('promote', { ...promoteAsk(path, draft, draft.hall), dry_run: true });
  });
  if (now === null) return { state: 'incomplete' };
  if (error !== null) return { state: 'refused', error };
  return value === null ? { state: 'asking' } : { state: 'free', path: value.path };
}

/** A value once it has stood for a while; at once when there was none before. */
function useRested(value: string | null): string | null {
  const [rested, setRested] = useState(value);
  useEffect(() => {
    if (value === rested) return undefined;
    const timer = window.setTimeout(() => setRested(value), REST_MS);
    return () => window.clearTimeout(timer);
  }, [value, rested]);
  return rested;
}
