import type { Answer } from '../../core/registry/client';
import { count, counted } from '../kit/words';

type Status = Pick<Answer<'status'>, 'watcher' | 'quarantine'>;
export type Watcher = Status['watcher'];

/** How the inbox is, in one line, and how much it wants of a person. */
interface InboxState {
  readonly state: 'green' | 'amber' | 'red' | 'off';
  readonly words: string;
  /** True when there is more to show than the line says. */
  readonly more: boolean;
}

/** Whether the folder is watched, and by whom. */
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

/** The inbox as a line among the parts of the service: quiet unless a file failed or waits in a folder that is watched. */
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

/** True when a person can see or do something about files of the inbox. */
export function hasMore({ watcher, quarantine }: Status): boolean {
  const { running, waiting_count: waiting, left_count: left, retrying } = watcher;
  return running !== undefined || waiting > 0 || left > 0 || retrying.length > 0 || quarantine.length > 0;
}

const LEFT = {
  no_converter: 'Only a converter can read these',
  unknown_type: 'Of kinds that are not read',
  failed: 'Neither ingested nor moved out of the way',
} as const;

/** The files that stay where they are, by why. */
export function leftByReason({ left }: Watcher): readonly {
  readonly reason: Watcher['left'][number]['reason'];
  readonly words: string;
  readonly paths: readonly string[];
}[] {
  const reasons = ['failed', 'no_converter', 'unknown_type'] as const;
  return reasons
    .map((reason) => ({
      reason,
      words: LEFT[reason],
      paths: left.filter((file) => file.reason === reason).map(({ path }) => path),
    }))
    .filter(({ paths }) => paths.length > 0);
}

/** The last segment of a path. */
export function nameOf(path: string): string {
  return path.split('/').at(-1) ?? path;
}
