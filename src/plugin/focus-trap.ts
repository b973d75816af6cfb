const FOCUSABLE =
  'a[href], button:not([disabled]), input:not([disabled]), select:not([disabled]), textarea:not([disabled]), [tabindex]:not([tabindex="-1"])';

/** Lets Tab go round within the element. Returns how to stop that. */
export function keepFocusInside(element: HTMLElement): () => void {
  const onKey = (event: KeyboardEvent): void => {
    if (event.key !== 'Tab') return;
    const stops = element.findAll(FOCUSABLE).filter((stop) => stop.isShown());
    const [first] = stops;
    const last = stops.at(-1);
    const { activeElement } = element.doc;
    const leaves = event.shiftKey ? activeElement === first : activeElement === last;
    if (!leaves) return;
    event.preventDefault();
    (event.shiftKey ? last : first)?.focus();
  };
  element.addEventListener('keydown', onKey);
  return () => element.removeEventListener('keydown', onKey);
}
