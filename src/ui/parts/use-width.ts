import type { RefObject } from 'preact';
import { useEffect, useState } from 'preact/hooks';

/** Panes from this width on have room for a side panel. The same number stands in the style sheet. */
export const WIDE_PANE = 1080;
/** Panes below this width show one thing at a time. The same number stands in the style sheet. */
export const NARROW_PANE = 720;

/** The width of an element in pixels, kept up to date, in whichever window it stands; null before it is known. */
export function useWidth(element: RefObject<HTMLElement | null>): number | null {
  const [width, setWidth] = useState<number | null>(null);
  useEffect(() => {
    const found = element.current;
    const Observer = found?.ownerDocument.defaultView?.ResizeObserver;
    if (!found || Observer === undefined) return undefined;
    const read = (): void => setWidth(found.clientWidth);
    const observer = new Observer(read);
    observer.observe(found);
    read();
    return () => observer.disconnect();
  }, [element]);
  return width;
}
