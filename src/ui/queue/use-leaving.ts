import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Entry } from './entry';

/** How long a row takes to leave. The same number stands in the style sheet. */
const LEAVE_MS = 120;

/** A row on its way out, and the path of the row that stood below it; null below the last one. */
interface LeavingRow {
  readonly entry: Entry;
  readonly above: string | null;
}

/**
 * The rows that have just left the queue and fade where they stood: of those that were drawn, not those that a filter hides.
 * None where the person wants nothing to move. `list` is the element that they stand in. Answers the rows that go above a path.
 */
export function useLeaving(
  entries: readonly Entry[] | null,
  drawn: readonly Entry[],
  list: { readonly current: HTMLElement | null },
): (path: string | null) => readonly Entry[] {
  const [rows, setRows] = useState<readonly LeavingRow[]>([]);
  const queued = useMemo(() => new Set(entries?.map(({ path }) => path)), [entries]);
  const before = useRef(drawn);
  const timers = useRef(new Set<number>());
  useEffect(() => () => timers.current.forEach((timer) => window.clearTimeout(timer)), []);

  // Before the browser draws the list without them.
  useLayoutEffect(() => {
    const { current: old } = before;
    before.current = drawn;
    const gone = old.filter(({ path }) => !queued.has(path));
    if (gone.length === 0 || !moves(list.current)) return;
    const left = gone.map((entry): LeavingRow => {
      const next = old.slice(old.indexOf(entry) + 1).find(({ path }) => queued.has(path));
      return { entry, above: next?.path ?? null };
    });
    setRows((all) => [...all, ...left]);
    const timer = window.setTimeout(() => {
      timers.current.delete(timer);
      setRows((all) => all.filter((row) => !left.includes(row)));
    }, LEAVE_MS);
    timers.current.add(timer);
  }, [drawn, queued, list]);

  return useCallback(
    (path) =>
      rows.filter(({ above, entry }) => above === path && !queued.has(entry.path)).map(({ entry }) => entry),
    [rows, queued],
  );
}

function moves(element: HTMLElement | null): boolean {
  const win = element?.ownerDocument.defaultView;
  return win !== null && win !== undefined && !win.matchMedia('(prefers-reduced-motion: reduce)').matches;
}
