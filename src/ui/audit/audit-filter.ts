import type { ScreenParams } from '../screens';
import { type AuditCall, subjectOf } from './audit-words';

/** The times that can be chosen, in days; null for all of it. */
export const TIMES = {
  day: { label: 'Last 24 hours', days: 1 },
  week: { label: 'Last 7 days', days: 7 },
  month: { label: 'Last 30 days', days: 30 },
  all: { label: 'All time', days: null },
} as const;

export type AuditTime = keyof typeof TIMES;
export type OutcomeFilter = 'all' | 'changed' | 'failed';

/** Which calls are shown. */
export interface AuditFilter {
  /** `actor` as the log has it. */
  readonly agent: string | null;
  readonly tool: string | null;
  readonly time: AuditTime;
  /** What the person typed to find a note. */
  readonly note: string;
  /** The path that this names, when it is one. */
  readonly path: string | null;
  readonly outcome: OutcomeFilter;
}

const DAY_MS = 86_400_000;

/** The filter that the parameters of the screen ask for. */
export function filterOf({ agent, tool, time, note = '' }: ScreenParams): AuditFilter {
  const asked = Object.keys(TIMES).find((name): name is AuditTime => name === time);
  return {
    agent: agent === undefined || agent === '' ? null : agent,
    tool: tool === undefined || tool === '' ? null : tool,
    // Whoever comes for one note wants to see all that happened to it.
    time: asked ?? (note === '' ? 'day' : 'all'),
    ...noteFilter(note),
    outcome: 'all',
  };
}

/** What is typed narrows the list; once it is the path of a note, the service searches the whole log for it. */
export function noteFilter(note: string): Pick<AuditFilter, 'note' | 'path'> {
  const path = note.trim();
  return { note, path: /^(?:wiki|knowledge|raw)\/[^\\:]+\.md$/.test(path) ? path : null };
}

/** The beginning of the chosen time; null for all of it. */
export function sinceOf(time: AuditTime, now: Date): Date | null {
  const { days } = TIMES[time];
  return days === null ? null : new Date(now.getTime() - days * DAY_MS);
}

/** Whether a call that the service gave is shown: what was typed and names no path, the service cannot sort out. */
export function shows({ note, path }: Pick<AuditFilter, 'note' | 'path'>, call: AuditCall): boolean {
  const typed = note.trim().toLowerCase();
  if (typed === '' || path !== null) return true;
  const { main, aside = '' } = subjectOf(call);
  return [main, aside, ...call.paths].some((words) => words.toLowerCase().includes(typed));
}

/** True when more than the standard leaves calls out. */
export function narrows({ agent, tool, note, outcome }: AuditFilter): boolean {
  return agent !== null || tool !== null || note.trim() !== '' || outcome !== 'all';
}
