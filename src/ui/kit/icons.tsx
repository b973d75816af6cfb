import { h } from 'preact';
import * as ICONS from './icon-list';

export type IconName = keyof typeof ICONS;

/**
 * A Lucide icon. It is hidden from assistive technology, so words beside it or an `aria-label` of its parent must say the
 * same. Its size follows `--icon-size`.
 */
export function Icon({ name, class: extra }: { readonly name: IconName; readonly class?: string }) {
  return (
    <svg
      class={extra === undefined ? 'svg-icon' : `svg-icon ${extra}`}
      viewBox="0 0 24 24"
      aria-hidden="true"
    >
      {ICONS[name].map(([tag, attributes], index) => h(tag, { ...attributes, key: index }))}
    </svg>
  );
}
