import type { ComponentChildren } from 'preact';

/** One of a few views of the same thing. Each is a button that is pressed or not. */
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
