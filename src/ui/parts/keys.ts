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
export interface KeyHelpLine {
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
