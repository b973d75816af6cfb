import type { RefObject } from 'preact';
import { isPressable } from '../parts/is-pressable';
import { isField, type KeyAction } from '../parts/keys';

/** What the keys of the search do. */
export interface SearchActs {
  readonly input: RefObject<HTMLInputElement | null>;
  /** The outermost element of the screen. */
  readonly root: () => HTMLElement | null;
  /** Whether an answer stands in the place of the results. */
  readonly hasAnswer: boolean;
  readonly showAnswer: () => void;
  readonly closeAnswer: () => void;
  readonly focusList: () => void;
  readonly keep: () => void;
  readonly move: (step: number) => void;
  /** Chooses a result; -1 is the last one. */
  readonly select: (index: number) => void;
  /** Opens the side panel over the list; answers false where there is nothing to open. */
  readonly inspect: () => boolean;
  /** Closes it; answers false when it was not open. */
  readonly closeInspect: () => boolean;
  readonly open: (newPane: boolean) => void;
  readonly history: () => void | false;
  readonly copy: () => void;
}

/** The keys of the search. Those of the results rest while an answer stands in their place. */
export function searchKeys(acts: SearchActs): KeyAction[] {
  const { input, hasAnswer, focusList, open } = acts;
  const inList = (run: () => void | false) => () => (hasAnswer ? false : run());
  return [
    { keys: ['/'], run: () => input.current?.select() },
    { keys: ['j'], run: inList(() => acts.move(1)) },
    { keys: ['k'], run: inList(() => acts.move(-1)) },
    {
      keys: ['ArrowDown'],
      inFields: true,
      run: (event) => {
        if (hasAnswer || (isField(event.target) && event.target !== input.current)) return false;
        if (event.target === input.current) focusList();
        else acts.move(1);
        return undefined;
      },
    },
    { keys: ['ArrowUp'], run: inList(() => acts.move(-1)) },
    { keys: ['Home'], run: inList(() => acts.select(0)) },
    { keys: ['End'], run: inList(() => acts.select(-1)) },
    {
      keys: ['Shift+Enter'],
      inFields: true,
      run: (event) =>
        event.target !== input.current && isPressable(event.target) ? false : acts.showAnswer(),
    },
    {
      keys: ['Enter'],
      inFields: true,
      run: (event) => {
        if (event.target === input.current) {
          acts.keep();
          if (hasAnswer) acts.closeAnswer();
          else focusList();
          return undefined;
        }
        if (hasAnswer || isPressable(event.target)) return false;
        if (!acts.inspect()) open(false);
        return undefined;
      },
    },
    { keys: ['Mod+Enter'], inFields: true, run: inList(() => open(true)) },
    { keys: ['h'], run: inList(() => acts.history()) },
    { keys: ['y'], run: inList(() => acts.copy()) },
    {
      keys: ['Escape'],
      inFields: true,
      run: (event) => {
        if (hasAnswer) {
          acts.closeAnswer();
          return undefined;
        }
        if (!acts.closeInspect() && !isField(event.target)) return false;
        focusList();
        return undefined;
      },
    },
    { keys: ['F6'], inFields: true, run: (event) => nextPanel(acts.root(), event.target) },
  ];
}

/** Moves the focus to the next part of the screen, as F6 does everywhere. */
function nextPanel(root: HTMLElement | null, from: EventTarget | null): void {
  if (root === null) return;
  const panels = [
    '.brain-bar input',
    '.brain-facets [tabindex="0"], .brain-facets select',
    '.brain-results, .brain-answer',
    '.brain-info, .brain-quote',
  ]
    .map((selector) => root.querySelector<HTMLElement>(selector))
    .filter((panel) => panel !== null);
  const at = panels.findIndex((panel) => panel === from);
  panels[(at + 1) % panels.length]?.focus();
}
