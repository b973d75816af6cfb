import { useRef } from 'preact/hooks';
import { type Hall, HALL_TITLES, HALLS } from '../../core/rules/hall';

interface Chip<Value extends string> {
  readonly value: Value;
  readonly label: string;
  /** The key that chooses it, shown before the label. */
  readonly key?: string;
}

/** One of a few values, all in view: a radio group. Arrows move and choose, as in every radio group. */
export function Chips<Value extends string>(props: {
  readonly label: string;
  readonly chips: readonly Chip<Value>[];
  readonly value: Value | null;
  /** Is told the chip that the Tab key reaches. */
  readonly chipRef?: { current: HTMLButtonElement | null };
  readonly onChange: (value: Value) => void;
}) {
  const { label, chips, value, chipRef, onChange } = props;
  const group = useRef<HTMLDivElement>(null);
  const chosen = chips.findIndex((chip) => chip.value === value);
  const move = (event: KeyboardEvent, step: number): void => {
    const next = chips[(Math.max(chosen, 0) + step + chips.length) % chips.length];
    if (next === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    onChange(next.value);
    group.current?.querySelectorAll('button')[chips.indexOf(next)]?.focus();
  };
  return (
    <div
      ref={group}
      class="brain-chips"
      role="radiogroup"
      aria-label={label}
      onKeyDown={(event) => {
        if (event.key === 'ArrowRight' || event.key === 'ArrowDown') move(event, 1);
        if (event.key === 'ArrowLeft' || event.key === 'ArrowUp') move(event, -1);
      }}
    >
      {chips.map((chip, index) => (
        <button
          key={chip.value}
          type="button"
          role="radio"
          aria-checked={index === chosen}
          {...(chipRef !== undefined && index === Math.max(chosen, 0) && { ref: chipRef })}
          tabIndex={index === Math.max(chosen, 0) ? 0 : -1}
          onClick={() => onChange(chip.value)}
        >
          {chip.key !== undefined && <i>{chip.key}</i>}
          {chip.label}
        </button>
      ))}
    </div>
  );
}

const HALL_CHIPS = HALLS.map((hall, index) => ({
  value: hall,
  label: HALL_TITLES[hall],
  key: `${index + 1}`,
}));

/** The five halls, keys 1 to 5. */
export function HallChips(props: {
  readonly label?: string;
  readonly value: Hall | null;
  readonly chipRef?: { current: HTMLButtonElement | null };
  readonly onChange: (hall: Hall) => void;
}) {
  const { label = 'Hall', ...rest } = props;
  return <Chips label={label} chips={HALL_CHIPS} {...rest} />;
}
