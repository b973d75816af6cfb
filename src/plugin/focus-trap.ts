const FOCUSABLE =
  'a[href], button:not([disabled]), input:not([disabled]), select:not([disabled]), textarea:not([disabled]), [tabindex]:not([tabindex="-1"])';

/**
 * Lets Tab go round within the element; where nothing in it can have the focus, the element keeps it. Returns how to stop
 * that.
 */
export function keepFocusInside(element: HTMLElement): () => void {
  const onKey = (event: KeyboardEvent): void => {
    if (event.key !== 'Tab') return;
    const stops = element.findAll(FOCUSABLE).filter((stop) => stop.isShown());
    const [first] = stops;
    const last = stops.at(-1);
    const { activeElement } = element.doc;
    const edge = event.shiftKey ? first : last;
    // The element itself has the focus at first; from there Shift+Tab would lead out.
    const isInside = activeElement !== element && element.contains(activeElement);
    if (isInside && activeElement !== edge) return;
    event.preventDefault();
    ((event.shiftKey ? last : first) ?? element).focus();
  };
  element.addEventListener('keydown', onKey);
  return () => element.removeEventListener('keydown', onKey);
}
