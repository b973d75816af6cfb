import { useEffect } from 'preact/hooks';
import type { Answer } from '../client';
import { type AsyncState, useCall } from './use-async';
import { useChanges } from './use-changes';

/** Work that goes on is looked at this often, in milliseconds. What it has done is no change of a note. */
const LOOK_EVERY_MS = 1_500;

/**
 * The state of the service, asked again after every change, and again and again while `busy` or while it works on something.
 */
export function useStatus(busy: boolean): AsyncState<Answer<'status'>> {
  const status = useCall('status', {}, { keep: true });
  const { value, error, reload } = status;
  useChanges(reload);
  const works =
    busy || (value !== null && (value.index.state === 'building' || isSyncing(value) || isTaking(value)));
  useEffect(() => {
    if (!works) return undefined;
    const timer = window.setTimeout(reload, LOOK_EVERY_MS);
    return () => window.clearTimeout(timer);
    // Every answer, and every failure, sets the next look.
  }, [works, value, error, reload]);
  return status;
}

/** A sync runs, or the first one is soon to begin by itself. */
function isSyncing({ hybrid }: Answer<'status'>): boolean {
  return hybrid.state === 'syncing' || hybrid.state === 'starting';
}

/** The inbox is being looked through, or a file of it is taken. */
function isTaking({ watcher }: Answer<'status'>): boolean {
  return watcher.state === 'starting' || watcher.running !== undefined;
}
