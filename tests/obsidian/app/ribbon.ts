import type { HostState } from '../core/host-state';
import { setIcon } from '../ui/icons';
import { setTooltip } from '../ui/tooltip';

/** Draws an icon into the left ribbon. */
export function drawRibbonIcon(
  host: HostState,
  icon: string,
  title: string,
  callback: (evt: MouseEvent) => unknown,
): HTMLElement {
  const doc = host.document;
  const ribbon = doc.querySelector('.workspace-ribbon') ?? doc.body.createDiv('workspace-ribbon mod-left');
  const el = ribbon.createDiv('clickable-icon side-dock-ribbon-action');
  setIcon(el, icon);
  setTooltip(el, title);
  el.addEventListener('click', callback);
  return el;
}
