import type { ComponentChildren } from 'preact';
import { type Inputs, useEffect, useRef } from 'preact/hooks';
import { useUi } from '../client/context';

/** A key of the keyboard, as it is written on it: `A`, `Esc`, `↵`. */
export function Key({ children }: { readonly children: string }) {
  return <kbd class="brain-kbd">{children}</kbd>;
}

/**
 * The last row of every screen: the keys that matter now. It also keeps a host's floating status bar from covering a button.
 * `wide` ones go when the pane is narrow, `narrow` ones are only there then.
 */
export function Hints(props: {
  readonly hints: readonly {
    readonly keys: readonly string[];
    readonly label: ComponentChildren;
    readonly wide?: boolean;
    readonly narrow?: boolean;
  }[];
}) {
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

/** True when Enter on the target has a meaning of its own: it presses, follows, or opens something. */
export function isPressable(target: EventTarget | null): boolean {
  if (target === null || !('closest' in target) || typeof target.closest !== 'function') return false;
  // What has `closest` is an Element, of whichever window.
  return (target as Element).closest('button, a[href], input, select, textarea, summary') !== null;
}

/** One thing that the keyboard can do on a screen. */
export interface KeyAction {
  /**
   * Combinations that start it: `a`, `?`, `ArrowDown`, `Shift+j`, `Mod+a` (Ctrl, or Cmd on a Mac), `F6`, `Escape`. A
   * single character without `Mod` is a bare letter.
   */
  readonly keys: readonly string[];
  /** Works in a field too. Only sensible for what types nothing: `Escape`, `F6`, `Mod+Enter`. */
  readonly inFields?: boolean;
  /** Answers false when it did nothing, and the key then does what it usually does. */
  run(event: KeyboardEvent): void | false;
}

/** A line in the list of all keys. */
interface KeyHelpLine {
  readonly label: string;
  /** As they are shown: `J`, `Esc`, `1–5`. */
  readonly keys: readonly string[];
}

export interface KeyHelpGroup {
  readonly title: string;
  readonly lines: readonly KeyHelpLine[];
}

/** What an event says in the words of `KeyAction.keys`. Shift counts for letters and named keys only: `?` needs it anyway. */
export function combination(event: KeyboardEvent): string {
  const letter = /^\p{L}$/u.test(event.key);
  const key = letter ? event.key.toLowerCase() : event.key;
  const mod = event.ctrlKey || event.metaKey ? 'Mod+' : '';
  const alt = event.altKey ? 'Alt+' : '';
  const shift = event.shiftKey && (letter || key.length > 1) ? 'Shift+' : '';
  return `${mod}${alt}${shift}${key}`;
}

/** True for what a person types as text: one character, with or without Shift. */
export function isBare(keys: string): boolean {
  return [...keys.replace(/^Shift\+/, '')].length === 1;
}

/** True when the target takes typed text. */
export function isField(target: EventTarget | null): boolean {
  if (target === null || !('closest' in target) || typeof target.closest !== 'function') return false;
  const selector =
    'input:not([type=checkbox]):not([type=radio]):not([type=button]), textarea, select, [contenteditable]:not([contenteditable="false"])';
  return (target as Element).closest(selector) !== null; // What has `closest` is an Element, of whichever window.
}

/** The action that a key press means, or null. `bare` is false when the person has turned bare letters off. */
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
 * Keeps the focus in a screen when the element that had it is taken away or switched off: browsers then give it to the body,
 * where no key of the screen works. Whoever leaves on purpose, by a click beside everything or into another pane, is let go.
 * `home` says who gets the focus.
 */
function useKeptFocus(
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

interface ScreenKeys {
  readonly actions: readonly KeyAction[];
  /** Title of the list of all keys: "Keys in the review queue". */
  readonly title: string;
  readonly help: readonly KeyHelpGroup[];
  /** Who gets the focus when the element that had it is gone; the screen itself when this is left out or gives nobody. */
  readonly home?: () => HTMLElement | null;
}

/**
 * Gives a screen its keys. Answers what its outermost element needs: it hears keys only while the focus is inside of it,
 * and takes the focus when the screen appears, unless something else in its window has it. `?` shows all keys. Bare letters
 * rest while a field has the focus, and for good when the preference `keys` is `off`.
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
  const showHelp: KeyAction = {
    keys: ['?'],
    run: () => void host.openLayer(title, <KeyHelp groups={help} />),
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
