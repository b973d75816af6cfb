import type { ComponentChildren } from 'preact';
import { Icon } from './icon';
import type { IconName } from './icons';

export type Tone = 'amber' | 'red' | 'green' | 'accent';

/** A fact that asks for attention: always an icon and words, so that colour is never the only sign. */
export function Flag(props: {
  readonly icon: IconName;
  readonly tone?: Tone;
  readonly title?: string;
  readonly children: ComponentChildren;
}) {
  const { icon, tone, title, children } = props;
  return (
    <span class={tone === undefined ? 'brain-flag' : `brain-flag mod-${tone}`} title={title}>
      <Icon name={icon} />
      {children}
    </span>
  );
}
