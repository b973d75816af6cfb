import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks';

/** Rows drawn beyond what is in view, on each side, so that a quick scroll finds them there. */
const SPARE_ROWS = 6;
/** The window of drawn rows moves in steps of so many rows, so that most of a scroll draws nothing anew. */
const STEP = 4;

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
  const latest = useRef(offsets);
  latest.current = offsets;

  const read = useCallback(() => {
    const element = scroller.current;
    if (element === null) return;
    const next = { top: element.scrollTop, height: element.clientHeight };
    setView((old) => (sameRows(latest.current, old, next) ? old : next));
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
  const { start, end } = rowsIn(offsets, view);
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

interface View {
  readonly top: number;
  readonly height: number;
}

/** The rows to draw for a view, in steps, so that views that lie close draw the same. */
function rowsIn(offsets: readonly number[], { top, height }: View): { start: number; end: number } {
  const rows = offsets.length - 1;
  const first = rowAt(offsets, top) - SPARE_ROWS;
  const last = rowAt(offsets, top + height) + 1 + SPARE_ROWS;
  return {
    start: Math.max(0, Math.floor(first / STEP) * STEP),
    end: Math.min(rows, Math.ceil(last / STEP) * STEP),
  };
}

function sameRows(offsets: readonly number[], a: View, b: View): boolean {
  const [one, other] = [rowsIn(offsets, a), rowsIn(offsets, b)];
  return one.start === other.start && one.end === other.end;
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
