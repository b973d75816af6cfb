import type { ComponentChildren, RefObject } from 'preact';
import { Icon } from '../parts/icon';
import { Segments } from '../parts/segments';
import { type AuditFilter, type AuditTime, noteFilter, TIMES } from './audit-filter';

/** Which calls are shown: by agent, tool, time, note and outcome; in a narrow pane on several lines. */
export function FilterBar(props: {
  readonly filter: AuditFilter;
  readonly agents: readonly string[];
  readonly tools: readonly string[];
  readonly noteRef: RefObject<HTMLInputElement | null>;
  readonly onChange: (part: Partial<AuditFilter>) => void;
  /** At the right: the state of the chain. */
  readonly children: ComponentChildren;
}) {
  const { filter, agents, tools, noteRef, onChange, children } = props;
  return (
    <div class="brain-bar" role="search" aria-label="Filter the calls">
      <Menu
        label="Agent"
        kind="mod-agent"
        value={filter.agent ?? ''}
        options={[
          { value: '', label: 'All agents' },
          ...agents.map((value) => ({ value, label: value.replace(/^human:/, '') })),
        ]}
        onChange={(value) => onChange({ agent: value === '' ? null : value })}
      />
      <Menu
        label="Tool"
        kind="mod-tool"
        value={filter.tool ?? ''}
        options={[{ value: '', label: 'All tools' }, ...tools.map((value) => ({ value, label: value }))]}
        onChange={(value) => onChange({ tool: value === '' ? null : value })}
      />
      <Menu
        label="Time"
        kind="mod-time"
        value={filter.time}
        options={TIME_OPTIONS}
        onChange={(value) => onChange({ time: value })}
      />
      <div class="brain-audit-note">
        <div class="brain-input">
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

function Menu<Value extends string>(props: {
  readonly label: string;
  readonly kind: string;
  readonly value: Value;
  readonly options: readonly { readonly value: Value; readonly label: string }[];
  readonly onChange: (value: Value) => void;
}) {
  const { label, kind, value, options, onChange } = props;
  return (
    <span class={`brain-select ${kind}`}>
      <select
        aria-label={label}
        value={value}
        onChange={(event) => {
          const chosen = options[event.currentTarget.selectedIndex];
          if (chosen !== undefined) onChange(chosen.value);
        }}
      >
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
      <Icon name="chevron-down" />
    </span>
  );
}
