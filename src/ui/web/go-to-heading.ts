/**
 * Brings the first heading with these words into view and gives it the focus, so that a screen reader goes on from there. Of
 * `Chapter#Part`, as links may name a heading below another one, the last is meant. Does nothing when there is none.
 */
export function goToHeading(page: HTMLElement, heading: string): void {
  const wanted = plain(heading.split('#').at(-1) ?? '');
  const headings = page.querySelectorAll<HTMLElement>('h2, h3, h4, h5, h6');
  const found = [...headings].find((element) => wanted !== '' && plain(element.textContent ?? '') === wanted);
  if (found === undefined) return;
  found.tabIndex = -1;
  found.focus({ preventScroll: true });
  found.scrollIntoView({ block: 'start' });
}

/** A heading without what links leave out of it: marks, case, and how many spaces there are. */
function plain(text: string): string {
  return text
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
    .toLowerCase();
}
