import type { Answer } from '../../core/registry/client';
import { counted, moment } from '../kit/words';

export type Check = Answer<'status'>['checks'][number];

/** The checks by outcome, in the order in which they ran. */
export interface Findings {
  readonly failed: readonly Check[];
  readonly warnings: readonly Check[];
  readonly fine: readonly Check[];
}

export function groupChecks(checks: readonly Check[]): Findings {
  const withState = (state: Check['state']) => checks.filter((check) => check.state === state);
  return { failed: withState('failed'), warnings: withState('warning'), fine: withState('ok') };
}

/** Counts the outcomes: `1 problem, 2 warnings, 8 fine`. */
export function summaryOf({ failed, warnings, fine }: Findings): string {
  return [
    ...(failed.length > 0 ? [counted(failed.length, 'problem')] : []),
    ...(warnings.length > 0 ? [counted(warnings.length, 'warning')] : []),
    `${fine.length} fine`,
  ].join(', ');
}

/** Returns the title of a check on the screen. */
export function titleOf({ name }: Check): string {
  return `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}

const MARKS: Readonly<Record<Check['state'], string>> = { failed: 'FAILED', warning: 'LOOK', ok: 'ok' };

/** Returns the result as plain text, for a message to someone who helps. */
export function reportText(status: Answer<'status'>, at: Date): string {
  const findings = groupChecks(status.checks);
  const lines = [...findings.failed, ...findings.warnings, ...findings.fine].flatMap((check) => [
    `${MARKS[check.state].padEnd(7)} ${titleOf(check)}: ${check.message}`,
    ...(check.fix === undefined ? [] : [`        Fix: ${check.fix}`]),
    ...(check.command === undefined ? [] : [`        Run: ${check.command}`]),
  ]);
  return [
    `Brain Server ${status.version}, checked ${moment(at)}: ${summaryOf(findings)}`,
    `${counted(status.notes, 'note')}, ${status.queue.count} in the queue, index ${status.index.state}`,
    '',
    ...lines,
    '',
  ].join('\n');
}
