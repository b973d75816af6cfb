import type { TooltipOptions } from 'obsidian';

/** The host shows an element's `aria-label` when the mouse rests on it. */
export function setTooltip(el: HTMLElement, tooltip: string, options: TooltipOptions = {}): void {
  el.setAttribute('aria-label', tooltip);
  if (options.placement !== undefined) el.setAttribute('data-tooltip-position', options.placement);
}
