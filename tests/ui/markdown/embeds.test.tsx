import { type Answer, type Ask, type BrainClient, CallError } from '../../../src/core/registry/client';
import { UiProvider } from '../../../src/ui/client/context';
import { noteLinks, type NoteRef } from '../../../src/ui/markdown/note-links';
import { NotePreview } from '../../../src/ui/markdown/preview';
import { makeDom } from '../../support/ui/dom';
import { quietHost } from '../../support/ui/quiet-host';

const dom = makeDom();
const ref = (target: string, resolved: string): NoteRef => ({
  target,
  text: target,
  line: 1,
  kind: 'embed',
  unlinked: false,
  resolved,
});
const links = noteLinks([
  ref('plan.png', 'Attachments/plan.png'),
  ref('gone.png', 'Attachments/gone.png'),
  ref('other', 'wiki/net/facts/other.md'),
  { target: 'nope.png', text: 'nope.png', line: 1, kind: 'embed', unlinked: true, reason: 'missing' },
]);

const asked: string[] = [];
let other = '# Other\n\n![[plan.png]] ![[other]]\n\nText';
const revoked: string[] = [];
let images: string[];
const client: BrainClient = {
  async call<Name extends string>(name: Name, ask: object) {
    asked.push(`${name} ${JSON.stringify(ask)}`);
    const note = { title: 'Other', body: other, truncated: true };
    return note as never; // The preview reads these fields alone.
  },
  changes: () => () => undefined,
} satisfies {
  call: (name: never, ask: Ask<never>) => Promise<Answer<never>>;
  changes: BrainClient['changes'];
};
const host = quietHost({
  async imageUrl(path) {
    if (path.includes('gone')) throw new CallError('not_found', 'There is no image.');
    images.push(path);
    return `blob:http://127.0.0.1/${images.length}`;
  },
});

async function shown(body: string, given = host): Promise<HTMLElement> {
  dom.show(
    <UiProvider value={{ client, host: given }}>
      <NotePreview body={body} links={links} onOpen={() => undefined} />
    </UiProvider>,
  );
  await dom.settle();
  return dom.container;
}

// The hooks of the screens set their timers on the window.
beforeAll(() => Object.assign(globalThis, { window: dom.container.ownerDocument.defaultView }));
afterAll(() => void Reflect.deleteProperty(globalThis, 'window'));

const revoke = URL.revokeObjectURL.bind(URL);
beforeEach(() => {
  images = [];
  asked.length = 0;
  revoked.length = 0;
  URL.revokeObjectURL = (url) => void revoked.push(url);
});
afterEach(async () => {
  dom.show(null);
  await dom.settle();
  URL.revokeObjectURL = revoke;
});

describe('an image of the vault', () => {
  it('is asked of the host, has the size of the note, and is given back with the preview', async () => {
    const page = await shown('![[plan.png|A plan|300x200]] and ![words|40](plan.png)');
    const found = [...page.querySelectorAll('img')].map(({ src, alt, width, height }) => [
      src,
      alt,
      width,
      height,
    ]);
    expect(found).toEqual([
      ['blob:http://127.0.0.1/1', 'A plan', 300, 200],
      ['blob:http://127.0.0.1/2', 'words', 40, 0],
    ]);
    expect(images).toEqual(['Attachments/plan.png', 'Attachments/plan.png']);
    dom.show(null);
    await dom.settle();
    expect(revoked.sort()).toEqual(['blob:http://127.0.0.1/1', 'blob:http://127.0.0.1/2']);
  });

  it('is given back also when it comes after the preview has gone', async () => {
    let come: (url: string) => void = () => undefined;
    await shown('![[plan.png]]', quietHost({ imageUrl: () => new Promise((resolve) => (come = resolve)) }));
    dom.show(null);
    come('blob:late');
    await dom.settle();
    expect(revoked).toEqual(['blob:late']);
  });

  it('is named with the reason when it is missing, cannot be read, or the host shows none', async () => {
    expect((await shown('![[nope.png]]')).textContent).toBe('nope.png(no note has this name)');
    expect((await shown('![[gone.png]]')).textContent).toBe('gone.png(no image that can be shown)');
    expect((await shown('![[plan.png]]', quietHost())).textContent).toBe('plan.png(not shown here)');
    expect(dom.container.querySelector('img')).toBeNull();
  });

  it('is asked for forty times at most', async () => {
    await shown('![[plan.png]]\n\n'.repeat(100));
    expect(images).toHaveLength(40);
    expect(dom.container.querySelectorAll('.brain-embed')).toHaveLength(60);
  });
});

describe('an embedded note', () => {
  it('shows its title, which leads to it, and its first lines, and draws nothing that it embeds', async () => {
    const page = await shown('![[other]]');
    expect(asked).toEqual(['note {"path":"wiki/net/facts/other.md","max_chars":1500}']);
    expect(page.querySelector('[role=group]')?.getAttribute('aria-label')).toBe('Embedded note: Other');
    expect(page.querySelector('button')?.textContent).toBe('Other');
    expect(page.textContent).toContain('The note goes on.');
    expect([page.querySelector('img'), images]).toEqual([null, []]);
    expect(page.querySelectorAll('.brain-embed')).toHaveLength(2);
  });

  it('is a link within a text', async () => {
    const page = await shown('See ![[other]].');
    expect(page.querySelector('button')?.textContent).toBe('other');
    expect(asked).toEqual([]);
  });
});

describe('the part of a note that a fragment names', () => {
  const body = '# A\none\n## B ##\ntwo\n### C\n\nthree ^id\n\n## D\nfour';
  it.each([
    ['', 'Other A one B two C three D four The note goes on.'],
    ['#B', 'Other > B two C three'],
    ['#D', 'Other > D four'],
    ['#^id', 'Other > ^id three'],
    ['#None', 'Other > None A one B two C three D four'],
    ['#^none', 'Other > ^none A one B two C three D four'],
  ])('is found: %j', async (fragment, words) => {
    other = body;
    const page = await shown(`![[other${fragment}]]`);
    const lines = [...page.querySelectorAll('[role=group] :is(h1, h2, h3, h4, h5, h6, p)')];
    expect(lines.map((line) => line.textContent.trim()).join(' ')).toBe(words);
  });
});
