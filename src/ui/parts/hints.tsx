import type { ComponentChildren } from 'preact';
import { Key } from './key';

/**
 * The last row of every screen: the keys that matter now. It also keeps a host's floating status bar from covering a button.
 * `wide` ones go when the pane is narrow, `narrow` ones are only there then.
 */
export function Hints(props: {
  readonly hints: readonly {
    readonly keys: readonly string[];
    readonly label: ComponentChildren;
    readonly wide?: boolean;
    readonly narrow?: boolean;
  }[];
}) {
  return (
    <footer class="brain-hints" aria-label="Keys">
      {props.hints.map(({ keys, label, wide, narrow }) => (
        <span
          key={`${keys.join(' ')} ${narrow === true}`}
          class={wide === true ? 'brain-wide-only' : narrow === true ? 'brain-narrow-only' : undefined}
        >
          {keys.map((key) => (
            <Key key={key}>{key}</Key>
          ))}{' '}
          {label}
        </span>
      ))}
    </footer>
  );
}
