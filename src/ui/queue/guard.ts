import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks';

/** The keys that are down in a screen. Modifiers, and keys pressed together with Ctrl, Alt or Cmd, do not count. */
export interface HeldKeys {
  /**
   * Hears every key press of the screen before its parts do. A repetition is stopped when the key went down on another
   * element, which would get what was meant for the first, and when it would press a button or submit a field again.
   */
  readonly onKeyDown: (event: KeyboardEvent) => void;
  /** Returns true while the last key press is a repetition. */
  readonly isRepeating: () => boolean;
  /** Returns true while another key than the last one is down. */
  readonly isCrowded: () => boolean;
}

const MODIFIERS = new Set(['Shift', 'Control', 'Alt', 'AltGraph', 'Meta', 'CapsLock', 'Fn', 'NumLock']);

/** Follows the keys of a screen, wherever they are released. */
export function useHeldKeys(): HeldKeys {
  const state = useRef<HeldState>({ down: new Map(), repeats: false, stop: () => undefined, of: null });
  useEffect(() => () => state.current.stop(), []);
  return useMemo(() => heldKeysOf(state.current), []);
}

interface HeldState {
  /** The element that had the focus when the key went down, by the place of the key. */
  readonly down: Map<string, EventTarget | null>;
  repeats: boolean;
  /** Unsubscribes from the window. */
  stop: () => void;
  of: Window | null;
}

function heldKeysOf(state: HeldState): HeldKeys {
  const { down } = state;
  const release = (event: KeyboardEvent): void => {
    state.repeats = false;
    // A Mac tells nothing of keys that are released while Cmd is down.
    if (event.key === 'Meta') down.clear();
    else down.delete(placeOf(event));
  };
  const releaseAll = (): void => {
    state.repeats = false;
    down.clear();
  };
  // The host can move the screen to another window, and a key can be released in a layer above it.
  const listenIn = (win: Window | null): void => {
    if (win === null || win === state.of) return;
    state.stop();
    state.of = win;
    win.addEventListener('keyup', release, true);
    win.addEventListener('blur', releaseAll);
    state.stop = () => {
      win.removeEventListener('keyup', release, true);
      win.removeEventListener('blur', releaseAll);
    };
  };
  return {
    onKeyDown: (event) => {
      listenIn(event.view);
      if (event.isComposing || MODIFIERS.has(event.key)) {
        if (event.key === 'Meta') down.clear();
        return;
      }
      const place = placeOf(event);
      state.repeats = event.repeat;
      if (!event.repeat) {
        if (!event.ctrlKey && !event.metaKey && !event.altKey) down.set(place, event.target);
        return;
      }
      if (down.get(place) === event.target && !(event.key === 'Enter' && isOneLine(event.target))) return;
      event.preventDefault();
      event.stopPropagation();
    },
    isRepeating: () => state.repeats,
    isCrowded: () => down.size > 1,
  };
}

/** Returns the place of a key on the keyboard, or its character where the system does not tell. */
function placeOf({ code, key }: KeyboardEvent): string {
  return code === '' ? key.toLowerCase() : code;
}

/** Returns true unless Enter types a line break in the target. */
function isOneLine(target: EventTarget | null): boolean {
  return target === null || !('tagName' in target) || target.tagName !== 'TEXTAREA';
}

/** What is on the screen in full; `name` is shown to programs in the attribute `data-shown` of the screen. */
export interface Shown {
  /** Differs for every text that is shown; null while a part is missing. */
  readonly key: unknown;
  readonly name: string;
}

/**
 * Returns a function that returns true once what `shown` names has been painted: from the frame after the rendering that
 * draws it.
 */
export function usePainted(
  { key, name }: Shown,
  root: { readonly current: HTMLElement | null },
): (key: unknown) => boolean {
  const painted = useRef<unknown>(null);
  useLayoutEffect(() => {
    const { current: element } = root;
    const win = element?.ownerDocument.defaultView;
    painted.current = null;
    if (key === null || element === null || win === null || win === undefined) return undefined;
    let timer = 0;
    const frame = win.requestAnimationFrame(() => {
      // The frame is painted after its callbacks; a task comes after that.
      timer = win.setTimeout(() => {
        painted.current = key;
        element.dataset.shown = name;
      });
    });
    return () => {
      delete element.dataset.shown;
      win.cancelAnimationFrame(frame);
      win.clearTimeout(timer);
    };
  }, [key, name, root]);
  return (asked) => asked !== null && painted.current === asked;
}
