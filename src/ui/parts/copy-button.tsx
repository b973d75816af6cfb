import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { useUi } from '../context';
import { Icon } from './icon';

/**
 * Copies text and says so, in the button for the eye and in a status for the ear. Where the system refuses, it says that
 * instead, since the text can still be selected.
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
