import type { ComponentChildren } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { Field } from '../parts/field';
import { Icon } from '../parts/icon';
import { useUniqueId } from '../parts/use-unique-id';
import { count, counted } from '../parts/words';

interface Wing {
  readonly wing: string;
  readonly notes: number;
}

interface Props {
  readonly value: string;
  readonly wings: readonly Wing[];
  readonly error?: ComponentChildren;
  readonly inputRef?: { current: HTMLInputElement | null };
  readonly onInput: (value: string) => void;
}

/** Most wings that are offered at once. */
const MAX_OFFERED = 50;

/** The name of a wing, with those that exist on offer and how many notes each holds. A new name makes a new wing. */
export function WingField({ value, wings, error, inputRef, onInput }: Props) {
  const list = useUniqueId();
  const frame = useRef<HTMLDivElement>(null);
  const [open, setOpen] = useState(false);
  const [typed, setTyped] = useState(false);
  const [active, setActive] = useState(-1);
  const offered = offer(wings, typed ? value : '');
  const known = wings.find(({ wing }) => wing === value.trim());
  const shown = open && offered.length > 0;

  const choose = (wing: string): void => {
    onInput(wing);
    setOpen(false);
    setActive(-1);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      const step = event.key === 'ArrowDown' ? 1 : -1;
      setOpen(true);
      setActive((index) => (shown ? (index + step + offered.length) % offered.length : 0));
      return;
    }
    const chosen = shown ? offered[active] : undefined;
    if (event.key === 'Enter' && chosen !== undefined) {
      event.preventDefault();
      choose(chosen.wing);
    } else if (event.key === 'Escape' && shown) {
      event.preventDefault();
      event.stopPropagation();
      setOpen(false);
    }
  };

  return (
    <Field label="Wing" note={noteOf(value, known)} error={error}>
      {(control) => (
        <div class="brain-input" ref={frame}>
          <input
            {...control}
            {...(inputRef !== undefined && { ref: inputRef })}
            type="text"
            role="combobox"
            autocomplete="off"
            spellcheck={false}
            aria-expanded={shown}
            aria-controls={shown ? list : undefined}
            aria-autocomplete="list"
            aria-activedescendant={shown && active >= 0 ? `${list}-${active}` : undefined}
            value={value}
            onInput={(event) => {
              setTyped(true);
              setOpen(true);
              setActive(-1);
              onInput(event.currentTarget.value);
            }}
            onClick={() => setOpen(true)}
            onBlur={() => {
              setOpen(false);
              setTyped(false);
            }}
            onKeyDown={onKeyDown}
          />
          <Icon name="chevron-down" class="mod-end" />
          {shown && (
            <ul id={list} class="brain-menu" role="listbox" aria-label="Wings">
              {offered.map(({ wing, notes }, index) => (
                <li
                  key={wing}
                  id={`${list}-${index}`}
                  role="option"
                  aria-selected={index === active}
                  // Pressing must not take the focus from the field, or the list would go before the click comes.
                  onMouseDown={(event) => event.preventDefault()}
                  onClick={() => choose(wing)}
                >
                  <span class="brain-cut">{wing}</span>
                  <span class="brain-count">{count(notes)}</span>
                </li>
              ))}
            </ul>
          )}
        </div>
      )}
    </Field>
  );
}

/** The wings that contain what was typed, those that begin with it first. */
function offer(wings: readonly Wing[], typed: string): readonly Wing[] {
  const text = typed.trim().toLowerCase();
  const fitting = wings.filter(({ wing }) => wing.toLowerCase().includes(text));
  const begins = fitting.filter(({ wing }) => wing.toLowerCase().startsWith(text));
  return [...begins, ...fitting.filter((wing) => !begins.includes(wing))].slice(0, MAX_OFFERED);
}

function noteOf(value: string, known: Wing | undefined): string | undefined {
  if (known !== undefined) return counted(known.notes, 'note');
  return value.trim() === '' ? undefined : 'new wing';
}
