import { useEffect, type Inputs } from 'preact/hooks';

/**
 * Keeps the focus in a screen when the element that had it is taken away or switched off: browsers then give it to the body,
 * where no key of the screen works. Whoever leaves on purpose, by a click beside everything or into another pane, is let go.
 * `home` says who gets the focus.
 */
export function useKeptFocus(
  root: { readonly current: HTMLElement | null },
  home: () => HTMLElement | null,
  inputs: Inputs = [],
): void {
  useEffect(() => {
    const element = root.current;
    const win = element?.ownerDocument.defaultView;
    if (element === null || win === null || win === undefined) return undefined;
    const { body } = element.ownerDocument;
    let isInside = element.contains(element.ownerDocument.activeElement);
    const onFocus = (): void => {
      isInside = true;
    };
    const onLeave = ({ target, relatedTarget }: FocusEvent): void => {
      // An element that is still there afterwards has lost the focus to somebody, or to a click beside everything.
      win.queueMicrotask(() => {
        const stands = target !== null && 'isConnected' in target && target.isConnected === true;
        const isOff = stands && 'disabled' in target && target.disabled === true;
        if (stands && !isOff && (relatedTarget === null || !holds(element, relatedTarget))) isInside = false;
      });
    };
    const observer = new win.MutationObserver(() => {
      // The browser takes the focus away when it draws next.
      win.requestAnimationFrame(() => {
        const active = element.ownerDocument.activeElement;
        if (isInside && (active === null || active === body)) home()?.focus({ preventScroll: true });
      });
    });
    element.addEventListener('focusin', onFocus);
    element.addEventListener('focusout', onLeave);
    observer.observe(element, {
      childList: true,
      subtree: true,
      attributes: true,
      attributeFilter: ['disabled'],
    });
    return () => {
      element.removeEventListener('focusin', onFocus);
      element.removeEventListener('focusout', onLeave);
      observer.disconnect();
    };
  }, inputs);
}

function holds(element: HTMLElement, target: EventTarget): boolean {
  return 'nodeType' in target && element.contains(target as Node); // Only nodes have a node type.
}
