import { h } from 'preact';
import { ICONS, type IconName } from './icons';

/**
 * A Lucide icon. Decoration only: it is hidden from assistive technology, so words or an `aria-label` on what holds it must
 * say the same. Its size follows `--icon-size`.
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
