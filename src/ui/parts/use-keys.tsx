import { useEffect, useRef } from 'preact/hooks';
import { useUi } from '../context';
import { Key } from './key';
import { actionFor, type KeyAction, type KeyHelpGroup } from './keys';
import { useKeptFocus } from './use-kept-focus';

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
    <div class="brain-help">
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
