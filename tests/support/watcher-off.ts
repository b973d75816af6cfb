import type { Answer } from '../../src/core/registry/client';

/** What the status says of an inbox that nobody watches and that is empty. */
export const WATCHER_OFF: Answer<'status'>['watcher'] = {
  state: 'off',
  reason: 'not_switched_on',
  folder: 'inbox',
  device: 'testtest',
  waiting: [],
  waiting_count: 0,
  left: [],
  left_count: 0,
  retrying: [],
};
