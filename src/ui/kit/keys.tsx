import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { useUi } from '../client/context';

/** A key of the keyboard, by its label: `A`, `Esc`, `↵`. */
export function Key({ children }: { readonly children: string }) {
  return <kbd class="brain-kbd">{children}</kbd>;
}

/** Keys that matter now, and what they do. A `wide` hint is hidden in a narrow pane; a `narrow` one is shown only there. */
export interface Hint {
  readonly keys: readonly string[];
  readonly label: ComponentChildren;
  readonly wide?: boolean;
  readonly narrow?: boolean;
}

/** The last row of every screen: its hints. It also keeps a host's floating status bar from covering a button. */
export function Hints(props: { readonly hints: readonly Hint[] }) {
  return (
    <footer class="brain-hints" aria-label="Keys">
      {props.hints.map(({ keys, label, wide, narrow }) => (
        <span
          key={`${keys.join(' ')} ${narrow === true}`}
          class={wide === true ? 'brain-wide-only' : narrow === true ? 'brain-narrow-only' : undefined}
        >
          {keys.map((key) => (
            <Key key={key}>{key}</Key>
          ))}{' '}
          {label}
        </span>
      ))}
    </footer>
  );
}

/** Returns true when Enter has a meaning on the target: it presses, follows, or opens something. */
export function isPressable(target: EventTarget | null): boolean {
  if (target === null || !('closest' in target) || typeof target.closest !== 'function') return false;
  // An object with `closest` is an Element, maybe of another window, where `instanceof` fails.
  return (target as Element).closest('button, a[href], input, select, textarea, summary') !== null;
}

/** A key binding of a screen. */
export interface KeyAction {
  /**
   * The combinations that run it: `a`, `?`, `ArrowDown`, `Shift+j`, `Mod+a` (Ctrl, or Cmd on a Mac), `F6`, `Escape`. A
   * single character without `Mod` is a bare letter.
   */
  readonly keys: readonly string[];
  /** True also runs it in a field. Only for keys that type nothing: `Escape`, `F6`, `Mod+Enter`. */
  readonly inFields?: boolean;
  /** Returns false when it did nothing; the key then keeps its default action. */
  run(event: KeyboardEvent): void | false;
}

/** A line in the list of all keys. */
interface KeyHelpLine {
  readonly label: string;
  /** The labels of the keys: `J`, `Esc`, `1–5`. */
  readonly keys: readonly string[];
}

export interface KeyHelpGroup {
  readonly title: string;
  readonly lines: readonly KeyHelpLine[];
}

/** Returns an event as a combination of `KeyAction.keys`. Shift counts for letters and named keys only: `?` needs it anyway. */
export function combination(event: KeyboardEvent): string {
  const letter = /^\p{L}$/u.test(event.key);
  const key = letter ? event.key.toLowerCase() : event.key;
  const mod = event.ctrlKey || event.metaKey ? 'Mod+' : '';
  const alt = event.altKey ? 'Alt+' : '';
  const shift = event.shiftKey && (letter || key.length > 1) ? 'Shift+' : '';
  return `${mod}${alt}${shift}${key}`;
}

/** Returns true for a combination that types text: one character, with or without Shift. */
export function isBare(keys: string): boolean {
  return [...keys.replace(/^Shift\+/, '')].length === 1;
}

/** Returns true when the target takes typed text. */
export function isField(target: EventTarget | null): boolean {
  if (target === null || !('closest' in target) || typeof target.closest !== 'function') return false;
  const selector =
    'input:not([type=checkbox]):not([type=radio]):not([type=button]), textarea, select, [contenteditable]:not([contenteditable="false"])';
  // An object with `closest` is an Element, as above.
  return (target as Element).closest(selector) !== null;
}

/** Returns true for Ctrl or Cmd with Enter in a text of several lines, of this window or another. */
export function isSubmitOfText(event: KeyboardEvent): boolean {
  const { target } = event;
  const isText = target !== null && 'tagName' in target && target.tagName === 'TEXTAREA';
  return isText && event.key === 'Enter' && (event.ctrlKey || event.metaKey);
}

/**
 * Swallows the repetitions of the key that opened a layer, which would go on as text in its fields or press its buttons. Stops
 * at the first new key press inside of the layer. Returns a function that stops it earlier.
 */
export function swallowHeldKey(layer: HTMLElement): () => void {
  const stop = (): void => layer.removeEventListener('keydown', onKeyDown, true);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (!event.repeat) {
      stop();
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  };
  layer.addEventListener('keydown', onKeyDown, true);
  return stop;
}

/** Returns the action for a key press, or null. `bare` is false when the person has turned bare letters off. */
export function actionFor(
  actions: readonly KeyAction[],
  event: KeyboardEvent,
  bare: boolean,
): KeyAction | null {
  if (event.isComposing || event.defaultPrevented) return null;
  const pressed = combination(event);
  const inField = isField(event.target);
  const action = actions.find(({ keys }) => keys.includes(pressed));
  if (action === undefined) return null;
  if (inField && action.inFields !== true) return null;
  if (isBare(pressed) && !bare) return null;
  return action;
}

/**
 * Returns a ref for the element that takes the focus when it appears, before the next key of the person: also in a layer that
 * opens with it.
 */
export function useFirstFocus<T extends HTMLElement>(): { current: T | null } {
  const element = useRef<T>(null);
  useLayoutEffect(() => {
    // A modal dialog that opens right after this gives the focus to the element with this attribute.
    element.current?.setAttribute('autofocus', '');
    element.current?.focus();
  }, []);
  // A layer that closes or opens may have taken the focus meanwhile. A person who has moved it within this layer keeps it.
  useEffect(() => {
    const active = element.current?.ownerDocument.activeElement ?? null;
    const layer = layerOf(element.current);
    const isKept =
      active !== null && active.tagName !== 'BODY' && active !== layer && layerOf(active) === layer;
    if (!isKept) element.current?.focus();
  }, []);
  return element;
}

function layerOf(element: Element | null): Element | null {
  return element?.closest('dialog, .modal') ?? null;
}

/**
 * Keeps the focus in a screen when the focused element is removed or disabled: browsers then focus the body, where no key of
 * the screen works. `home` returns the element that gets the focus. A person who leaves by a click elsewhere stays there.
 */
function useKeptFocus(root: { readonly current: HTMLElement | null }, home: () => HTMLElement | null): void {
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
      // An element that is still there afterwards has lost the focus to another one, or to a click elsewhere.
      win.queueMicrotask(() => {
        const isConnected = target !== null && 'isConnected' in target && target.isConnected === true;
        const isDisabled = isConnected && 'disabled' in target && target.disabled === true;
        if (isConnected && !isDisabled && (relatedTarget === null || !contains(element, relatedTarget)))
          isInside = false;
      });
    };
    const observer = new win.MutationObserver(() => {
      // The browser moves the focus to the body with the next frame.
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
  }, []);
}

function contains(element: HTMLElement, target: EventTarget): boolean {
  return 'nodeType' in target && element.contains(target as Node); // Only nodes have a node type.
}

interface ScreenKeys {
  readonly actions: readonly KeyAction[];
  /** The title of the list of all keys: "Keys in the review queue". */
  readonly title: string;
  readonly help: readonly KeyHelpGroup[];
  /** Returns the element to focus when the focused one is gone; by default, or for null, the screen itself. */
  readonly home?: () => HTMLElement | null;
}

/** An action of a screen, with the label and the keys of its line in the list of keys. */
export interface ScreenCommand {
  readonly label: string;
  readonly keys: readonly string[];
  readonly run: () => void;
}

/** The actions of each mounted screen, by its outermost element. */
const COMMANDS = new WeakMap<Element, () => readonly ScreenCommand[]>();

/** Returns the actions of the screen within an element that one letter runs, in the order of its list of keys. */
export function commandsIn(container: Element): readonly ScreenCommand[] {
  const frame = container.querySelector('.brain-frame');
  return frame === null ? [] : (COMMANDS.get(frame)?.() ?? []);
}

function commandsOf(actions: readonly KeyAction[], help: readonly KeyHelpGroup[]): ScreenCommand[] {
  return help.flatMap(({ lines }) =>
    lines.flatMap(({ label, keys }) => {
      const letter =
        keys.length === 1 && /^\p{L}$/u.test(keys[0] ?? '') ? (keys[0] ?? '').toLowerCase() : null;
      const action = letter === null ? undefined : actions.find((each) => each.keys.includes(letter));
      if (letter === null || action === undefined) return [];
      const run = (): void =>
        void action.run(new KeyboardEvent('keydown', { key: letter, cancelable: true }));
      return [{ label, keys, run }];
    }),
  );
}

/**
 * Binds the keys of a screen. Returns the props of its outermost element, which handles keys while the focus is inside, and
 * takes the focus when the screen appears unless another element of the window has it. `?` shows all keys. Bare letters do
 * nothing in a field, or when the preference `keys` is `off`.
 */
export function useKeys({ actions, title, help, home }: ScreenKeys) {
  const { host } = useUi();
  const root = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = root.current;
    const active = element?.ownerDocument.activeElement ?? null;
    if (element !== null && (active === null || active === element.ownerDocument.body)) {
      element.focus({ preventScroll: true });
    }
  }, []);
  useKeptFocus(root, () => home?.() ?? root.current);
  useLayoutEffect(() => {
    if (root.current !== null) COMMANDS.set(root.current, () => commandsOf(actions, help));
  });
  const { sharedKeys = [] } = host;
  const showHelp: KeyAction = {
    keys: ['?'],
    run: () => void host.openLayer(title, <KeyHelp groups={[...help, ...sharedKeys]} />),
  };
  return {
    ref: root,
    tabIndex: -1,
    onKeyDown: (event: KeyboardEvent): void => {
      const bare = host.preferences.get('keys') !== 'off';
      const action = actionFor([...actions, showHelp], event, bare);
      if (action !== null && action.run(event) !== false) {
        event.preventDefault();
        event.stopPropagation();
      }
    },
  };
}

/** The list of all keys of a screen, the content of the `?` layer. */
export function KeyHelp({ groups }: { readonly groups: readonly KeyHelpGroup[] }) {
  return (
    <div>
      <div class="brain-keys">
        {groups.map(({ title, lines }) => (
          <div key={title}>
            <h3>{title}</h3>
            <ul>
              {lines.map(({ label, keys }) => (
                <li key={label}>
                  {label}
                  <span>
                    {keys.map((key) => (
                      <Key key={key}>{key}</Key>
                    ))}
                  </span>
                </li>
              ))}
            </ul>
          </div>
        ))}
      </div>
      <div class="brain-prompt-foot">
        <span>
          Keys work while no field has the focus. <Key>Esc</Key> leaves a field.
        </span>
      </div>
    </div>
  );
}
