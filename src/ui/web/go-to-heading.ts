import { findHeading } from '../../core/rules/headings';

/**
 * Brings the first heading that the fragment of a link names into view and gives it the focus, so that a screen reader goes on
 * from there. Does nothing when there is none.
 */
export function goToHeading(page: HTMLElement, fragment: string): void {
  const elements = [...page.querySelectorAll<HTMLElement>('h2, h3, h4, h5, h6')];
  const headings = elements.map(({ tagName, textContent }) => ({
    level: Number(tagName.slice(1)),
    text: (textContent ?? '').replace(/\s+/g, ' ').trim(),
  }));
  const found = elements[findHeading(headings, fragment)];
  if (found === undefined) return;
  found.tabIndex = -1;
  found.focus({ preventScroll: true });
  found.scrollIntoView({ block: 'start' });
}
