import { useRef } from 'preact/hooks';
import { Icon } from '../parts/icon';
import { count } from '../parts/words';
import type { FacetView } from './facet-choices';

interface Props {
  readonly facet: FacetView;
  /** False while nothing is found, and then there is nothing to count. */
  readonly counts: boolean;
  readonly onChoose: (value: string) => void;
}

/** One facet: a radio group whose arrows choose, as in every radio group. */
export function FacetGroup({ facet: { label, choices, value }, counts, onChoose }: Props) {
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
          {counts && choice.count !== undefined && <span class="brain-count">{count(choice.count)}</span>}
        </button>
      ))}
    </div>
  );
}

/** The same facet as a menu, for a pane without room. */
export function FacetMenu({ facet: { label, choices, value }, counts, onChoose }: Props) {
  return (
    <span class="brain-select mod-facet">
      <select aria-label={label} value={value} onChange={(event) => onChoose(event.currentTarget.value)}>
        {choices.map((choice) => (
          <option key={choice.value} value={choice.value}>
            {choice.value === '' || !counts || choice.count === undefined
              ? choice.label
              : `${choice.label} (${choice.count})`}
          </option>
        ))}
      </select>
      <Icon name="chevron-down" />
    </span>
  );
}
