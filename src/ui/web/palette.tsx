import { useEffect, useRef, useState } from 'preact/hooks';
import { useUi, type UiContext } from '../client/context';
import { type ScreenName, SCREENS } from '../client/screens';
import { useCall, useRested } from '../kit/async';
import { FailureNotice } from '../kit/feedback';
import { Icon, type IconName } from '../kit/icons';
import { isField, Key, type KeyHelpGroup, type ScreenCommand, useFirstFocus } from '../kit/keys';
import { useUniqueId } from '../kit/lists';

/** The second key of `g` for each screen that the page lists. */
const GO_KEYS = {
  h: 'home',
  q: 'queue',
  i: 'imports',
  t: 'stale',
  s: 'search',
  a: 'audit',
  p: 'pass-rates',
  c: 'connect',
  d: 'doctor',
} as const satisfies Record<string, ScreenName>;

const GO = Object.entries(GO_KEYS);

/** The time in which the second key has to follow `g` (ms). */
const WINDOW_MS = 800;

/** The lines of the key list for the palette and the ways to each screen. */
export const GO_HELP: KeyHelpGroup = {
  title: 'Anywhere on the page',
  lines: [
    { label: 'Screens, actions and notes', keys: ['Ctrl', 'K'] },
    ...GO.map(([key, screen]) => ({ label: SCREENS[screen].title, keys: ['G', key.toUpperCase()] })),
  ],
};

/**
 * Handles the keys of the page as a whole: `Ctrl+K` anywhere, and `g` with the key of a screen outside of fields. The second
 * key is taken before the screen sees it, so that `g a` never decides on a note.
 */
export function usePageKeys(props: {
  readonly document: Document;
  readonly isOff: boolean;
  readonly onPalette: () => void;
  readonly onGo: (screen: ScreenName) => void;
  /** Returns false when the person has turned single letters off. */
  readonly hasLetters: () => boolean;
}): void {
  const latest = useRef(props);
  latest.current = props;
  const { document } = props;
  useEffect(() => {
    let since = -Infinity;
    const onKeyDown = (event: KeyboardEvent): void => {
      const { isOff, onPalette, onGo, hasLetters } = latest.current;
      if (isOff || event.isComposing || event.altKey || document.querySelector('dialog[open]') !== null)
        return;
      const key = event.key.toLowerCase();
      if (event.ctrlKey || event.metaKey) {
        if (key !== 'k' || event.shiftKey) return;
        event.preventDefault();
        event.stopPropagation();
        onPalette();
        return;
      }
      if (event.repeat || event.shiftKey || isField(event.target) || !hasLetters()) return;
      const screen = GO.find(([each]) => each === key)?.[1];
      const isSecond = event.timeStamp - since <= WINDOW_MS;
      since = key === 'g' ? event.timeStamp : -Infinity;
      if (!isSecond || screen === undefined) return;
      event.preventDefault();
      event.stopPropagation();
      onGo(screen);
    };
    document.addEventListener('keydown', onKeyDown, { capture: true });
    return () => document.removeEventListener('keydown', onKeyDown, { capture: true });
  }, [document]);
}

/** A line of the palette. */
interface Choice {
  readonly id: string;
  readonly icon: IconName;
  readonly label: string;
  /** Shown muted at the right: what kind of thing it is. */
  readonly kind: string;
  readonly keys: readonly string[];
  readonly run: () => void;
}

/** The most notes that are listed. */
const MOST_NOTES = 8;

/** Returns what fits the words: screens, then actions, then notes by their text. */
function useChoices(query: string, commands: readonly ScreenCommand[]) {
  const { host } = useUi();
  const asked = useRested(query.trim(), DEBOUNCE_MS);
  const found = useCall(
    'query',
    asked === '' ? null : { query: asked, limit: MOST_NOTES, include_raw: true, max_tokens: 0 },
  );
  const screens: Choice[] = GO.map(([key, screen]) => ({
    id: `screen ${screen}`,
    icon: SCREENS[screen].icon,
    label: SCREENS[screen].title,
    kind: 'screen',
    keys: ['G', key.toUpperCase()],
    run: () => host.go(screen),
  }));
  const actions: Choice[] = commands.map(({ label, keys, run }) => ({
    id: `action ${label}`,
    icon: 'chevron-right',
    label,
    kind: 'here',
    keys,
    run,
  }));
  const words = query.trim().toLowerCase().split(/\s+/);
  const fits = ({ label }: Choice): boolean => words.every((word) => label.toLowerCase().includes(word));
  const results = query.trim() === '' ? [] : (found.value?.results ?? []);
  const notes: Choice[] = results.map(({ path, title }) => ({
    id: `note ${path}`,
    icon: 'file-text',
    label: title,
    kind: path,
    keys: [],
    run: () => host.openNote(path),
  }));
  return { choices: [...[...screens, ...actions].filter(fits), ...notes], error: found.error };
}

/** The palette, the content of a layer: screens, the actions of the screen below it, and notes that fit the words. */
function Palette(props: { readonly commands: readonly ScreenCommand[]; readonly close: () => void }) {
  const { commands, close } = props;
  const [query, setQuery] = useState('');
  const [index, setIndex] = useState(0);
  const { choices, error } = useChoices(query, commands);
  const id = useUniqueId();
  const input = useFirstFocus<HTMLInputElement>();
  const selected = Math.min(index, choices.length - 1);
  const choose = (choice: Choice | undefined): void => {
    if (choice === undefined) return;
    close();
    // The layer gives the focus back to the screen first.
    window.setTimeout(choice.run, 0);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.isComposing || !['ArrowDown', 'ArrowUp', 'Enter'].includes(event.key)) return;
    event.preventDefault();
    event.stopPropagation();
    if (event.key === 'Enter') {
      if (!event.repeat) choose(choices[selected]);
      return;
    }
    const step = event.key === 'ArrowDown' ? 1 : -1;
    setIndex((selected + step + choices.length) % Math.max(choices.length, 1));
  };

  return (
    <div>
      <div class="brain-command-input">
        <Icon name="search" />
        <input
          ref={input}
          type="text"
          role="combobox"
          aria-label="Screens, actions and notes"
          aria-expanded={choices.length > 0}
          aria-controls={id}
          aria-autocomplete="list"
          aria-activedescendant={selected < 0 ? undefined : `${id}-${selected}`}
          placeholder="Screens, actions and notes"
          spellcheck={false}
          autocomplete="off"
          maxLength={2000}
          value={query}
          onInput={(event) => {
            setQuery(event.currentTarget.value);
            setIndex(0);
          }}
          onKeyDown={onKeyDown}
        />
      </div>
      {error !== null && <FailureNotice error={error} />}
      <ChoiceList id={id} choices={choices} selected={selected} onChoose={choose} />
      <p class={choices.length > 0 ? 'brain-sr' : 'brain-command-none'} role="status">
        {choices.length > 0 ? `${choices.length} choices` : 'Nothing fits these words.'}
      </p>
    </div>
  );
}

function ChoiceList(props: {
  readonly id: string;
  readonly choices: readonly Choice[];
  readonly selected: number;
  readonly onChoose: (choice: Choice) => void;
}) {
  const { id, choices, selected, onChoose } = props;
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' });
  }, [choices[selected]?.id]);
  return (
    <ul
      class="brain-commands"
      role="listbox"
      id={id}
      ref={list}
      aria-label="Choices"
      hidden={choices.length === 0}
    >
      {choices.map((choice, at) => (
        <li
          key={choice.id}
          id={`${id}-${at}`}
          role="option"
          aria-selected={at === selected}
          // A press that took the focus from the field would move it to the page.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onChoose(choice)}
        >
          <Icon name={choice.icon} />
          <span class="brain-cut">{choice.label}</span>
          <span class="brain-cut brain-small brain-muted brain-push">{choice.kind}</span>
          {choice.keys.map((key) => (
            <Key key={key}>{key}</Key>
          ))}
        </li>
      ))}
    </ul>
  );
}

/** The delay of the debounced search: long enough to type on, short enough to feel immediate (ms). */
const DEBOUNCE_MS = 140;

/** Opens the palette in a layer of the host. */
export function openPalette({ host }: UiContext, commands: readonly ScreenCommand[]): void {
  const close = host.openLayer('Go to or do', <Palette commands={commands} close={() => close()} />);
}
