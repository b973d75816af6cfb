import { useEffect, useRef } from 'preact/hooks';
import type { BrainClient } from '../client';
import type { UiHost } from '../host';
import { type Mounted, mountScreen } from '../mount';
import type { ScreenName, ScreenParams } from '../screens';

export interface StageProps {
  readonly client: BrainClient;
  readonly host: UiHost;
  readonly screen: ScreenName;
  readonly params: ScreenParams;
}

/** Shows one screen, and moves the focus to its heading whenever it becomes another one. */
export function Stage({ client, host, screen, params }: StageProps) {
  const box = useRef<HTMLDivElement>(null);
  const mounted = useRef<Mounted | null>(null);
  const shown = useRef<ScreenName | null>(null);

  useEffect(() => {
    if (box.current === null) return;
    if (mounted.current === null)
      mounted.current = mountScreen(box.current, { client, host }, screen, params);
    else mounted.current.show(screen, params);
    if (shown.current !== screen) focusHeading(box.current);
    shown.current = screen;
  });
  useEffect(() => () => mounted.current?.unmount(), []);

  return <div class="brain-web-stage" ref={box} />;
}

/** Tells a screen reader where it is, and lets the bare keys of the screen work at once. */
export function focusHeading(container: HTMLElement): void {
  const heading = container.querySelector('h1');
  if (heading === null) return;
  heading.tabIndex = -1;
  heading.focus({ preventScroll: true });
}
