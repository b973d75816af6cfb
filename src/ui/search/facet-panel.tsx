import { useRef } from 'preact/hooks';
import { HALL_TITLES } from '../../core/rules/hall';
import { Icon } from '../parts/icon';
import { type Chosen, countFacets, type Facets } from './facets';

interface Choice {
  /** Empty for all. */
  readonly value: string;
  readonly label: string;
  readonly count: number;
}

/** One facet: a radio group whose arrows choose, as in every radio group. */
function FacetGroup(props: {
  readonly label: string;
  readonly choices: readonly Choice[];
  readonly value: string;
  readonly counts: boolean;
  readonly onChoose: (value: string) => void;
}) {
  const { label, choices, value, counts, onChoose } = props;
  const group = useRef<HTMLDivElement>(null);
  const at = Math.max(
    choices.findIndex((choice) => choice.value === value),
    0,
  );
  const move = (event: KeyboardEvent, step: number): void => {
    const next = (at + step + choices.length) % choices.length;
    event.preventDefault();
    event.stopPropagation();
    onChoose(choices[next]?.value ?? '');
    group.current?.querySelectorAll('button')[next]?.focus();
  };
  return (
    <div
      ref={group}
      role="radiogroup"
      aria-label={label}
      onKeyDown={(event) => {
        if (event.key === 'ArrowDown' || event.key === 'ArrowRight') move(event, 1);
        if (event.key === 'ArrowUp' || event.key === 'ArrowLeft') move(event, -1);
      }}
    >
      <h2>{label}</h2>
      {choices.map((choice, index) => (
        <button
          key={choice.value}
          type="button"
          class="brain-facet"
          role="radio"
          aria-checked={index === at}
          tabIndex={index === at ? 0 : -1}
          onClick={() => onChoose(choice.value)}
        >
          <span class="brain-cut">{choice.label}</span>
          {counts && <span class="brain-count">{choice.count}</span>}
        </button>
      ))}
    </div>
  );
}

/** The same facet as a menu, for a pane without room. */
function FacetMenu(props: {
  readonly label: string;
  readonly choices: readonly Choice[];
  readonly value: string;
  readonly counts: boolean;
  readonly onChoose: (value: string) => void;
}) {
  const { label, choices, value, counts, onChoose } = props;
  return (
    <span class="brain-select mod-facet">
      <select aria-label={label} value={value} onChange={(event) => onChoose(event.currentTarget.value)}>
        {choices.map((choice) => (
          <option key={choice.value} value={choice.value}>
            {choice.value === '' || !counts ? choice.label : `${choice.label} (${choice.count})`}
          </option>
        ))}
      </select>
      <Icon name="chevron-down" />
    </span>
  );
}

/** A switch of what is searched or shown. */
function Switch(props: {
  readonly label: string;
  readonly on: boolean;
  readonly onChange: (on: boolean) => void;
}) {
  return (
    <button
      type="button"
      class="brain-facet"
      role="checkbox"
      aria-checked={props.on}
      onClick={() => props.onChange(!props.on)}
    >
      <span class="brain-box">
        <Icon name="check" />
      </span>
      {props.label}
    </button>
  );
}

/** What narrows a search: wing and hall with their counts, and what is shown at all. In a narrow pane two menus. */
export function FacetPanel(props: {
  /** Null while nothing is found, and then there is nothing to count. */
  readonly facets: Facets | null;
  readonly chosen: Chosen;
  readonly raw: boolean;
  readonly onChoose: (change: { readonly wing?: string; readonly hall?: string }) => void;
  readonly onStale: (on: boolean) => void;
  readonly onRaw: (on: boolean) => void;
}) {
  const { facets: known, chosen, raw, onChoose, onStale, onRaw } = props;
  const facets = known ?? countFacets([], chosen);
  const counts = known !== null;
  const wing = {
    counts,
    label: 'Wing',
    choices: [
      { value: '', label: 'All wings', count: facets.allWings },
      ...facets.wings.map(({ value, count }) => ({ value, label: value, count })),
    ],
    value: chosen.wing ?? '',
    onChoose: (value: string) => onChoose({ wing: value }),
  };
  const hall = {
    counts,
    label: 'Hall',
    choices: [
      { value: '', label: 'All halls', count: facets.allHalls },
      ...facets.halls.map(({ value, count }) => ({ value, label: HALL_TITLES[value], count })),
    ],
    value: chosen.hall ?? '',
    onChoose: (value: string) => onChoose({ hall: value }),
  };
  return (
    <div class="brain-facets" role="group" aria-label="Narrow the search">
      <FacetGroup {...wing} />
      <FacetGroup {...hall} />
      <div role="group" aria-label="Show">
        <h2>Show</h2>
        <Switch label="Stale notes" on={chosen.stale} onChange={onStale} />
        <Switch label="The review queue" on={raw} onChange={onRaw} />
      </div>
      <div class="brain-narrow-only brain-row">
        <FacetMenu {...wing} />
        <FacetMenu {...hall} />
        <button
          type="button"
          class="clickable-icon"
          aria-label="Search the review queue too"
          aria-pressed={raw}
          onClick={() => onRaw(!raw)}
        >
          <Icon name="inbox" />
        </button>
      </div>
    </div>
  );
}
