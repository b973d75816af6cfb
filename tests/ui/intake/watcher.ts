import type { Watcher } from '../../../src/ui/intake/inbox';

/** An inbox that nobody watches and nothing is in, with what a test wants otherwise. */
export function watcher(extra: Partial<Watcher> = {}): Watcher {
  return {
    state: 'off',
    reason: 'not_switched_on',
    folder: 'inbox',
    device: '0a1b2c3d',
    waiting: [],
    waiting_count: 0,
    left: [],
    left_count: 0,
    retrying: [],
    ...extra,
  };
}
