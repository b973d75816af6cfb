import type {
  KeymapContext,
  KeymapEventHandler,
  KeymapEventListener,
  Modifier,
  PaneType,
  UserEvent,
} from 'obsidian';

interface Handler extends KeymapEventHandler {
  readonly func: KeymapEventListener;
  readonly scope: Scope;
}

const HELD = { Ctrl: 'ctrlKey', Meta: 'metaKey', Shift: 'shiftKey', Alt: 'altKey', Mod: 'ctrlKey' } as const;

/** Keys that something on the screen answers to; what it leaves goes to its parent. */
export class Scope {
  readonly #handlers: Handler[] = [];
  readonly #parent: Scope | undefined;

  constructor(parent?: Scope) {
    this.#parent = parent;
  }

  register(modifiers: Modifier[] | null, key: string | null, func: KeymapEventListener): KeymapEventHandler {
    const handler = { modifiers: modifiers === null ? null : sorted(modifiers), key, func, scope: this };
    this.#handlers.push(handler);
    return handler;
  }

  unregister(handler: KeymapEventHandler): void {
    const at = this.#handlers.findIndex((one) => one === handler);
    if (at >= 0) this.#handlers.splice(at, 1);
  }

  /** Of the fake alone: hands a key to the first handler that takes it; one that returns false stops its usual effect. */
  handle(event: KeyboardEvent): void {
    const modifiers = sorted((['Ctrl', 'Meta', 'Shift', 'Alt'] as const).filter((one) => event[HELD[one]]));
    const handler = this.#handlers.find(
      (one) =>
        (one.key === null || one.key.toLowerCase() === event.key.toLowerCase()) &&
        (one.modifiers === null || one.modifiers === modifiers),
    );
    if (handler === undefined) return this.#parent?.handle(event);
    const context: KeymapContext = { modifiers, key: event.key, vkey: event.code };
    if (handler.func(event, context) === false) event.preventDefault();
  }
}

/** Which scope has the keys: the one that was pushed last. */
export class Keymap {
  readonly #stack: Scope[] = [];

  pushScope(scope: Scope): void {
    this.#stack.push(scope);
  }

  popScope(scope: Scope): void {
    const at = this.#stack.lastIndexOf(scope);
    if (at >= 0) this.#stack.splice(at, 1);
  }

  /** Of the fake alone. */
  get top(): Scope | undefined {
    return this.#stack.at(-1);
  }

  static isModifier(evt: MouseEvent | TouchEvent | KeyboardEvent, modifier: Modifier): boolean {
    return evt[HELD[modifier]];
  }

  /** Where a click with these keys opens a note: a tab with Mod, beside with Mod and Alt, a window with Shift as well. */
  static isModEvent(evt?: UserEvent | null): PaneType | boolean {
    if (!evt?.ctrlKey) return evt instanceof Object && 'button' in evt && evt.button === 1 ? 'tab' : false;
    if (!evt.altKey) return 'tab';
    return evt.shiftKey ? 'window' : 'split';
  }
}

/** On the machine of the fake, Mod is the control key. */
function sorted(modifiers: readonly Modifier[]): string {
  return [...new Set(modifiers.map((one) => (one === 'Mod' ? 'Ctrl' : one)))].sort().join(',');
}
