import { searchState } from '../../ui/found/state';
import { inboxState } from '../../ui/intake/inbox';
import type { StatusWatch } from './status-watch';

// This module is loaded on demand: the app starts without it.

/** A row of the settings page that describes a state. */
export interface Health {
  readonly name: string;
  readonly desc: string;
}

type Status = NonNullable<StatusWatch['status']>;

/** Describes the state of hybrid retrieval. */
export function hybridHealth(status: Status): Health {
  const { hybrid } = status;
  if (!hybrid.configured) {
    return {
      name: 'Search by meaning is off',
      desc: 'Notes are found by their words alone.',
    };
  }
  const failed = status.checks.filter(
    ({ name, state }) => (name === 'vectors' || name === 'embedder') && state === 'failed',
  );
  if (failed.length > 0) {
    return { name: 'Search by meaning does not work', desc: failed.map(({ message }) => message).join(' ') };
  }
  const { state, words } = searchState(status);
  const name = state === 'green' ? 'Search by meaning works' : 'Search by meaning is not ready';
  return { name, desc: `${words}.`.replace(/\.\.$/, '.') };
}

/** Describes the source of answers. */
export function answersHealth({ checks }: Status): Health {
  const check = checks.find(({ name }) => name === 'language model');
  if (check === undefined)
    return { name: 'Answers and extraction', desc: 'Answers are passages of the notes, word for word.' };
  return {
    name: check.state === 'ok' ? 'Answers and extraction' : 'The language model needs a look',
    desc: [check.message, check.fix].filter((text) => text !== undefined).join(' '),
  };
}

/** Describes the state of ingestion: the inbox on this device, and the converter. */
export function ingestHealth(status: Status): Health {
  const inbox = inboxState(status);
  const converter = status.checks.filter(({ name }) => name === 'converter');
  const name = { green: 'Inbox', off: 'Inbox', amber: 'Inbox needs a look', red: 'Inbox cannot be watched' };
  return {
    name: name[inbox.state],
    desc: [`${inbox.words}.`, ...converter.flatMap(({ message, fix }) => [message, fix ?? []].flat())].join(
      ' ',
    ),
  };
}
