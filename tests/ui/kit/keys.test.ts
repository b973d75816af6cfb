import { JSDOM } from 'jsdom';
import { actionFor, combination, isBare, type KeyAction } from '../../../src/ui/kit/keys';

const { window } = new JSDOM(
  '<input id="text"><button id="button">b</button><input type="checkbox" id="box"><p contenteditable="true" id="edit">',
);

function press(init: KeyboardEventInit, on = 'button'): KeyboardEvent {
  const event = new window.KeyboardEvent('keydown', { bubbles: true, cancelable: true, ...init });
  window.document.getElementById(on)?.dispatchEvent(event);
  return event;
}

it.each<[KeyboardEventInit, string]>([
  [{ key: 'j' }, 'j'],
  [{ key: 'J', shiftKey: true }, 'Shift+j'],
  [{ key: 'J' }, 'j'],
  [{ key: '?', shiftKey: true }, '?'],
  [{ key: 'a', ctrlKey: true }, 'Mod+a'],
  [{ key: 'a', metaKey: true }, 'Mod+a'],
  [{ key: 'F6', shiftKey: true }, 'Shift+F6'],
  [{ key: 'ArrowDown', altKey: true }, 'Alt+ArrowDown'],
])('reads %j as %s', (init, words) => {
  expect(combination(press(init))).toBe(words);
});

const done: string[] = [];
const action = (...keys: string[]): KeyAction => ({ keys, run: () => void done.push(keys.join()) });
const actions = [
  action('a'),
  action('?'),
  action('Mod+a'),
  action('F6'),
  { ...action('Escape'), inFields: true },
];

it.each<[string, KeyboardEventInit, string, boolean, string | null]>([
  ['a letter on a button', { key: 'a' }, 'button', true, 'a'],
  ['a letter on a box to tick', { key: 'a' }, 'box', true, 'a'],
  ['a letter in a field', { key: 'a' }, 'text', true, null],
  ['a letter in text that is edited', { key: 'a' }, 'edit', true, null],
  ['a letter when letters are off', { key: 'a' }, 'button', false, null],
  ['a sign when letters are off', { key: '?' }, 'button', false, null],
  ['a named key when letters are off', { key: 'F6' }, 'button', false, 'F6'],
  ['a letter with Ctrl when letters are off', { key: 'a', ctrlKey: true }, 'button', false, 'Mod+a'],
  ['all text of a field', { key: 'a', ctrlKey: true }, 'text', true, null],
  ['a key that leaves a field', { key: 'Escape' }, 'text', true, 'Escape'],
  ['a letter that is being composed', { key: 'a', isComposing: true }, 'button', true, null],
  ['a key that means nothing', { key: 'q' }, 'button', true, null],
])('%s', (_name, init, on, bare, expected) => {
  expect(actionFor(actions, press(init, on), bare)?.keys[0] ?? null).toBe(expected);
});

it('leaves a key alone that somebody else has used', () => {
  const event = press({ key: 'a' });
  event.preventDefault();
  expect(actionFor(actions, event, true)).toBeNull();
});

it('knows bare keys', () => {
  expect(['a', '?', 'Shift+j', ' ', 'ß'].map(isBare)).toEqual([true, true, true, true, true]);
  expect(['Mod+a', 'F6', 'Escape', 'Alt+a'].map(isBare)).toEqual([false, false, false, false]);
});
