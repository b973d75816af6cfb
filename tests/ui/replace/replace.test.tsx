import type { ComponentChildren } from 'preact';
import type { Ask } from '../../../src/core/registry/client';
import { UiProvider } from '../../../src/ui/client/context';
import { openReplace } from '../../../src/ui/replace/replace';
import { makeDom } from '../../support/ui/dom';
import { noteOf } from '../../support/ui/note-of';
import { quietHost } from '../../support/ui/quiet-host';
import { scriptedClient } from '../../support/ui/screen-page';

beforeAll(() => Object.assign(globalThis, { window: globalThis }));
afterAll(() => void Reflect.deleteProperty(globalThis, 'window'));

const QUEUED = 'raw/queued.md';
const STANDING = 'wiki/homelab/facts/standing.md';
const LONG = 'Word. '.repeat(10_000);

/** The layer over two notes. `late` holds the answer to each dry run that it names. */
function opened(options: {
  readonly bodies?: Readonly<Record<string, string>>;
  readonly most?: number;
  readonly late?: (body: string | undefined) => Promise<void>;
  readonly session?: Map<string, string>;
}) {
  const { bodies = {}, most = Infinity, late = () => Promise.resolve(), session = new Map() } = options;
  const dom = makeDom();
  const made: Ask<'replace'>[] = [];
  const client = scriptedClient({
    note: ({ path = '', max_chars: asked = 40_000 }) =>
      noteOf(path, bodies[path] ?? `Text of ${path}.`, Math.min(asked, most)),
    replace: async (ask) => {
      if (ask.dry_run !== true) made.push(ask);
      await late(ask.body);
      return {
        path: ask.replaces,
        from: ask.path,
        content_hash: '2'.repeat(64),
        replaced_hash: '1'.repeat(64),
        reason: ask.reason,
        refs: [],
        warnings: [],
        body: ask.body ?? bodies[QUEUED] ?? 'As it is queued.',
        body_before: 'Before.',
      };
    },
  });
  const host = quietHost({
    session: { get: (key) => session.get(key) ?? null, set: (key, text) => void session.set(key, text) },
    openLayer: (_title: string, content: ComponentChildren) => {
      dom.show(<UiProvider value={{ client, host }}>{content}</UiProvider>);
      return () => dom.show(null);
    },
  });
  const replacing = { path: QUEUED, replaces: STANDING, onDone: () => undefined, onStale: () => undefined };
  openReplace({ client, host }, replacing);
  const find = <Kind extends Element>(selector: string): Kind => {
    const found = dom.container.querySelector<Kind>(selector);
    if (found === null) throw new Error(`The layer has no ${selector}.`);
    return found;
  };
  const button = (words: string): HTMLButtonElement => {
    const all = [...dom.container.querySelectorAll('button')];
    const found = all.find(({ textContent }) => textContent?.includes(words));
    if (found === undefined) throw new Error(`The layer has no button "${words}".`);
    return found;
  };
  const type = (field: HTMLInputElement | HTMLTextAreaElement, text: string): void => {
    const view = dom.container.ownerDocument.defaultView;
    if (view === null) throw new Error('The document has no window.');
    field.value = text;
    field.dispatchEvent(new view.Event('input', { bubbles: true }));
  };
  return {
    ...{ dom, made, button, type },
    merged: () => find<HTMLTextAreaElement>('.brain-merge textarea:not([readonly])'),
    settle: async () => {
      for (let turn = 0; turn < 4; turn += 1) await dom.rest();
    },
    give: () => type(find<HTMLInputElement>('input'), 'Measured anew'),
  };
}

it('merges by hand from the whole of a long text', async () => {
  const layer = opened({ bodies: { [QUEUED]: LONG } });
  await layer.settle();
  layer.button('Merge by hand').click();
  await layer.settle();
  expect(layer.merged().value).toBe(LONG);
});

it('offers no merge of a text that was cut', async () => {
  const layer = opened({ bodies: { [STANDING]: LONG }, most: 1000 });
  await layer.settle();
  expect(layer.button('Merge by hand').disabled).toBe(true);
  expect(layer.dom.container.textContent).toContain('too long to be merged here');
});

it('replaces by no text before its own dry run is answered', async () => {
  const answers: (() => void)[] = [];
  const late = (body?: string) =>
    body === undefined ? Promise.resolve() : new Promise<void>((resolve) => answers.push(resolve));
  const layer = opened({ late });
  await layer.settle();
  layer.give();
  layer.button('Merge by hand').click();
  await layer.settle();
  answers.shift()?.();
  await layer.settle();
  expect(layer.button('Replace').disabled).toBe(false);
  layer.type(layer.merged(), 'Merged.');
  await layer.settle();
  expect(layer.button('Replace').disabled).toBe(true);
  layer.button('Replace').click();
  expect(layer.made).toEqual([]);
  answers.shift()?.();
  await layer.settle();
  expect(layer.dom.container.querySelector('.brain-replace-diff')?.textContent).toContain('Merged.');
  layer.button('Replace').click();
  expect(layer.made.map(({ body }) => body)).toEqual(['Merged.']);
});

it('keeps an unsaved merge until it is saved', async () => {
  const session = new Map<string, string>();
  const first = opened({ session });
  await first.settle();
  first.button('Merge by hand').click();
  await first.settle();
  first.type(first.merged(), 'Half a merge.');
  first.dom.show(null);
  const second = opened({ session });
  await second.settle();
  expect(second.merged().value).toBe('Half a merge.');
  second.give();
  await second.settle();
  second.button('Replace').click();
  await second.settle();
  expect(second.made.map(({ body }) => body)).toEqual(['Half a merge.']);
  const third = opened({ session });
  await third.settle();
  expect(third.dom.container.querySelector('.brain-merge')).toBeNull();
});

it('lets nothing be typed into a merge that is being saved', async () => {
  let isLate = false;
  const late = (): Promise<void> => (isLate ? new Promise(() => undefined) : Promise.resolve());
  const layer = opened({ late });
  await layer.settle();
  layer.give();
  layer.button('Merge by hand').click();
  await layer.settle();
  isLate = true;
  const field = layer.merged();
  layer.button('Replace').click();
  await layer.settle();
  expect(field.readOnly).toBe(true);
});
