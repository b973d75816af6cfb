import type { Answer } from '../client';
import { inboxState } from '../ingest/inbox-words';
import { counted } from '../parts/words';

/** One part of the service and how it is. */
export interface StateRow {
  readonly title: 'Server' | 'Inbox' | 'Model' | 'Converter' | 'Audit' | 'Tokens';
  readonly state: 'green' | 'amber' | 'red' | 'off';
  /** The state in a word, for those who do not see the colour of the dot. */
  readonly mark: string;
  readonly words: string;
  /** True when another screen shows more of it. */
  readonly more?: boolean;
}

/** What the colour of a dot says, in words. */
export const MARKS = { green: 'Fine', amber: 'Look at this', red: 'Failed', off: 'Off' } as const;

function row(title: StateRow['title'], state: StateRow['state'], words: string): StateRow {
  return { title, state, mark: MARKS[state], words };
}

/** That the server answers, and where. */
export function serverRow({ version }: Answer<'status'>, url: string): StateRow {
  return row('Server', 'green', `Version ${version}, listening on ${new URL(url).host}`);
}

/** How the language model, the converter and the tokens are, as far as the service has looked. */
export function checkRows({ checks }: Answer<'status'>): readonly StateRow[] {
  const of = (title: StateRow['title'], wanted: string) =>
    checks
      .filter(({ name }) => name === wanted)
      .map(({ state, message }) => row(title, COLOURS[state], message));
  return [...of('Model', 'language model'), ...of('Converter', 'converter'), ...of('Tokens', 'tokens')];
}

/** Whether the inbox is watched, and what of it wants a person. */
export function inboxRow(status: Pick<Answer<'status'>, 'watcher' | 'quarantine'>): StateRow {
  const { state, words, more } = inboxState(status);
  return { ...row('Inbox', state, words), more };
}

/** When nobody answers, that is all there is to say. */
export function unreachableRow(url: string): StateRow {
  return row('Server', 'red', `No answer from ${new URL(url).host}`);
}

const COLOURS = { ok: 'green', warning: 'amber', failed: 'red' } as const;

/** Whether the audit log is whole. */
export function auditRow({ lines, problem_count: problems }: Answer<'verifyAudit'>): StateRow {
  if (problems === 0) return row('Audit', 'green', `${counted(lines, 'line')}, chain unbroken`);
  return row('Audit', 'red', `${counted(lines, 'line')}, chain broken at ${counted(problems, 'place')}`);
}
