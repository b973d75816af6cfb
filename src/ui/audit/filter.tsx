import type { ComponentChildren, RefObject } from 'preact';
import type { ScreenParams } from '../client/screens';
import { Menu, Segments } from '../kit/controls';
import { Icon } from '../kit/icons';
import { type AuditCall, subjectOf } from './words';

/** The spans of time that the filter offers, in days; null for the whole log. */
export const TIMES = {
  day: { label: 'Last 24 hours', days: 1 },
  week: { label: 'Last 7 days', days: 7 },
  month: { label: 'Last 30 days', days: 30 },
  all: { label: 'All time', days: null },
} as const;

export type AuditTime = keyof typeof TIMES;
type OutcomeFilter = 'all' | 'changed' | 'failed';

export interface AuditFilter {
  /** The `actor` of the log. */
  readonly agent: string | null;
  readonly tool: string | null;
  readonly time: AuditTime;
  /** The text in the field for a note. */
  readonly note: string;
  /** The text when it is the path of a note, else null. */
  readonly path: string | null;
  readonly outcome: OutcomeFilter;
}

const DAY_MS = 86_400_000;

/** Returns the filter for the parameters of the screen. */
export function filterFromParams({ agent, tool, time, note = '' }: ScreenParams): AuditFilter {
  const span = Object.keys(TIMES).find((name): name is AuditTime => name === time);
  return {
    agent: agent === undefined || agent === '' ? null : agent,
    tool: tool === undefined || tool === '' ? null : tool,
    // A link to the calls on one note leads to all of them.
    time: span ?? (note === '' ? 'day' : 'all'),
    ...noteFilter(note),
    outcome: 'all',
  };
}

/** Returns the filter for a typed text: `path` is set when it is the path of a note, and the service then filters by it. */
export function noteFilter(note: string): Pick<AuditFilter, 'note' | 'path'> {
  const path = note.trim();
  return { note, path: /^(?:wiki|knowledge|raw)\/[^\\:]+\.md$/.test(path) ? path : null };
}

/** Returns the beginning of a span of time; null for the whole log. */
export function sinceOf(time: AuditTime, now: Date): Date | null {
  const { days } = TIMES[time];
  return days === null ? null : new Date(now.getTime() - days * DAY_MS);
}

/** Returns true for a call that contains the typed text. The service filters by everything else, and by whole paths. */
export function matchesText({ note, path }: Pick<AuditFilter, 'note' | 'path'>, call: AuditCall): boolean {
  const typed = note.trim().toLowerCase();
  if (typed === '' || path !== null) return true;
  const { main, aside = '' } = subjectOf(call);
  return [main, aside, ...call.paths].some((words) => words.toLowerCase().includes(typed));
}

/** Returns true when something other than the time leaves calls out. */
export function isNarrowed({ agent, tool, note, outcome }: AuditFilter): boolean {
  return agent !== null || tool !== null || note.trim() !== '' || outcome !== 'all';
}

/** The filter by agent, tool, time, note and outcome; in a narrow pane it takes several lines. */
export function FilterBar(props: {
  readonly filter: AuditFilter;
  readonly agents: readonly string[];
  readonly tools: readonly string[];
  readonly noteRef: RefObject<HTMLInputElement | null>;
  readonly onChange: (part: Partial<AuditFilter>) => void;
  /** Drawn at the right: the state of the chain. */
  readonly children: ComponentChildren;
}) {
  const { filter, agents, tools, noteRef, onChange, children } = props;
  return (
    <div class="brain-bar mod-head" role="search" aria-label="Filter the calls">
      <Menu
        aria-label="Agent"
        class="mod-agent"
        value={filter.agent ?? ''}
        options={[
          { value: '', label: 'All agents' },
          ...agents.map((value) => ({ value, label: value.replace(/^human:/, '') })),
        ]}
        onChange={(value) => onChange({ agent: value === '' ? null : value })}
      />
      <Menu
        aria-label="Tool"
        class="mod-tool"
        value={filter.tool ?? ''}
        options={[{ value: '', label: 'All tools' }, ...tools.map((value) => ({ value, label: value }))]}
        onChange={(value) => onChange({ tool: value === '' ? null : value })}
      />
      <Menu
        aria-label="Time"
        class="mod-time"
        value={filter.time}
        options={TIME_OPTIONS}
        onChange={(value) => onChange({ time: value })}
      />
      <div class="brain-input mod-filter">
        <Icon name="search" />
        <input
          ref={noteRef}
          type="search"
          aria-label="Note"
          placeholder="Note"
          spellcheck={false}
          autocomplete="off"
          value={filter.note}
          onInput={(event) => onChange(noteFilter(event.currentTarget.value))}
        />
      </div>
      <Segments
        label="Outcome"
        value={filter.outcome}
        options={[
          { value: 'all', label: 'All' },
          { value: 'changed', label: 'Changed' },
          { value: 'failed', label: 'Failed' },
        ]}
        onChange={(outcome) => onChange({ outcome })}
      />
      <span class="brain-push" />
      {children}
    </div>
  );
}

const TIME_OPTIONS: readonly { readonly value: AuditTime; readonly label: string }[] = [
  { value: 'day', label: TIMES.day.label },
  { value: 'week', label: TIMES.week.label },
  { value: 'month', label: TIMES.month.label },
  { value: 'all', label: TIMES.all.label },
];
