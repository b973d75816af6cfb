import { define, type DomWindow } from './define';
import { isInstance } from './node-helpers';

type Delegate = (this: unknown, event: Event, target: Element) => unknown;
type ListenerOptions = boolean | AddEventListenerOptions;

interface Delegated {
  readonly type: string;
  readonly selector: string;
  readonly listener: Delegate;
  readonly callback: (event: Event) => void;
}

const delegated = new WeakMap<EventTarget, Delegated[]>();
const migrations = new WeakMap<Node, Set<(win: Window) => unknown>>();

/** Of the fake alone: tells those below an element that they have moved into another window. */
export function tellMigrated(root: Element, win: Window): void {
  for (const el of [root, ...Array.from(root.querySelectorAll('*'))]) {
    for (const listener of migrations.get(el) ?? []) listener(win);
  }
}

function on(
  target: EventTarget,
  type: string,
  selector: string,
  listener: Delegate,
  options?: ListenerOptions,
): void {
  const callback = (event: Event): void => {
    const from = event.target;
    if (from === null || !('closest' in from) || typeof from.closest !== 'function') return;
    const found: unknown = Reflect.apply(from.closest, from, [selector]);
    if (typeof found === 'object' && found !== null) Reflect.apply(listener, target, [event, found]);
  };
  delegated.set(target, [...(delegated.get(target) ?? []), { type, selector, listener, callback }]);
  target.addEventListener(type, callback, options);
}

function off(
  target: EventTarget,
  type: string,
  selector: string,
  listener: Delegate,
  options?: ListenerOptions,
): void {
  const all = delegated.get(target) ?? [];
  const gone = all.filter(
    (one) => one.type === type && one.selector === selector && one.listener === listener,
  );
  for (const { callback } of gone) target.removeEventListener(type, callback, options);
  delegated.set(
    target,
    all.filter((one) => !gone.includes(one)),
  );
}

function setStyle(el: ElementCSSInlineStyle, styles: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(styles)) {
    if (name.startsWith('--')) el.style.setProperty(name, value);
    else Reflect.set(el.style, name, value);
  }
}

const delegation = {
  on(this: EventTarget, type: string, selector: string, listener: Delegate, options?: ListenerOptions) {
    on(this, type, selector, listener, options);
  },
  off(this: EventTarget, type: string, selector: string, listener: Delegate, options?: ListenerOptions) {
    off(this, type, selector, listener, options);
  },
};

const styling = {
  setCssStyles(this: ElementCSSInlineStyle, styles: Record<string, string>) {
    setStyle(this, styles);
  },
  setCssProps(this: ElementCSSInlineStyle, props: Record<string, string>) {
    setStyle(this, props);
  },
};

/** What the host adds to elements of HTML, to documents and to events of the user. */
export function installHtmlHelpers(win: DomWindow): void {
  define(win.HTMLElement.prototype, {
    ...delegation,
    ...styling,
    show(this: HTMLElement) {
      setStyle(this, { display: '' });
    },
    hide(this: HTMLElement) {
      setStyle(this, { display: 'none' });
    },
    toggle(this: HTMLElement, show: boolean) {
      setStyle(this, { display: show ? '' : 'none' });
    },
    toggleVisibility(this: HTMLElement, visible: boolean) {
      setStyle(this, { visibility: visible ? '' : 'hidden' });
    },
    isShown(this: HTMLElement) {
      if (!this.isConnected) return false;
      const hidden = (el: HTMLElement | null): boolean =>
        el !== null && (el.style.display === 'none' || hidden(el.parentElement));
      return !hidden(this);
    },
    onClickEvent(this: HTMLElement, listener: (event: MouseEvent) => unknown, options?: ListenerOptions) {
      this.addEventListener('click', listener, options);
      this.addEventListener('auxclick', listener, options);
    },
    onWindowMigrated(this: HTMLElement, listener: (win: Window) => unknown) {
      const listeners = migrations.get(this) ?? new Set();
      migrations.set(this, listeners.add(listener));
      return () => listeners.delete(listener);
    },
    onNodeInserted(this: HTMLElement, listener: () => unknown, once = false) {
      const observer = new win.MutationObserver(() => {
        if (!this.isConnected) return;
        if (once) observer.disconnect();
        listener();
      });
      observer.observe(this.ownerDocument, { childList: true, subtree: true });
      return () => {
        observer.disconnect();
      };
    },
    trigger(this: HTMLElement, type: string) {
      this.dispatchEvent(new win.Event(type, { bubbles: true }));
    },
  });
  define(win.SVGElement.prototype, styling);
  define(win.Document.prototype, delegation);
  define(win.UIEvent.prototype, {
    instanceOf(this: UIEvent, type: { readonly name: string }) {
      return isInstance(this, this.view, type);
    },
  });
  for (const [name, get] of Object.entries({
    win(this: UIEvent) {
      return this.view ?? win;
    },
    doc(this: UIEvent) {
      return (this.view ?? win).document;
    },
    targetNode(this: UIEvent) {
      return this.target;
    },
  })) {
    Object.defineProperty(win.UIEvent.prototype, name, { get, configurable: true });
  }
}
