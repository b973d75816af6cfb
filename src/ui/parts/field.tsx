import type { ComponentChildren, Ref } from 'preact';
import { Problem } from './problem';
import { useUniqueId } from './use-unique-id';

interface FieldProps {
  readonly label: string;
  /** Muted, at the right of the label. */
  readonly note?: ComponentChildren;
  /** Replaces the help; the field is then marked as wrong. */
  readonly error?: ComponentChildren;
  /** Below the control while nothing is wrong. */
  readonly help?: ComponentChildren;
  /** Gets the attributes that tie the control to its label and its error. */
  readonly children: (control: {
    readonly id: string;
    readonly 'aria-invalid': boolean | undefined;
    readonly 'aria-describedby': string | undefined;
  }) => ComponentChildren;
}

/** A label, its control, and below it either help or what is wrong. The error takes the place of the help. */
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

/** A field of one line. */
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
