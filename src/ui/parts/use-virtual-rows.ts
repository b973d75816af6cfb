import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks';

/** Rows drawn beyond what is in view, on each side, so that a quick scroll finds them there. */
const SPARE_ROWS = 6;

export interface VirtualRows {
  /** Is told the element that scrolls, and null when that has gone. */
  readonly attach: (element: HTMLElement | null) => void;
  readonly onScroll: () => void;
  /** Rows to draw: `start` to `end`, exclusive. */
  readonly start: number;
  readonly end: number;
  /**
   * Heights, in pixels, of what is not drawn above and below: `--brain-before` and `--brain-after` of an element with the
   * class `brain-virtual`.
   */
  readonly before: number;
  readonly after: number;
  /** Scrolls as little as is needed to have a row wholly in view. */
  readonly show: (index: number) => void;
}

/**
 * Draws only the rows of a long list that are in view. `heights` are the rows' heights in pixels, gaps included, and must be
 * right: nothing is measured. An array that changes for the list to change.
 */
export function useVirtualRows(heights: readonly number[]): VirtualRows {
  const scroller = useRef<HTMLElement | null>(null);
  const stopWatching = useRef<(() => void) | null>(null);
  const [view, setView] = useState({ top: 0, height: 800 });
  const offsets = useMemo(() => offsetsOf(heights), [heights]);

  const read = useCallback(() => {
    const element = scroller.current;
    if (element === null) return;
    const next = { top: element.scrollTop, height: element.clientHeight };
    setView((old) => (old.top === next.top && old.height === next.height ? old : next));
  }, []);

  const attach = useCallback(
    (element: HTMLElement | null) => {
      if (element === scroller.current) return;
      stopWatching.current?.();
      stopWatching.current = null;
      scroller.current = element;
      const Observer = element?.ownerDocument.defaultView?.ResizeObserver;
      if (element === null || Observer === undefined) return;
      const observer = new Observer(read);
      observer.observe(element);
      stopWatching.current = () => observer.disconnect();
      read();
    },
    [read],
  );
  useEffect(() => () => stopWatching.current?.(), []);

  const show = useCallback(
    (index: number) => {
      const element = scroller.current;
      const top = offsets[index];
      const bottom = offsets[index + 1];
      if (element === null || top === undefined || bottom === undefined) return;
      if (top < element.scrollTop) element.scrollTop = top;
      else if (bottom > element.scrollTop + element.clientHeight) {
        element.scrollTop = bottom - element.clientHeight;
      }
      read();
    },
    [offsets, read],
  );

  const total = offsets.at(-1) ?? 0;
  const start = Math.max(0, rowAt(offsets, view.top) - SPARE_ROWS);
  const end = Math.min(heights.length, rowAt(offsets, view.top + view.height) + 1 + SPARE_ROWS);
  return {
    attach,
    onScroll: read,
    start,
    end,
    before: offsets[start] ?? 0,
    after: total - (offsets[end] ?? total),
    show,
  };
}

/** Where each row begins, and where the last one ends. */
export function offsetsOf(heights: readonly number[]): number[] {
  const offsets = [0];
  for (const height of heights) offsets.push((offsets.at(-1) ?? 0) + height);
  return offsets;
}

/** The row in which a pixel lies; the last one for what is beyond. */
export function rowAt(offsets: readonly number[], pixel: number): number {
  let low = 0;
  let high = Math.max(0, offsets.length - 2);
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((offsets[middle] ?? 0) <= pixel) low = middle;
    else high = middle - 1;
  }
  return low;
}
