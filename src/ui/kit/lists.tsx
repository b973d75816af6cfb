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
 * The component, drawn anew only when one of its props is another value than before. For rows of long lists; their functions
 * must then be the same from one drawing to the next.
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

/** A region that scrolls: it has a name and can take the focus, so that the keyboard can scroll it too. */
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
 * An id that no other element of the document has. Preact's own `useId` counts anew in every tree, and a layer is a tree
 * of its own: a label in it would name a field behind it.
 */
export function useUniqueId(): string {
  return useState(() => `brain-${++last}`)[0];
}

/** Rows drawn beyond what is in view, on each side, so that a quick scroll finds them there. */
const SPARE_ROWS = 6;
/** The window of drawn rows moves in steps of so many rows, so that most of a scroll draws nothing anew. */
const STEP = 4;

interface VirtualRows {
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
