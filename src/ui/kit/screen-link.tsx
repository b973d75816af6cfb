import type { ComponentChildren } from 'preact';
import { useUi } from '../client/context';
import type { ScreenName, ScreenParams } from '../client/screens';

/**
 * A link to a screen. On the web page it is an ordinary link, which the browser can open in a new tab. The app has no such
 * addresses, so every click goes through the host.
 */
export function ScreenLink(props: {
  readonly screen: ScreenName;
  readonly params?: ScreenParams;
  readonly class?: string;
  readonly label?: string;
  readonly children: ComponentChildren;
}) {
  const { host } = useUi();
  const { screen, params = {}, label, children } = props;
  const query = new URLSearchParams(params).toString();
  const follow = (event: MouseEvent): void => {
    const isNewTab = event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey;
    if (isNewTab && host.kind === 'web') return;
    event.preventDefault();
    if (event.button < 2) host.go(screen, params);
  };
  return (
    <a
      href={`#/${screen}${query === '' ? '' : `?${query}`}`}
      class={props.class}
      aria-label={label}
      onClick={follow}
      onAuxClick={follow}
    >
      {children}
    </a>
  );
}
