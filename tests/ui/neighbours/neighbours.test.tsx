import { type Answer, CallError } from '../../../src/core/registry/client';
import { UiProvider } from '../../../src/ui/client/context';
import type { UiHost } from '../../../src/ui/client/host';
import { groupsOf, NeighboursScreen, reasonWords } from '../../../src/ui/neighbours/screen';
import { makeDom } from '../../support/ui/dom';
import { quietHost } from '../../support/ui/quiet-host';
import { scriptedClient } from '../../support/ui/screen-page';

beforeAll(() => Object.assign(globalThis, { window: globalThis }));
afterAll(() => void Reflect.deleteProperty(globalThis, 'window'));

type Neighbour = Answer<'neighbours'>['neighbours'][number];

const neighbour = (path: string, more: Partial<Neighbour> = {}): Neighbour => ({
  path,
  title: path.replace('.md', ''),
  excerpt: `Of ${path}.`,
  status: 'vault',
  stale: false,
  by_agent: false,
  links_here: false,
  linked: false,
  shared: [],
  by_meaning: false,
  ...more,
});

const NOTES = [
  neighbour('raw/q.md', { status: 'raw', by_agent: true, asks: 'replace' }),
  neighbour('wiki/claim.md', { status: 'wiki', by_agent: true, shared: ['ocean', 'zone'] }),
  neighbour('Similar.md', { by_meaning: true }),
  neighbour('In.md', { links_here: true }),
  neighbour('Both.md', { links_here: true, linked: true }),
  neighbour('Out.md', { linked: true }),
];

const answer = (neighbours: readonly Neighbour[] = NOTES): Answer<'neighbours'> => ({
  path: 'Solaris.md',
  title: 'Solaris',
  status: 'vault',
  meaning: 'used',
  links_here: 2,
  linked: 2,
  neighbours: [...neighbours],
});

async function open(path: string, ask: () => Answer<'neighbours'>, extra: Partial<UiHost> = {}) {
  const heard: unknown[] = [];
  const host = quietHost({
    openNote: (to, options) => heard.push(['open', to, options?.newPane]),
    go: (screen, params) => heard.push([screen, params]),
    ...extra,
  });
  const dom = makeDom();
  const view = dom.container.ownerDocument.defaultView;
  if (view === null) throw new Error('The document has no window.');
  Object.assign(view.Element.prototype, { scrollIntoView: () => undefined });
  dom.show(
    <UiProvider value={{ client: scriptedClient({ neighbours: ask }), host }}>
      <NeighboursScreen params={{ path }} />
    </UiProvider>,
  );
  for (let turn = 0; turn < 12; turn += 1) await dom.rest();
  const press = async (key: string, held: KeyboardEventInit = {}): Promise<void> => {
    const frame = dom.container.querySelector('.brain-frame');
    frame?.dispatchEvent(
      new view.KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...held }),
    );
    await dom.rest();
  };
  return { dom, heard, press };
}

it('puts each note into one group: what waits, claims, links, what is similar', () => {
  const groups = groupsOf(NOTES).map(({ title, notes }) => [title, notes.map(({ path }) => path)]);
  expect(groups).toEqual([
    ['Waits for review', ['raw/q.md']],
    ['Claims of agents', ['wiki/claim.md']],
    ['Linked from', ['In.md', 'Both.md']],
    ['Links to', ['Out.md']],
    ['Similar', ['Similar.md']],
  ]);
});

it('says why a note is a neighbour', () => {
  expect(NOTES.map(reasonWords)).toEqual([
    'Would take its place',
    'Shares ocean, zone',
    'Near in meaning',
    'Links here',
    'Linked both ways',
    'Linked from here',
  ]);
});

it('moves by keys through all groups and opens notes, and what waits in the queue', async () => {
  const links: unknown[] = [];
  const { dom, heard, press } = await open('Solaris.md', () => answer(), {
    insertLink: (path, title) => links.push([path, title]),
  });
  expect(dom.container.querySelectorAll('[role="option"]')).toHaveLength(NOTES.length);
  await press('Enter');
  await press('j');
  await press('ArrowDown');
  await press('Enter', { ctrlKey: true });
  await press('k');
  await press('Enter');
  await press('Enter', { shiftKey: true });
  expect(heard).toEqual([
    ['queue', { path: 'raw/q.md' }],
    ['open', 'In.md', true],
    ['open', 'wiki/claim.md', false],
  ]);
  expect(links).toEqual([['wiki/claim.md', 'wiki/claim']]);
});

it('counts the links that are not listed', async () => {
  const { dom } = await open('Solaris.md', () => ({ ...answer(), linked: 130 }));
  const group = dom.container.querySelector('[role="group"][aria-label="Links to"]');
  expect(group?.querySelector('.brain-count')?.textContent).toBe('129');
});

it.each([
  ['no note is open', '', () => answer(), 'No note is open'],
  ['nothing has to do with it', 'Solaris.md', () => answer([]), 'No neighbours yet'],
  [
    'the note is not read',
    'Private.md',
    () => {
      throw new CallError('note_not_found', 'There is no note at Private.md.');
    },
    'This note is not read',
  ],
  [
    'the server is away',
    'Solaris.md',
    () => {
      throw new CallError('unreachable', 'No.');
    },
    'The server does not answer.',
  ],
] as const)('says that %s', async (_, path, ask, words) => {
  const { dom } = await open(path, ask);
  expect(dom.container.textContent).toContain(words);
  expect(dom.container.querySelectorAll('[role="option"]')).toHaveLength(0);
});
