import { findHeading } from '../../core/links/headings';

/**
 * Goes to what the fragment of a link names: `^id` is the block with this id, anything else a heading. Returns false when the
 * page has neither.
 */
export function goToFragment(page: HTMLElement, fragment: string): boolean {
  return fragment.startsWith('^') ? goToAnchor(page, fragment) : goToHeading(page, fragment);
}

/**
 * Scrolls to the first element with an anchor, and focuses it, so that a screen reader continues there. Anchors are attributes
 * of their own and no ids, since a note could otherwise take the id of a part of the page.
 */
export function goToAnchor(page: HTMLElement, anchor: string): boolean {
  const elements = ownElements(page, '[data-anchor]');
  const found = elements.find(({ dataset }) => dataset.anchor === anchor);
  if (found === undefined) return false;
  focusAt(found);
  return true;
}

function goToHeading(page: HTMLElement, fragment: string): boolean {
  const elements = ownElements(page, 'h2, h3, h4, h5, h6');
  const headings = elements.map(({ tagName, textContent }) => ({
    level: Number(tagName.slice(1)),
    text: (textContent ?? '').replace(/\s+/g, ' ').trim(),
  }));
  const found = elements[findHeading(headings, fragment)];
  if (found === undefined) return false;
  focusAt(found);
  return true;
}

/** Returns the elements of the first rendered note in a page, without those of the notes that it embeds. */
function ownElements(page: HTMLElement, selector: string): HTMLElement[] {
  const note = page.matches(NOTE) ? page : page.querySelector(NOTE);
  return [...page.querySelectorAll<HTMLElement>(selector)].filter(
    (element) => element.closest(NOTE) === note,
  );
}
const NOTE = '.brain-note';

/** Opens the folded parts around an element, then scrolls to it and focuses it. */
function focusAt(element: HTMLElement): void {
  for (let at = element.parentElement; at !== null; at = at.parentElement) {
    if (at.localName === 'details') at.setAttribute('open', '');
  }
  element.tabIndex = -1;
  element.focus({ preventScroll: true });
  element.scrollIntoView({ block: 'start' });
}

/** Returns the rendered note that a pressed button is a part of. */
export function noteAround(event: { readonly currentTarget: HTMLElement }): HTMLElement {
  return event.currentTarget.closest<HTMLElement>(NOTE) ?? event.currentTarget;
}
