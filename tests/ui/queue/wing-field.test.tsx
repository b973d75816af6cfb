import { WingField } from '../../../src/ui/place/place';
import { makeDom } from '../../support/ui/dom';

const dom = makeDom();
const WINGS = [
  { wing: 'homelab', notes: 12 },
  { wing: 'network', notes: 3 },
];
const show = (value: string): void =>
  dom.show(<WingField value={value} wings={WINGS} onInput={() => undefined} />);

it('shows the wing that is chosen elsewhere in place of what was typed', async () => {
  show('');
  await dom.settle();
  const input = dom.container.querySelector('input');
  const view = dom.container.ownerDocument.defaultView;
  if (input === null || view === null) throw new Error('The field has no input.');
  input.focus();
  input.value = 'hous';
  input.dispatchEvent(new view.Event('input', { bubbles: true }));
  await dom.settle();
  show('homelab');
  await dom.settle();
  expect(input.value).toBe('hous');
  show('');
  input.blur();
  await dom.settle();
  expect(input.value).toBe('hous');
  show('network');
  await dom.settle();
  expect(input.value).toBe('network');
});

it('takes a wing whose name was typed before the wings came', async () => {
  Object.assign(dom.container.ownerDocument.defaultView?.Element.prototype ?? {}, {
    scrollIntoView: () => undefined,
  });
  const chosen: string[] = [];
  const draw = (wings: typeof WINGS): void =>
    dom.show(<WingField value="" wings={wings} onInput={(wing) => chosen.push(wing)} />);
  draw([]);
  await dom.settle();
  const input = dom.container.querySelector('input');
  const view = dom.container.ownerDocument.defaultView;
  if (input === null || view === null) throw new Error('The field has no input.');
  input.focus();
  input.value = 'Network';
  input.dispatchEvent(new view.Event('input', { bubbles: true }));
  await dom.settle();
  expect(chosen).toEqual(['']);
  draw(WINGS);
  await dom.settle();
  expect(chosen).toEqual(['', 'network']);
  // It is preselected too, so Enter takes it.
  input.dispatchEvent(new view.KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true }));
  await dom.settle();
  expect(chosen).toEqual(['', 'network', 'network']);
});
