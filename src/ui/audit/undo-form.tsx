import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { Field } from '../parts/field';
import { Icon } from '../parts/icon';
import { useUniqueId } from '../parts/use-unique-id';
import { sinceOfChoice, UNDO_SPANS, type UndoChoice } from './undo-choice';

/** Whose doings, and since when. */
export function UndoForm(props: {
  readonly choice: UndoChoice;
  readonly writers: readonly string[];
  readonly working: boolean;
  readonly onChange: (choice: UndoChoice) => void;
  readonly onLook: () => void;
  readonly close: () => void;
  readonly children: ComponentChildren;
}) {
  const { choice, writers, working, onChange, onLook, close, children } = props;
  const field = useRef<HTMLInputElement>(null);
  const list = useUniqueId();
  useEffect(() => field.current?.focus(), []);
  const isReady = choice.by.trim() !== '' && sinceOfChoice(choice) !== null;
  return (
    <form
      class="brain-ask brain-undo"
      onSubmit={(event) => {
        event.preventDefault();
        if (isReady) onLook();
      }}
    >
      <p>
        Notes that this writer wrote last go back to the version before, or to the review queue when there is
        none. Notes that others changed since stay as they are. You see the list first, and can take the undo
        back.
      </p>
      <Field
        label="Writer"
        note="whole name"
        help={<span class="brain-muted">The name of a token finds all its clients and models.</span>}
      >
        {(control) => (
          <>
            <input
              {...control}
              ref={field}
              type="text"
              list={list}
              value={choice.by}
              spellcheck={false}
              autocomplete="off"
              onInput={(event) => onChange({ ...choice, by: event.currentTarget.value })}
            />
            <datalist id={list}>
              {writers.map((writer) => (
                <option key={writer} value={writer} />
              ))}
            </datalist>
          </>
        )}
      </Field>
      <div class="brain-undo-since">
        <Field label="Since">
          {(control) => (
            <span class="brain-select">
              <select
                {...control}
                value={choice.span}
                onChange={(event) => {
                  const chosen = UNDO_SPANS[event.currentTarget.selectedIndex];
                  if (chosen !== undefined) onChange({ ...choice, span: chosen.value });
                }}
              >
                {UNDO_SPANS.map(({ value, label }) => (
                  <option key={value} value={value}>
                    {label}
                  </option>
                ))}
              </select>
              <Icon name="chevron-down" />
            </span>
          )}
        </Field>
        {choice.span === 'time' && (
          <Field label="Date and time">
            {(control) => (
              <input
                {...control}
                type="datetime-local"
                value={choice.time}
                onInput={(event) => onChange({ ...choice, time: event.currentTarget.value })}
              />
            )}
          </Field>
        )}
      </div>
      {children}
      <div class="brain-row brain-ask-foot">
        <button type="button" onClick={close}>
          Cancel
        </button>
        <button type="submit" class="mod-cta" disabled={working || !isReady}>
          <Icon name={working ? 'loader-circle' : 'search'} />
          {working ? 'Looking' : 'See what would happen'}
        </button>
      </div>
    </form>
  );
}
