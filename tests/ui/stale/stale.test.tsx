import type { ComponentChildren } from 'preact';
import { type Ask, CallError } from '../../../src/core/registry/client';
import { UiProvider } from '../../../src/ui/client/context';
import { StaleScreen } from '../../../src/ui/stale/screen';
import { makeDom } from '../../support/ui/dom';
import { noteOf } from '../../support/ui/note-of';
import { quietHost } from '../../support/ui/quiet-host';
import { scriptedClient } from '../../support/ui/screen-page';

beforeAll(() => Object.assign(globalThis, { window: globalThis }));
afterAll(() => void Reflect.deleteProperty(globalThis, 'window'));

const PATH = 'wiki/homelab/facts/claim.md';
const LONG = 'Word. '.repeat(10_000);
const hashOf = (version: number): string => String(version).repeat(64);

/** The screen over one claim, whose layer is shown under it. */
async function opened(options: {
  readonly body?: string;
  readonly most?: number;
  readonly session?: Map<string, string>;
}) {
  const { body = 'It is so.', most = Infinity, session = new Map() } = options;
  const dom = makeDom();
  const view = dom.container.ownerDocument.defaultView;
  if (view === null) throw new Error('The document has no window.');
  Object.assign(view.Element.prototype, { scrollIntoView: () => undefined });
  const layerDom = makeDom();
  const world = { version: 1, isLate: false };
  const updates: Ask<'update'>[] = [];
  const confirms: Ask<'confirm'>[] = [];
  const client = scriptedClient({
    notes: () => ({
      count: 1,
      total: 1,
      notes: [
        {
          path: PATH,
          title: 'A claim',
          status: 'wiki',
          wing: 'homelab',
          hall: 'facts',
          changed_at: '2020-01-01T00:00:00Z',
          stale: true,
        },
      ],
    }),
    note: ({ max_chars: asked = 40_000 }) => ({
      ...noteOf(PATH, `${body} ${world.version}`, Math.min(asked, most)),
      frontmatter: { half_life: 'volatile', claim_provenance: 'asserted' },
      content_hash: hashOf(world.version),
    }),
    confirm: (ask) => {
      if (ask.expected_hash !== hashOf(world.version))
        throw new CallError('hash_mismatch', 'It has changed.');
      confirms.push(ask);
      return {
        path: PATH,
        content_hash: hashOf(world.version),
        previous_hash: hashOf(world.version),
        warnings: [],
      };
    },
    update: async (ask) => {
      updates.push(ask);
      while (world.isLate) await dom.settle();
      return {
        path: PATH,
        content_hash: hashOf(7),
        supersedes: hashOf(1),
        history_path: 'history',
        updated_at: '2026-11-20T12:00:00Z',
        refs: [],
        unlinked: [],
        warnings: [],
      };
    },
  });
  const host = quietHost({
    session: { get: (key) => session.get(key) ?? null, set: (key, text) => void session.set(key, text) },
    openLayer: (_title: string, content: ComponentChildren) => {
      layerDom.show(<UiProvider value={{ client, host }}>{content}</UiProvider>);
      return () => layerDom.show(null);
    },
  });
  dom.show(
    <UiProvider value={{ client, host }}>
      <StaleScreen params={{}} />
    </UiProvider>,
  );
  const press = (root: HTMLElement, words: string): void => {
    const found = [...root.querySelectorAll('button')].find(({ textContent }) =>
      textContent?.includes(words),
    );
    if (found === undefined) throw new Error(`There is no button "${words}".`);
    found.click();
  };
  const type = (selector: string, text: string): void => {
    const field = layerDom.container.querySelector<HTMLInputElement | HTMLTextAreaElement>(selector);
    const layerView = layerDom.container.ownerDocument.defaultView;
    if (field === null || layerView === null) throw new Error(`The layer has no ${selector}.`);
    field.value = text;
    field.dispatchEvent(new layerView.Event('input', { bubbles: true }));
  };
  const settle = async (): Promise<void> => {
    for (let turn = 0; turn < 4; turn += 1) await dom.settle();
  };
  await settle();
  return {
    ...{ dom, layerDom, world, updates, confirms, type },
    area: () => layerDom.container.querySelector('textarea'),
    press: async (words: string) => {
      press(dom.container, words);
      await settle();
    },
    pressInLayer: async (words: string) => {
      press(layerDom.container, words);
      await settle();
    },
    words: () => dom.container.textContent ?? '',
  };
}

it('supersedes from the whole of a long text', async () => {
  const screen = await opened({ body: LONG });
  await screen.press('Supersede');
  expect(screen.area()?.value).toBe(`${LONG} 1`);
});

it('supersedes no text that was cut', async () => {
  const screen = await opened({ body: LONG, most: 1000 });
  expect(screen.words()).toContain('The note goes on.');
  await screen.press('Supersede');
  expect(screen.area()).toBeNull();
  expect(screen.words()).toContain('too long to be superseded here');
});

it('is superseded by Ctrl and Enter in a window of its own', async () => {
  const screen = await opened({});
  await screen.press('Supersede');
  screen.type('textarea', 'Another.');
  screen.type('input', 'Measured anew');
  await screen.dom.settle();
  const view = screen.layerDom.container.ownerDocument.defaultView;
  if (view === null) throw new Error('The document has no window.');
  const init = { key: 'Enter', ctrlKey: true, bubbles: true, cancelable: true };
  screen.area()?.dispatchEvent(new view.KeyboardEvent('keydown', init));
  await screen.dom.settle();
  expect(screen.updates.map(({ content }) => content)).toEqual(['Another.']);
});

it('keeps an unsaved text until it is saved, and lets nothing be typed meanwhile', async () => {
  const screen = await opened({});
  await screen.press('Supersede');
  screen.type('textarea', 'Half a thought.');
  await screen.dom.settle();
  screen.layerDom.show(null);
  await screen.press('Supersede');
  expect(screen.area()?.value).toBe('Half a thought.');
  screen.type('input', 'Measured anew');
  await screen.dom.settle();
  screen.world.isLate = true;
  await screen.pressInLayer('Supersede');
  expect(screen.area()?.readOnly).toBe(true);
  screen.world.isLate = false;
  await screen.dom.settle();
  await screen.dom.settle();
  expect(screen.updates.map(({ content }) => content)).toEqual(['Half a thought.']);
  expect(screen.area()).toBeNull();
  await screen.press('Supersede');
  expect(screen.area()?.value).toBe('It is so. 1');
});

it('says that a text that is put back counts as looked at', async () => {
  const screen = await opened({});
  await screen.press('Supersede');
  screen.type('textarea', 'Another.');
  screen.type('input', 'Measured anew');
  await screen.dom.settle();
  await screen.pressInLayer('Supersede');
  await screen.press('Undo');
  expect(screen.updates.map(({ content }) => content)).toEqual(['Another.', 'It is so. 1']);
  expect(screen.words()).toContain('Put the text of “A note” back. The claim counts as looked at today.');
});

it('reads a note again that has changed, and then acts on its new text', async () => {
  const screen = await opened({});
  screen.world.version = 2;
  await screen.press('Still holds');
  await screen.dom.settle();
  expect(screen.confirms).toEqual([]);
  expect(screen.words()).toContain('It is so. 2');
  await screen.press('Still holds');
  expect(screen.confirms.map(({ expected_hash: hash }) => hash)).toEqual([hashOf(2)]);
});
