import { useMemo, useState } from 'preact/hooks';
import { useUi } from '../client/context';
import { IconButton, Menu, type MenuOption } from '../kit/controls';
import { ScreenLink } from '../kit/screen-link';
import { count } from '../kit/words';
import type { Entry } from './entry';
import type { QueueAction, QueueState } from './state';
import {
  agentOf,
  ALL_RISKS,
  filterName,
  isNarrowed,
  keepFilter,
  NO_TRIAGE,
  NONE,
  RISK_WORDS,
  savedFilters,
  type Triage,
  triageWords,
  wingOf,
} from './triage';

/** The value of the option that leaves nothing out: no writer or wing is called so. */
const ALL = '*';

/** The fields that filter, group and sort the queue. */
export function TriageFields(props: {
  readonly state: QueueState;
  readonly dispatch: (action: QueueAction) => void;
}) {
  const { state, dispatch } = props;
  const { triage } = state;
  const entries = state.entries ?? [];
  const agents = useMemo(() => choices(entries, agentOf, 'No writer'), [entries]);
  const wings = useMemo(() => choices(entries, wingOf, 'No wing'), [entries]);
  const change = (part: Partial<Triage>): void =>
    dispatch({ type: 'triage', triage: { ...triage, ...part } });
  return (
    <div class="brain-triage" role="search" aria-label="Filter, group and sort">
      <Menu
        aria-label="Writer"
        value={triage.agent ?? ALL}
        options={[{ value: ALL, label: 'All writers' }, ...agents]}
        onChange={(value) => change({ agent: value === ALL ? null : value })}
      />
      <Menu
        aria-label="Wing"
        value={triage.wing ?? ALL}
        options={[{ value: ALL, label: 'All wings' }, ...wings]}
        onChange={(value) => change({ wing: value === ALL ? null : value })}
      />
      <Menu
        aria-label="Risk"
        value={triage.risk ?? ALL}
        options={RISK_OPTIONS}
        onChange={(value) =>
          change({ risk: value === ALL ? null : (ALL_RISKS.find((risk) => risk === value) ?? orAny(value)) })
        }
      />
      <Menu
        aria-label="Group"
        value={triage.group ?? ALL}
        options={GROUP_OPTIONS}
        onChange={(value) => change({ group: GROUPS.find((group) => group === value) ?? null })}
      />
      <Menu
        aria-label="Order"
        value={triage.order}
        options={ORDER_OPTIONS}
        onChange={(value) => change({ order: value === 'risk' ? 'risk' : 'age' })}
      />
      <SavedFilters state={state} dispatch={dispatch} />
      <ScreenLink screen="rules" class="brain-small">
        Rules that promote by themselves
      </ScreenLink>
    </div>
  );
}

/** The filters that this device keeps, and buttons to keep, forget and clear the present one. */
function SavedFilters({ state, dispatch }: Parameters<typeof TriageFields>[0]) {
  const { triage, filter } = state;
  const { host } = useUi();
  const [saved, setSaved] = useState(() => savedFilters(host.preferences));
  const now = { text: filter, triage };
  const name = filterName(now);
  const isSaved = saved.some((one) => filterName(one) === name);
  const apply = (text: string, next: Triage): void => {
    dispatch({ type: 'triage', triage: { ...next, snoozed: triage.snoozed } });
    dispatch({ type: 'filter', text });
  };
  return (
    <>
      {saved.length > 0 && (
        <Menu
          aria-label="Saved filters"
          value={isSaved ? name : ALL}
          options={[
            { value: ALL, label: 'Saved filters' },
            ...saved.map((one) => ({ value: filterName(one), label: filterName(one) })),
          ]}
          onChange={(value) => {
            const chosen = saved.find((one) => filterName(one) === value);
            apply(chosen?.text ?? '', chosen?.triage ?? NO_TRIAGE);
          }}
        />
      )}
      {name !== '' && (
        <div class="brain-row">
          <button
            type="button"
            class="brain-plain"
            onClick={() => setSaved(keepFilter(host.preferences, now, !isSaved))}
          >
            {isSaved ? 'Forget this filter' : 'Save this filter'}
          </button>
          <span class="brain-push" />
          <button type="button" class="brain-plain" onClick={() => apply('', NO_TRIAGE)}>
            Clear
          </button>
        </div>
      )}
    </>
  );
}

function orAny(value: string): Triage['risk'] {
  return value === 'any' ? 'any' : NONE;
}

const RISK_OPTIONS: readonly MenuOption<string>[] = [
  { value: ALL, label: 'Any risk or none' },
  { value: 'any', label: 'Any risk' },
  { value: NONE, label: 'No risk' },
  ...ALL_RISKS.map((value) => ({ value, label: RISK_WORDS[value] })),
];
const GROUPS = ['agent', 'wing', 'risk'] as const;
const GROUP_OPTIONS: readonly MenuOption<string>[] = [
  { value: ALL, label: 'No groups' },
  { value: 'agent', label: 'By writer' },
  { value: 'wing', label: 'By wing' },
  { value: 'risk', label: 'By risk' },
];
const ORDER_OPTIONS: readonly MenuOption<string>[] = [
  { value: 'age', label: 'Oldest first' },
  { value: 'risk', label: 'Risk first' },
];

/** Returns the values of the notes with the number of each, sorted; notes without one come last. */
function choices(
  entries: readonly Entry[],
  valueOf: (entry: Entry) => string,
  none: string,
): MenuOption<string>[] {
  const counts = new Map<string, number>();
  for (const entry of entries) counts.set(valueOf(entry), (counts.get(valueOf(entry)) ?? 0) + 1);
  return [...counts]
    .sort(([a], [b]) => Number(a === NONE) - Number(b === NONE) || a.localeCompare(b))
    .map(([value, notes]) => ({ value, label: `${value === NONE ? none : value} (${count(notes)})` }));
}

/** The button that opens the fields of the triage; it says when they leave notes out. */
export function TriageButton(props: {
  readonly triage: Triage;
  readonly open: boolean;
  readonly onToggle: () => void;
}) {
  const { triage, open, onToggle } = props;
  const words = triageWords(triage);
  return (
    <IconButton
      icon="list-filter"
      label={`Filter, group and sort${words === '' ? '' : `: ${words}`}`}
      aria-expanded={open}
      aria-pressed={isNarrowed(triage)}
      onClick={onToggle}
    />
  );
}

/** The button that lists the notes that are put off, and back; absent while there are none. */
export function SnoozedButton(props: {
  readonly state: QueueState;
  readonly dispatch: (action: QueueAction) => void;
}) {
  const { state, dispatch } = props;
  const { triage, entries } = state;
  const snoozed = entries?.filter((entry) => entry.snoozed_until !== undefined).length ?? 0;
  if (snoozed === 0 && !triage.snoozed) return null;
  return (
    <button
      type="button"
      class="brain-plain"
      aria-pressed={triage.snoozed}
      onClick={() => dispatch({ type: 'triage', triage: { ...triage, snoozed: !triage.snoozed } })}
    >
      Snoozed ({count(snoozed)})
    </button>
  );
}
