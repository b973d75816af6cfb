import { type Hint, isPressable, type KeyAction, type KeyHelpGroup } from '../kit/keys';
import type { QueueCommands } from './model';
import type { QueueState } from './state';

/** Returns the key bindings of the review queue. `QUEUE_HELP` describes them. */
export function queueKeys(commands: QueueCommands, state: QueueState): readonly KeyAction[] {
  const once = [...actKeys(commands), ...lookKeys(commands, state)].map((action): KeyAction => ({
    ...action,
    run: (event) => (event.repeat ? undefined : action.run(event)),
  }));
  return [...moveKeys(commands), ...once].map((action): KeyAction => ({
    ...action,
    // The form asks for a hall: letters typed there are words, not commands.
    run: (event) => (state.ticked.size === 0 && isLetterAtHall(event) ? undefined : action.run(event)),
  }));
}

/** Returns the keys that move; they repeat while they are held. */
function moveKeys(commands: QueueCommands): readonly KeyAction[] {
  return [
    { keys: ['j', 'ArrowDown'], run: (event) => unlessScrolling(event, () => commands.step(1)) },
    { keys: ['k', 'ArrowUp'], run: (event) => unlessScrolling(event, () => commands.step(-1)) },
    { keys: ['Shift+j', 'Shift+ArrowDown'], run: () => commands.step(1, true) },
    { keys: ['Shift+k', 'Shift+ArrowUp'], run: () => commands.step(-1, true) },
    { keys: ['Home'], run: (event) => unlessScrolling(event, commands.first) },
    { keys: ['End'], run: (event) => unlessScrolling(event, commands.last) },
    { keys: [' '], run: (event) => scrollNote(event, () => commands.scroll(1)) },
    { keys: ['Shift+ '], run: (event) => scrollNote(event, () => commands.scroll(-1)) },
  ];
}

/** Returns the keys that decide or change something. */
function actKeys(commands: QueueCommands): readonly KeyAction[] {
  return [
    { keys: ['a'], run: commands.promote },
    { keys: ['r'], run: commands.startReject },
    { keys: ['e'], run: commands.edit },
    { keys: ['u'], run: commands.undo },
    { keys: ['z'], run: () => void commands.snooze() },
    { keys: ['i'], run: commands.add },
    { keys: ['l'], run: commands.sameAsLast },
    {
      keys: ['1', '2', '3', '4', '5'],
      run: (event) => commands.hall(Number(event.key), roleOf(event.target) === 'radio'),
    },
    { keys: ['x'], run: commands.tick },
    { keys: ['Mod+a'], run: commands.tickAll },
  ];
}

/** Returns the keys that go elsewhere or show something. */
function lookKeys(commands: QueueCommands, state: QueueState): readonly KeyAction[] {
  const comparing = state.view === 'compare';
  return [
    { keys: ['Enter'], run: (event) => unlessPressable(event, commands.open) },
    { keys: ['/'], run: () => commands.goTo('filter') },
    { keys: ['F6'], inFields: true, run: () => commands.nextPanel(1) },
    { keys: ['Shift+F6'], inFields: true, run: () => commands.nextPanel(-1) },
    { keys: ['w'], run: () => commands.goTo('wing') },
    { keys: ['s'], run: () => commands.goTo('slug') },
    { keys: ['p'], run: commands.togglePreview },
    { keys: ['v'], run: commands.toggleAsWritten },
    { keys: ['c'], run: commands.compare },
    { keys: ['y'], run: (event) => (event.repeat ? undefined : commands.replaceShown()) },
    { keys: ['n'], run: () => (comparing ? commands.stepChange(1) : false) },
    { keys: ['Shift+n'], run: () => (comparing ? commands.stepChange(-1) : false) },
    { keys: ['g'], run: commands.showGate },
    { keys: ['m'], run: commands.toggleProperties },
    { keys: ['o'], run: commands.openInPane },
    { keys: ['Escape'], inFields: true, run: (event) => commands.escape(event.target) },
  ];
}

function isLetterAtHall({ key, target, ctrlKey, metaKey }: KeyboardEvent): boolean {
  return roleOf(target) === 'radio' && /^\p{L}$/u.test(key) && !ctrlKey && !metaKey;
}

/** Runs a move. Arrows, Home and End keep their default in an element that scrolls; letters move from anywhere. */
function unlessScrolling(event: KeyboardEvent, run: () => void): void | false {
  const named = event.key.length > 1;
  if (named && roleOf(event.target) !== 'listbox' && scrolls(event.target)) return false;
  run();
}

/** Runs an action unless the target is pressable. The focus need not be on the list, which may not have it yet. */
function unlessPressable(event: KeyboardEvent, run: () => void): void | false {
  if (isPressable(event.target)) return false;
  run();
}

/** Scrolls the note by Space, unless the focused element scrolls by itself. */
function scrollNote(event: KeyboardEvent, run: () => void): void | false {
  if (scrolls(event.target)) return false;
  return unlessPressable(event, run);
}

function roleOf(target: EventTarget | null): string | null {
  return target !== null && 'getAttribute' in target && typeof target.getAttribute === 'function'
    ? (target as Element).getAttribute('role') // An object with `getAttribute` is an Element, maybe of another window.
    : null;
}

function scrolls(target: EventTarget | null): boolean {
  const role = roleOf(target);
  // A focused group is a table, which scrolls.
  return role === 'region' || role === 'group' || role === 'radio' || role === 'option';
}

/** The list of all keys. */
export const QUEUE_HELP: readonly KeyHelpGroup[] = [
  {
    title: 'Decide',
    lines: [
      { label: 'Promote', keys: ['A'] },
      { label: 'Reject', keys: ['R'] },
      { label: 'Edit the note', keys: ['E'] },
      { label: 'Undo the last decision', keys: ['U'] },
      { label: 'Snooze for a day, or wake', keys: ['Z'] },
      { label: 'Choose the hall', keys: ['1–5'] },
      { label: 'Replace the note compared with, or at the taken address', keys: ['Y'] },
      { label: 'Go to wing, slug', keys: ['W', 'S'] },
      { label: 'Wing and hall of the last promotion', keys: ['L'] },
    ],
  },
  { title: 'Add', lines: [{ label: 'Files or text', keys: ['I'] }] },
  {
    title: 'Move',
    lines: [
      { label: 'Next, previous note', keys: ['J', 'K'] },
      { label: 'First, last note', keys: ['Home', 'End'] },
      { label: 'Filter', keys: ['/'] },
      { label: 'Next panel', keys: ['F6'] },
      { label: 'Scroll the note', keys: ['Space'] },
      { label: 'Open in new pane', keys: ['O'] },
    ],
  },
  {
    title: 'Look',
    lines: [
      { label: 'Preview, source', keys: ['P'] },
      { label: 'Text as it will stand, as written', keys: ['V'] },
      { label: 'Compare with a similar note or the text before', keys: ['C'] },
      { label: 'Next change', keys: ['N'] },
      { label: 'What the gate finds', keys: ['G'] },
      { label: 'Properties', keys: ['M'] },
    ],
  },
  {
    title: 'Several',
    lines: [
      { label: 'Select this note', keys: ['X'] },
      { label: 'Extend the selection', keys: ['Shift', 'J'] },
      { label: 'Select all', keys: ['Ctrl', 'A'] },
      { label: 'Clear the selection', keys: ['Esc'] },
    ],
  },
];

const ALL_KEYS: Hint = { keys: ['?'], label: 'all keys' };

/** Returns the keys that matter now, for the last row. */
export function queueHints(state: QueueState): readonly Hint[] {
  if (state.mode === 'reject') {
    return [
      { keys: ['↵'], label: 'reject' },
      { keys: ['Tab'], label: 'ready-made reasons' },
      { keys: ['Esc'], label: 'cancel', wide: true },
    ];
  }
  if (state.selecting) {
    return [
      { keys: ['J', 'K'], label: 'next, previous', wide: true },
      { keys: ['X'], label: 'select' },
      { keys: ['Shift', 'J'], label: 'extend', wide: true },
      { keys: ['Ctrl', 'A'], label: 'select all', wide: true },
      { keys: ['A'], label: 'promote' },
      { keys: ['R'], label: 'reject' },
      { keys: ['Esc'], label: 'clear', wide: true },
      ALL_KEYS,
    ];
  }
  if (state.view === 'compare') {
    return [
      { keys: ['P'], label: 'preview' },
      { keys: ['N'], label: 'next change' },
      { keys: ['A'], label: 'promote', wide: true },
      { keys: ['R'], label: 'reject', wide: true },
      ALL_KEYS,
    ];
  }
  return [
    { keys: ['J', 'K'], label: 'next, previous', wide: true },
    ...(state.pane === 'list'
      ? [
          { keys: ['J', 'K'], label: 'move', narrow: true },
          { keys: ['↵'], label: 'open', narrow: true },
        ]
      : []),
    { keys: ['A'], label: 'promote', wide: state.pane === 'list' },
    { keys: ['R'], label: 'reject', wide: state.pane === 'list' },
    ...(state.pane === 'note' ? [{ keys: ['Esc'], label: 'queue', narrow: true }] : []),
    { keys: ['E'], label: 'edit', wide: true },
    { keys: ['U'], label: 'undo', wide: true },
    { keys: ['X'], label: 'select', wide: true },
    { keys: ['1–5'], label: 'hall', wide: true },
    ALL_KEYS,
  ];
}
