import { withWindow } from './world';

const PASSED = 'ok';

/** What the host adds to nodes, elements and globals; the same code runs in the window and in a popout's. */
function check(doc: Document): string {
  const faults: string[] = [];
  const is = (what: string, got: unknown, wanted: unknown): void => {
    if (JSON.stringify(got) !== JSON.stringify(wanted)) faults.push(`${what}: ${JSON.stringify(got)}`);
  };
  const root = doc.body.createDiv({
    cls: ['a', 'b'],
    text: 'Text',
    attr: { 'data-x': 1, hidden: null },
    title: 'T',
  });
  is('classes', root.className, 'a b');
  is('text', root.getText(), 'Text');
  is('attributes', [root.getAttr('data-x'), root.getAttr('hidden'), root.title], ['1', null, 'T']);
  is('document', root.doc === doc && root.win === doc.defaultView && doc.doc === doc, true);
  root.empty();
  const input = root.createEl('input', { type: 'checkbox', value: 'v', placeholder: 'p', parent: root });
  is('input', [input.type, input.value, input.placeholder], ['checkbox', 'v', 'p']);
  const first = root.createSpan({ cls: 'first', prepend: true }, (el) => el.setText('Called'));
  is(
    'order',
    Array.from(root.children, (el) => el.tagName),
    ['SPAN', 'INPUT'],
  );
  is('callback', first.textContent, 'Called');
  root.insertAfter(root.createEl('b'), first);
  is('insertAfter', root.indexOf(root.find('b')), 1);
  root.appendText('!');
  is('appendText', root.lastChild?.textContent, '!');
  first.detach();
  is('detach', first.isConnected, false);
  root.addClass('c', 'd e');
  root.removeClasses(['c']);
  root.toggleClass(['d', 'f'], true);
  root.toggleClass('e', false);
  is('class helpers', [root.className, root.hasClass('d')], ['a b d f', true]);
  root.setAttrs({ id: 'root', tabindex: 0 });
  is('setAttrs', [root.id, root.tabIndex], ['root', 0]);
  is(
    'find',
    [root.findAll('b').length, root.findAllSelf('.a').length, input.matchParent('.a') === root],
    [1, 1, true],
  );
  root.hide();
  is('hide', [root.isShown(), input.isShown()], [false, false]);
  root.show();
  is('show', input.isShown(), true);
  root.setCssProps({ '--x': '1px' });
  root.setCssStyles({ width: '2px' });
  is('styles', root.getAttr('style')?.replace(/\s/g, '').includes('--x:1px;width:2px'), true);
  const heard: string[] = [];
  const listener = (_: Event, target: HTMLElement): void => {
    heard.push(target.tagName);
  };
  root.on('click', 'b', listener);
  root.find('b').click();
  input.click();
  root.off('click', 'b', listener);
  root.find('b').click();
  is('delegation', heard, ['B']);
  const clicks: boolean[] = [];
  root.onClickEvent((event) => clicks.push(event.instanceOf(MouseEvent) && event.doc === doc));
  const view = doc.defaultView;
  if (view !== null) root.dispatchEvent(new view.MouseEvent('click', { view }));
  is('onClickEvent', clicks, [true]);
  is('instanceOf', [root.instanceOf(HTMLDivElement), root.instanceOf(HTMLInputElement)], [true, false]);
  is('svg', root.createSvg('svg', { attr: { width: 3 } }).outerHTML, '<svg width="3"></svg>');
  root.setText(root.win === window ? createFragment((part) => part.createEl('i')) : 'plain');
  is('setText', root.childNodes.length, 1);
  root.detach();
  return faults.join('\n') || 'ok';
}

test('adds its helpers to the window', () =>
  withWindow({}, async (_, { document }) => {
    expect(check(document)).toBe(PASSED);
  }));

test('adds them to a popout as well', () =>
  withWindow({}, async (host, { document }) => {
    const { doc } = host.app.workspace.openPopoutLeaf().getContainer();
    expect(doc === document).toBe(false);
    expect(check(doc)).toBe(PASSED);
  }));

test('adds globals and helpers of the language, and takes the globals back', async () => {
  await withWindow({}, async (_, { document }) => {
    expect(createDiv('x').className).toBe('x');
    expect(createEl('b').isConnected).toBe(false);
    expect(createSpan().tagName).toBe('SPAN');
    expect(createSvg('path').tagName).toBe('path');
    expect(activeDocument === document && activeWindow === window).toBe(true);
    expect(fish('body') === document.body).toBe(true);
    await sleep(1);
    await nextFrame();
    expect([1, 2].first()).toBe(1);
    expect([1, 2].last()).toBe(2);
    expect([1, 2].contains(2)).toBe(true);
    expect([1, 1, 2].unique()).toEqual([1, 2]);
    const list = [1, 2, 1];
    list.remove(1);
    expect(list).toEqual([2]);
    expect(Object.isEmpty({})).toBe(true);
    expect('abc'.contains('b')).toBe(true);
    expect(Math.clamp(9, 1, 3)).toBe(3);
  });
  expect('activeDocument' in globalThis).toBe(false);
  expect('window' in globalThis).toBe(false);
});

test('hears when a node comes into the document', () =>
  withWindow({}, async (_, { document }) => {
    const heard: string[] = [];
    const el = createDiv();
    el.onNodeInserted(() => heard.push('inserted'), true);
    document.body.appendChild(el);
    await new Promise(setImmediate);
    document.body.createDiv();
    await new Promise(setImmediate);
    expect(heard).toEqual(['inserted']);
  }));
