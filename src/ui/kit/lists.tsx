import {
  Component,
  type ComponentChildren,
  type ComponentType,
  type Ref,
  type RefObject,
  type VNode,
} from 'preact';
import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks';

/**
 * Returns a component that renders only when a prop has changed by `Object.is`. It is for rows of long lists, whose callbacks
 * must keep their identity between renders.
 */
export function memo<Props extends object>(Inner: ComponentType<Props>): ComponentType<Props> {
  return class extends Component<Props> {
    override shouldComponentUpdate(next: Readonly<Props>): boolean {
      return !sameProps(this.props, next);
    }

    override render(): VNode {
      return <Inner {...this.props} />;
    }
  };
}

function sameProps(before: object, after: object): boolean {
  const old = new Map(Object.entries(before));
  const now = Object.entries(after);
  return (
    old.size === now.length && now.every(([name, value]) => old.has(name) && Object.is(old.get(name), value))
  );
}

/** A scrollable region with a name. It can take the focus, so that the keyboard can scroll it. */
export function ScrollArea(props: {
  readonly label: string;
  readonly areaRef?: Ref<HTMLDivElement>;
  readonly children: ComponentChildren;
}) {
  const { label, areaRef, children } = props;
  return (
    <div
      {...(areaRef !== undefined && { ref: areaRef })}
      class="brain-scroll"
      tabIndex={0}
      role="region"
      aria-label={label}
    >
      {children}
    </div>
  );
}

let last = 0;

/**
 * Returns an id that is unique in the document. Preact's `useId` counts from 0 in every tree, and a layer is a separate tree,
 * so a label in it would name a field of the screen behind.
 */
export function useUniqueId(): string {
  return useState(() => `brain-${++last}`)[0];
}

/** The number of rows drawn beyond the view on each side, for quick scrolling. */
const OVERSCAN = 6;
/** The range of drawn rows moves in steps of this many rows, so that most scroll events render nothing. */
const STEP = 4;

interface VirtualRows {
  /** The ref callback of the element that scrolls. */
  readonly attach: (element: HTMLElement | null) => void;
  readonly onScroll: () => void;
  /** The range of rows to draw; `end` is exclusive. */
  readonly start: number;
  readonly end: number;
  /**
   * The heights of the rows that are not drawn above and below (px), for the properties `--brain-before` and `--brain-after`
   * of an element with the class `brain-virtual`.
   */
  readonly before: number;
  readonly after: number;
  /** Scrolls by the least amount that brings a row wholly into view. */
  readonly show: (index: number) => void;
}

/**
 * Virtualises a long list: returns the range of rows near the view. `heights` are the heights of the rows with their gaps (px)
 * and must be exact, since nothing is measured; a changed list is a new array.
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

/** Returns the rows to draw for a view, rounded to steps, so that nearby views draw the same rows. */
function rowsIn(offsets: readonly number[], { top, height }: View): { start: number; end: number } {
  const rows = offsets.length - 1;
  const first = rowAt(offsets, top) - OVERSCAN;
  const last = rowAt(offsets, top + height) + 1 + OVERSCAN;
  return {
    start: Math.max(0, Math.floor(first / STEP) * STEP),
    end: Math.min(rows, Math.ceil(last / STEP) * STEP),
  };
}

function sameRows(offsets: readonly number[], a: View, b: View): boolean {
  const [one, other] = [rowsIn(offsets, a), rowsIn(offsets, b)];
  return one.start === other.start && one.end === other.end;
}

/** Returns the offset of each row and the end of the last one (px). */
export function offsetsOf(heights: readonly number[]): number[] {
  const offsets = [0];
  for (const height of heights) offsets.push((offsets.at(-1) ?? 0) + height);
  return offsets;
}

/** Returns the index of the row at an offset (px); beyond the end, the last one. */
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

/** A pane of at least this width has room for a side panel (px). The style sheets repeat the number. */
export const WIDE_PANE = 1080;
/** A pane below this width shows one panel at a time (px). The style sheets repeat the number. */
export const NARROW_PANE = 720;

/** Returns the width of an element (px), kept up to date in any window of the app; null before it is known. */
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
