import type { BrainClient } from '../../../src/core/registry/client';
import { UiProvider } from '../../../src/ui/client/context';
import type { UiHost } from '../../../src/ui/client/host';
import { SearchModal } from '../../../src/ui/found/modal';
import { type Dom, makeDom } from '../../support/ui/dom';
import { quietHost } from '../../support/ui/quiet-host';
import { scriptedClient } from '../../support/ui/screen-page';

// The screens take their timers from the window of the app, which a document without a browser does not have.
beforeAll(() => Object.assign(globalThis, { window: globalThis }));
afterAll(() => void Reflect.deleteProperty(globalThis, 'window'));

const result = (slug: string, title: string) => ({
  path: `wiki/ops/facts/${slug}.md`,
  title,
  excerpt: `The text of ${title}.`,
  wing: 'ops',
  hall: 'facts' as const,
  score: 1,
  status: 'wiki' as const,
  stale: false,
  terms: ['text'],
});

const answering = scriptedClient({
  query: ({ query }) => ({
    query,
    mode: 'bm25',
    degraded: false,
    count: 2,
    ...(query === 'nothing' && { searched: 1204 }),
    results: query === 'nothing' ? [] : [result('one', 'One'), result('two', '<b>Two</b>')],
  }),
});

function open(
  extra: Partial<UiHost> = {},
  onChoose?: (path: string, title: string) => void,
  client: BrainClient = answering,
) {
  const heard: unknown[] = [];
  const host = quietHost({
    openNote: (path, options) => heard.push(['open', path, options?.newPane]),
    ...extra,
  });
  const dom = makeDom();
  // A document without layout has nowhere to scroll to.
  const view = dom.container.ownerDocument.defaultView;
  if (view !== null) view.Element.prototype.scrollIntoView = () => undefined;
  dom.show(
    <UiProvider value={{ client, host }}>
      <SearchModal close={() => heard.push('close')} {...(onChoose !== undefined && { onChoose })} />
    </UiProvider>,
  );
  return { dom, heard };
}

const field = (dom: Dom): HTMLInputElement => {
  const found = dom.container.querySelector('input');
  if (found === null) throw new Error('The search has no field.');
  return found;
};

async function type(dom: Dom, text: string): Promise<void> {
  const input = field(dom);
  const { Event } = input.ownerDocument.defaultView ?? globalThis;
  input.value = text;
  input.dispatchEvent(new Event('input', { bubbles: true }));
  for (let turn = 0; turn < 8; turn += 1) await dom.rest();
}

async function press(dom: Dom, key: string, held: KeyboardEventInit = {}): Promise<void> {
  const input = field(dom);
  const view = input.ownerDocument.defaultView;
  if (view === null) throw new Error('The document has no window.');
  input.dispatchEvent(new view.KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...held }));
  await dom.rest();
}

it('takes the focus, moves by arrows and opens what is chosen', async () => {
  const { dom, heard } = open();
  await dom.rest();
  await dom.rest();
  expect(dom.container.ownerDocument.activeElement).toBe(field(dom));
  await type(dom, 'text');
  expect(dom.container.textContent).toContain('<b>Two</b>');
  expect(field(dom).getAttribute('aria-activedescendant')).toMatch(/-0$/);
  await press(dom, 'ArrowDown');
  await press(dom, 'ArrowDown');
  expect(dom.container.querySelector('[aria-selected="true"]')?.id).toBe(
    field(dom).getAttribute('aria-activedescendant'),
  );
  await press(dom, 'Enter');
  expect(heard).toEqual(['close', ['open', 'wiki/ops/facts/two.md', false]]);
});

it('opens in a new pane with Ctrl, and inserts a link with Shift where the host can', async () => {
  const links: unknown[] = [];
  const { dom, heard } = open({ insertLink: (path, title) => links.push([path, title]) });
  await type(dom, 'text');
  expect(dom.container.textContent).toContain('insert link');
  await press(dom, 'Enter', { ctrlKey: true });
  expect(heard).toEqual(['close', ['open', 'wiki/ops/facts/one.md', true]]);
  await press(dom, 'Enter', { shiftKey: true });
  expect(links).toEqual([['wiki/ops/facts/one.md', 'One']]);
});

it('offers no link where the host cannot insert one', async () => {
  const { dom, heard } = open();
  await type(dom, 'text');
  expect(dom.container.textContent).not.toContain('insert link');
  await press(dom, 'Enter', { shiftKey: true });
  expect(heard).toEqual(['close', ['open', 'wiki/ops/facts/one.md', false]]);
});

it('only tells which note is meant when a note is being chosen', async () => {
  const chosen: unknown[] = [];
  const { dom, heard } = open({}, (path, title) => chosen.push([path, title]));
  await type(dom, 'text');
  await press(dom, 'Enter');
  expect(chosen).toEqual([['wiki/ops/facts/one.md', 'One']]);
  expect(heard).toEqual(['close']);
});

it('says that nothing fits and how many notes were searched, and does nothing then', async () => {
  const { dom, heard } = open();
  await type(dom, 'nothing');
  expect(dom.container.querySelector('[role="status"]')?.textContent).toBe(
    'No note fits “nothing”. 1,204 notes were searched.',
  );
  await press(dom, 'Enter');
  expect(heard).toEqual([]);
});

it('shows of each note the words that fit', async () => {
  const { dom } = open();
  await type(dom, 'text');
  const excerpts = [...dom.container.querySelectorAll('.brain-entry-excerpt')];
  expect(excerpts.map(({ textContent }) => textContent)).toEqual([
    'The text of One.',
    'The text of <b>Two</b>.',
  ]);
  expect(excerpts[0]?.querySelector('mark')?.textContent).toBe('text');
});

describe('Enter before the answer to the words', () => {
  const slow = () => {
    const waiting: (() => void)[] = [];
    const client = scriptedClient({
      query: async ({ query }) => {
        await new Promise<void>((resolve) => waiting.push(resolve));
        const results = [result(query, query), result('other', 'Other')];
        return { query, mode: 'bm25', degraded: false, count: 2, results };
      },
    });
    const answer = async (dom: Dom): Promise<void> => {
      waiting.shift()?.();
      for (let turn = 0; turn < 8; turn += 1) await dom.rest();
    };
    return { client, answer };
  };

  it('waits for it, and opens its first note and none of the answer before', async () => {
    const { client, answer } = slow();
    const { dom, heard } = open({}, undefined, client);
    await type(dom, 'one');
    await answer(dom);
    await type(dom, 'two');
    await press(dom, 'Enter');
    expect(heard).toEqual([]);
    await answer(dom);
    expect(heard).toEqual(['close', ['open', 'wiki/ops/facts/two.md', false]]);
  });

  it('opens at once the note that a person has moved to', async () => {
    const { client, answer } = slow();
    const { dom, heard } = open({}, undefined, client);
    await type(dom, 'one');
    await answer(dom);
    await type(dom, 'two');
    await press(dom, 'ArrowDown');
    await press(dom, 'Enter');
    expect(heard).toEqual(['close', ['open', 'wiki/ops/facts/other.md', false]]);
  });

  it('is forgotten when the words change again', async () => {
    const { client, answer } = slow();
    const { dom, heard } = open({}, undefined, client);
    await type(dom, 'one');
    await press(dom, 'Enter');
    await type(dom, 'two');
    await answer(dom);
    await answer(dom);
    expect(heard).toEqual([]);
  });
});
