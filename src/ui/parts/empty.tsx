import type { ComponentChildren } from 'preact';
import { Icon } from './icon';
import type { IconName } from './icons';

/** Nothing to show: what would be here, how it comes, and one way on, in that order. */
export function Empty(props: {
  readonly icon?: IconName;
  readonly title?: string;
  readonly children?: ComponentChildren;
}) {
  const { icon, title, children } = props;
  return (
    <div class="brain-empty">
      {icon !== undefined && <Icon name={icon} />}
      {title !== undefined && <h2>{title}</h2>}
      {children}
    </div>
  );
}
