import type { ButtonHTMLAttributes, ComponentChildren, HTMLAttributes, Ref } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { type Hall, HALL_TITLES, HALLS } from '../../core/vocabulary/address';
import { useUi } from '../client/context';
import { Problem } from './feedback';
import { Icon, type IconName } from './icons';
import { useUniqueId } from './lists';

type ButtonProps = ButtonHTMLAttributes<HTMLButtonElement> & { readonly icon: IconName };

/** A button with an icon alone; `label` says to screen readers what it does. */
export function IconButton({ icon, label, ...rest }: ButtonProps & { readonly label: string }) {
  return (
    <button type="button" class="clickable-icon" aria-label={label} {...rest}>
      <Icon name={icon} />
    </button>
  );
}

/** The buttons to the one before and the one after: of changes, or of notes. */
export function StepButtons(props: {
  readonly noun: string;
  /** The index of the present one. */
  readonly at: number;
  readonly total: number;
  readonly onStep: (step: number) => void;
}) {
  const { noun, at, total, onStep } = props;
  return (
    <>
      <IconButton
        icon="chevron-up"
        label={`Previous ${noun}`}
        disabled={at <= 0}
        onClick={() => onStep(-1)}
      />
      <IconButton
        icon="chevron-down"
        label={`Next ${noun}`}
        disabled={at >= total - 1}
        onClick={() => onStep(1)}
      />
    </>
  );
}

/** A button with an icon before its words, for a bar. */
export function ActionButton({ icon, children, ...rest }: ButtonProps) {
  return (
    <button type="button" class="brain-action" {...rest}>
      <Icon name={icon} />
      {children}
    </button>
  );
}

/** A checkbox that looks the same in both hosts, with a title and optional help. */
export function Check(props: {
  readonly checked: boolean;
  readonly title: string;
  readonly help?: string;
  readonly onChange: (checked: boolean) => void;
}) {
  const { checked, title, help, onChange } = props;
  const id = useUniqueId();
  const toggle = (): void => onChange(!checked);
  return (
    <div
      class={help === undefined ? 'brain-check' : 'brain-check mod-top'}
      role="checkbox"
      aria-checked={checked}
      aria-labelledby={`${id}-title`}
      aria-describedby={help === undefined ? undefined : `${id}-help`}
      tabIndex={0}
      onClick={toggle}
      onKeyDown={(event) => {
        if (event.key !== ' ') return;
        event.preventDefault();
        event.stopPropagation();
        toggle();
      }}
    >
      <span class="brain-box">
        <Icon name="check" />
      </span>
      <div>
        <b class={help === undefined ? 'brain-check-title' : 'brain-strong'} id={`${id}-title`}>
          {title}
        </b>
        {help !== undefined && <p id={`${id}-help`}>{help}</p>}
      </div>
    </div>
  );
}

interface Chip<Value extends string> {
  readonly value: Value;
  readonly label: string;
  /** The key that chooses the value, shown before the label. */
  readonly key?: string;
}

/** A radio group with all its values in view. Arrow keys move and choose. */
export function Chips<Value extends string>(props: {
  readonly label: string;
  readonly chips: readonly Chip<Value>[];
  readonly value: Value | null;
  /** Set to the chip that the Tab key reaches. */
  readonly chipRef?: { current: HTMLButtonElement | null };
  /** `by` says how the value was chosen: an arrow key may move on, a press is meant. */
  readonly onChange: (value: Value, by: 'arrow' | 'press') => void;
}) {
  const { label, chips, value, chipRef, onChange } = props;
  const group = useRef<HTMLDivElement>(null);
  const chosen = chips.findIndex((chip) => chip.value === value);
  const move = (event: KeyboardEvent, step: number): void => {
    const next = chips[(Math.max(chosen, 0) + step + chips.length) % chips.length];
    if (next === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    onChange(next.value, 'arrow');
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
          onClick={() => onChange(chip.value, 'press')}
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

/** A radio group of the five halls, with the keys 1 to 5. */
export function HallChips(props: {
  readonly label?: string;
  readonly value: Hall | null;
  readonly chipRef?: { current: HTMLButtonElement | null };
  readonly onChange: (hall: Hall, by: 'arrow' | 'press') => void;
}) {
  const { label = 'Hall', ...rest } = props;
  return <Chips label={label} chips={HALL_CHIPS} {...rest} />;
}

/**
 * A button that copies a text. The result is shown in the button and in a status for screen readers; when the system refuses,
 * it asks the person to select the text.
 */
export function CopyButton(props: {
  readonly text: string;
  readonly class?: string;
  readonly children: ComponentChildren;
}) {
  const { host } = useUi();
  const [outcome, setOutcome] = useState<{ of: string; words: string } | null>(null);
  const copy = async (): Promise<void> => {
    try {
      await host.copy(props.text);
      setOutcome({ of: props.text, words: 'Copied' });
    } catch {
      setOutcome({ of: props.text, words: 'Not allowed here. Select the text instead.' });
    }
  };
  const words = outcome?.of === props.text ? outcome.words : null;
  return (
    <>
      <button type="button" class={props.class} onClick={() => void copy()}>
        <Icon name={words === 'Copied' ? 'check' : 'copy'} />
        {words ?? props.children}
      </button>
      <span class="brain-sr" role="status">
        {words}
      </span>
    </>
  );
}

interface FieldProps {
  readonly label: string;
  /** Shown muted at the right of the label. */
  readonly note?: ComponentChildren;
  /** Shown in place of the help; the field is then marked as invalid. */
  readonly error?: ComponentChildren;
  /** Shown below the control while there is no error. */
  readonly help?: ComponentChildren;
  /** Draws the control; gets the attributes that link it to its label and its error. */
  readonly children: (control: {
    readonly id: string;
    readonly 'aria-invalid': boolean | undefined;
    readonly 'aria-describedby': string | undefined;
  }) => ComponentChildren;
}

/** A form field: a label, its control, and below it the help or the error. */
export function Field({ label, note, error, help, children }: FieldProps) {
  const id = useUniqueId();
  const wrong = error !== undefined && error !== null;
  return (
    <div class="brain-field">
      <label for={id}>
        {label} {note !== undefined && <em>{note}</em>}
      </label>
      {children({
        id,
        'aria-invalid': wrong ? true : undefined,
        'aria-describedby': wrong ? `${id}-error` : undefined,
      })}
      {wrong ? <Problem id={`${id}-error`}>{error}</Problem> : help}
    </div>
  );
}

/** A text field of one line. */
export function TextField(
  props: Omit<FieldProps, 'children'> & {
    readonly value: string;
    readonly inputRef?: Ref<HTMLInputElement>;
    readonly placeholder?: string;
    readonly onInput: (value: string) => void;
  },
) {
  const { value, inputRef, placeholder, onInput, ...field } = props;
  return (
    <Field {...field}>
      {(control) => (
        <input
          {...control}
          {...(inputRef !== undefined && { ref: inputRef })}
          type="text"
          value={value}
          placeholder={placeholder}
          spellcheck={false}
          autocomplete="off"
          onInput={(event) => onInput(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}

/** An option of a menu. */
export interface MenuOption<Value extends string> {
  readonly value: Value;
  readonly label: string;
}

/** A menu of values, one of which is chosen. The browser draws its list. */
export function Menu<Value extends string>(
  props: Pick<HTMLAttributes<HTMLElement>, 'id' | 'aria-label' | 'aria-invalid' | 'aria-describedby'> & {
    readonly class?: string;
    readonly value: Value;
    readonly options: readonly MenuOption<Value>[];
    readonly onChange: (value: Value) => void;
  },
) {
  const { class: extra, options, onChange, ...rest } = props;
  return (
    <span class={extra === undefined ? 'brain-select' : `brain-select ${extra}`}>
      <select
        {...rest}
        onChange={(event) => {
          const chosen = options[event.currentTarget.selectedIndex];
          if (chosen !== undefined) onChange(chosen.value);
        }}
      >
        {options.map(({ value, label }) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
      <Icon name="chevron-down" />
    </span>
  );
}

/** A segmented control: toggle buttons, one of which is pressed, for views of the same thing. */
export function Segments<Value extends string>(props: {
  readonly label: string;
  readonly value: Value;
  readonly options: readonly {
    readonly value: Value;
    readonly label: ComponentChildren;
    readonly disabled?: boolean;
  }[];
  readonly onChange: (value: Value) => void;
}) {
  const { label, value, options, onChange } = props;
  return (
    <div class="brain-segments" role="group" aria-label={label}>
      {options.map((option) => (
        <button
          key={option.value}
          type="button"
          aria-pressed={option.value === value}
          disabled={option.disabled ?? false}
          onClick={() => onChange(option.value)}
        >
          {option.label}
        </button>
      ))}
    </div>
  );
}
