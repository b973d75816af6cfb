import { useLayoutEffect } from 'preact/hooks';
import type { QueueRefs } from './queue-refs';
import type { QueueState } from './queue-state';

/**
 * Gives the focus to the side that a narrow pane has turned to when the element that had it is no longer drawn: browsers would
 * leave it with nobody, and no key would work. Where both sides are drawn the focus stays where it is.
 */
export function usePaneFocus(pane: QueueState['pane'], refs: QueueRefs): void {
  // Before the browser draws, which is when it takes the focus from what is hidden.
  useLayoutEffect(() => {
    const root = refs.root.current;
    const active = root?.ownerDocument.activeElement ?? null;
    if (root === null || active === null || !root.contains(active) || isDrawn(active)) return;
    const side = pane === 'note' ? refs.note.current : refs.list.current;
    (side !== null && isDrawn(side) ? side : root).focus({ preventScroll: true });
  }, [pane, refs]);
}

/** True when an element takes up room on the screen, so that it can have the focus. */
export function isDrawn(element: Element): boolean {
  return element.getClientRects().length > 0;
}
