import type { ComponentChildren } from 'preact';
import { Icon } from './icon';
import type { IconName } from './icons';

const LOOKS = {
  neutral: { box: 'brain-notice', icon: 'refresh-cw', mark: '' },
  amber: { box: 'brain-notice mod-amber', icon: 'triangle-alert', mark: 'brain-warn' },
  red: { box: 'brain-notice mod-red', icon: 'circle-x', mark: 'brain-bad' },
} as const;

/**
 * A message in its place: neutral for something that happened, amber for something to look at, red for something that
 * failed. It stays until what it says is no longer so. Red interrupts a screen reader, the others wait.
 */
export function Notice(props: {
  readonly tone?: keyof typeof LOOKS;
  readonly icon?: IconName;
  readonly children: ComponentChildren;
}) {
  const { tone = 'neutral', icon, children } = props;
  const { box, icon: usual, mark } = LOOKS[tone];
  return (
    <div class={box} role={tone === 'red' ? 'alert' : 'status'}>
      <Icon name={icon ?? usual} class={mark} />
      <div>{children}</div>
    </div>
  );
}
