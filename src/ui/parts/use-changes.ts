import { useEffect, useRef } from 'preact/hooks';
import { useUi } from '../context';

/** Calls `listener` soon after anything in the vault has changed, for as long as the component stands. */
export function useChanges(listener: () => void): void {
  const { client } = useUi();
  const latest = useRef(listener);
  latest.current = listener;
  useEffect(() => client.changes(() => latest.current()), [client]);
}
