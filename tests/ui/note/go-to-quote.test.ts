import { JSDOM } from 'jsdom';
import { goToQuote, shortQuote } from '../../../src/ui/note/screen';

function page(html: string): HTMLElement {
  const { window } = new JSDOM(`<main>${html}</main>`);
  window.Element.prototype.scrollIntoView = () => undefined;
  const main = window.document.querySelector('main');
  if (main === null) throw new Error('There is no page.');
  return main;
}

const NOTE =
  '<p>Before.</p><ul><li>One</li><li><p>The <b>tunnel</b> needs an <a>MTU of 1380</a>.</p></li></ul><p>After.</p>';

it.each([
  ['- The **tunnel** needs an [[net/mtu|MTU of 1380]].', 'The tunnel needs an MTU of 1380.'],
  ['The tunnel needs an [MTU of 1380](https://x.example).', 'The tunnel needs an MTU of 1380.'],
  ['\n\nBefore.\n\n- One', 'Before.'],
])('finds the block that %j begins in', (quote, text) => {
  const main = page(NOTE);
  goToQuote(main, quote);
  const found = main.querySelectorAll('.brain-quoted');
  expect([...found].map((block) => [block.tagName, block.textContent])).toEqual([['P', text]]);
  expect(main.ownerDocument.activeElement).toBe(found[0]);
});

it.each(['Nothing of it stands there.', '', '***'])('does nothing for %j', (quote) => {
  const main = page(NOTE);
  goToQuote(main, quote);
  expect(main.querySelector('.brain-quoted')).toBeNull();
});

it('keeps an address short', () => {
  expect(shortQuote('x'.repeat(4000))).toHaveLength(200);
});
