import type { Brain } from '../brain';
import { type Check, someOf } from '../notes/check';
import { unwatchable } from './inbox-rules';

/** What a doctor says of the inbox: a file that waits for a person for ever is as good as lost. */
export async function inboxCheck({ inbox, config }: Brain): Promise<Check> {
  const name = 'inbox';
  const { state, reason, folder, waiting, left } = inbox.state;
  const failed = await inbox.quarantined();
  if (reason === 'folder_not_allowed') {
    return {
      name,
      state: 'failed',
      message: unwatchable(config.watchDir),
      fix: 'Name another folder, such as inbox, in the setting "Inbox folder" or BRAIN_WATCH_DIR.',
      action: 'open-settings',
    };
  }
  if (failed.length > 0) {
    return {
      name,
      state: 'warning',
      message: `${files(failed.length)} could not be ingested: ${someOf(failed.map(({ path }) => path))}.`,
      fix: 'See the reason in the note beside each; put it right and try again, or remove the file.',
    };
  }
  const stuck = left.filter((file) => file.reason === 'failed').map(({ path }) => path);
  if (stuck.length > 0) {
    return {
      name,
      state: 'warning',
      message: `Neither ingested nor moved out of the way: ${someOf(stuck)}.`,
      fix: 'See the log of the server for the reason. They are tried again at the next start.',
    };
  }
  const others =
    left.length === 1 ? 'One file of another kind is' : `${left.length} files of other kinds are`;
  const kept = left.length === 0 ? '' : ` ${others} left alone.`;
  if (waiting.length > 0) {
    const wait = waiting.length === 1 ? 'waits' : 'wait';
    const why = state === 'on' ? `stood there before and ${wait}` : wait;
    return {
      name,
      state: 'ok',
      message: `${files(waiting.length)} in ${folder} ${why} for your word.${kept}`,
    };
  }
  if (state === 'starting') return { name, state: 'ok', message: 'The inbox is being looked through.' };
  if (state === 'on') return { name, state: 'ok', message: `What is put into ${folder} is ingested.${kept}` };
  const elsewhere = reason === 'other_device' ? 'Another device watches the inbox.' : 'No inbox is watched.';
  return { name, state: 'ok', message: elsewhere };
}

function files(count: number): string {
  return count === 1 ? 'One file' : `${count} files`;
}
