import { Icon } from './icon';
import { useUniqueId } from './use-unique-id';

/** A box to tick, drawn alike in both hosts, with its title and optionally what it means. */
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
