import type { Answer } from '../../core/registry/client';
import { count, counted } from '../kit/words';

type Status = Pick<Answer<'status'>, 'watcher' | 'quarantine'>;
export type Watcher = Status['watcher'];

/** The state of the inbox in one line; `state` is its urgency. */
interface InboxState {
  readonly state: 'green' | 'amber' | 'red' | 'off';
  readonly words: string;
  /** True when there are details beyond the line. */
  readonly more: boolean;
}

/** Returns in words whether this device watches the folder, and if not, why. */
export function watchWords({ state, reason, folder = 'inbox' }: Watcher): string {
  if (state === 'on') return `Watching ${folder}`;
  if (state === 'starting') return `Looking through ${folder}`;
  switch (reason) {
    case 'other_device':
      return `Another device watches ${folder}`;
    case 'folder_not_allowed':
      return 'The folder cannot be watched';
    case 'not_switched_on':
    case undefined:
      return 'Not watched on this device';
  }
}

/** Returns the state of the inbox. It is green or off unless a file failed, or waits in a watched folder. */
export function inboxState({ watcher, quarantine }: Status): InboxState {
  const { state, reason, running, waiting_count: waiting, left_count: left, retrying } = watcher;
  const failed = quarantine.length;
  const parts = [
    running === undefined
      ? watchWords(watcher)
      : `Ingesting ${nameOf(running.file)}, ${count(running.done + 1)} of ${count(running.total)}`,
    ...(failed > 0 ? [`${counted(failed, 'file')} in quarantine`] : []),
    ...(retrying.length > 0 ? [`${counted(retrying.length, 'file')} tried again later`] : []),
    ...(waiting > 0 ? [`${counted(waiting, 'file')} ${waiting === 1 ? 'waits' : 'wait'} for you`] : []),
    ...(left > 0 ? [`${counted(left, 'file')} left there`] : []),
  ];
  const needs = failed > 0 || retrying.length > 0 || (state === 'on' && waiting > 0);
  return {
    state: reason === 'folder_not_allowed' ? 'red' : needs ? 'amber' : state === 'off' ? 'off' : 'green',
    words: parts.join(', '),
    more: hasMore({ watcher, quarantine }),
  };
}

/** Returns true when files of the inbox are under way, waiting, left, retried or in quarantine. */
export function hasMore({ watcher, quarantine }: Status): boolean {
  const { running, waiting_count: waiting, left_count: left, retrying } = watcher;
  return running !== undefined || waiting > 0 || left > 0 || retrying.length > 0 || quarantine.length > 0;
}

const LEFT = {
  no_converter: 'Only a converter can read these',
  unknown_type: 'Of kinds that are not read',
  empty: 'Empty, so there is nothing to ingest',
  failed: 'Neither ingested nor moved out of the way',
} as const;

/** Groups the files that stay in the inbox by the reason. */
export function leftByReason({ left }: Watcher): readonly {
  readonly reason: Watcher['left'][number]['reason'];
  readonly words: string;
  readonly paths: readonly string[];
}[] {
  const reasons = ['failed', 'no_converter', 'unknown_type', 'empty'] as const;
  return reasons
    .map((reason) => ({
      reason,
      words: LEFT[reason],
      paths: left.filter((file) => file.reason === reason).map(({ path }) => path),
    }))
    .filter(({ paths }) => paths.length > 0);
}

/** Returns the last segment of a path. */
export function nameOf(path: string): string {
  return path.split('/').at(-1) ?? path;
}
