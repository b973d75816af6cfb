import type { Answer } from '../client';
import { count, counted } from '../parts/words';

/** One part of the service and how it is. */
export interface StateRow {
  readonly title: 'Server' | 'Search' | 'Audit' | 'Tokens';
  readonly state: 'green' | 'amber' | 'red';
  /** The state in a word, for those who do not see the colour of the dot. */
  readonly mark: string;
  readonly words: string;
}

const MARKS = { green: 'Fine', amber: 'Look at this', red: 'Failed' } as const;

function row(title: StateRow['title'], state: StateRow['state'], words: string): StateRow {
  return { title, state, mark: MARKS[state], words };
}

/** How the server, the search index and the tokens are. */
export function statusRows(status: Answer<'status'>, url: string): readonly StateRow[] {
  const { index, version, checks } = status;
  const tokens = checks.find(({ name }) => name === 'tokens');
  return [
    row('Server', 'green', `Version ${version}, listening on ${new URL(url).host}`),
    index.state === 'building'
      ? row('Search', 'amber', `Reading the vault: ${counted(index.notes, 'note')} so far`)
      : row('Search', 'green', indexWords(index)),
    ...(tokens === undefined ? [] : [row('Tokens', COLOURS[tokens.state], tokens.message)]),
  ];
}

/** When nobody answers, that is all there is to say. */
export function unreachableRow(url: string): StateRow {
  return row('Server', 'red', `No answer from ${new URL(url).host}`);
}

const COLOURS = { ok: 'green', warning: 'amber', failed: 'red' } as const;

function indexWords({ notes, waiting }: Answer<'status'>['index']): string {
  const ready = `${counted(notes, 'note')} can be found by their words`;
  return waiting === 0 ? ready : `${ready}, ${count(waiting)} being read again`;
}

/** Whether the audit log is whole. */
export function auditRow({ lines, problem_count: problems }: Answer<'verifyAudit'>): StateRow {
  if (problems === 0) return row('Audit', 'green', `${counted(lines, 'line')}, chain unbroken`);
  return row('Audit', 'red', `${counted(lines, 'line')}, chain broken at ${counted(problems, 'place')}`);
}
