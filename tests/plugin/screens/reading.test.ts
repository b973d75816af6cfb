import { openScreen } from '../../../src/plugin/screens/open';
import type { ScreenName } from '../../../src/ui/client/screens';
import { MemoryStorage } from '../../obsidian/storage/memory';
import { closeWorlds, DATA, openWorld } from '../plugin-world';

afterEach(closeWorlds);

const NOTES = 40;
const READABLE = 5;
const pathOf = (n: number) => `wiki/net/facts/note-${n}.md`;

/** A disk that gives no more than the first notes as long as it is held. */
class HeldStorage extends MemoryStorage {
  #held: Promise<void> | null = null;
  release: () => void = () => undefined;

  hold(): void {
    this.#held = new Promise((resolve) => (this.release = resolve));
  }

  override async read(path: string): Promise<Uint8Array> {
    const number = /note-(\d+)\.md$/.exec(path)?.[1];
    if (number !== undefined && Number(number) >= READABLE) await this.#held;
    return super.read(path);
  }
}

it('shows how far the first reading is, and finds what has been read, while it goes on', async () => {
  const storage = new HeldStorage();
  const put = async (path: string, text: string): Promise<void> => {
    await storage.mkdir(path.slice(0, path.lastIndexOf('/')));
    await storage.write(path, new TextEncoder().encode(text));
  };
  for (let n = 0; n < NOTES; n += 1) await put(pathOf(n), `# Note ${n}\n\nThe tunnel of note ${n}.\n`);
  await put(DATA, JSON.stringify({ port: 0 }));
  const world = await openWorld({ storage });
  // The app itself has read its notes; now the person agrees to the server.
  storage.hold();
  await world.start();

  const { workspace } = world.host.app;
  const textOf = (screen: ScreenName) =>
    workspace.getLeavesOfType(`brain-server-${screen}`)[0]?.view.containerEl.textContent ?? '';
  const shows = (screen: ScreenName, text: string) =>
    world.until(`"${text}" on the screen ${screen}`, () => textOf(screen).includes(text));
  await openScreen(workspace, 'home');
  await shows('home', `Reading the vault: ${READABLE} of ${NOTES}`);
  const bar = world.document.querySelector('[role="progressbar"][aria-label="Reading the vault"]');
  expect(bar?.getAttribute('aria-valuenow')).toBe(String(READABLE));

  await openScreen(workspace, 'search', { q: 'tunnel' });
  await shows('search', 'The vault is still being read');
  await shows('search', `${READABLE} of ${NOTES} notes`);
  await shows('search', 'Note 4');
  expect(textOf('search')).not.toContain('Note 5');
  const { url, ownerToken } = await world.owner();
  const ask = async (): Promise<{ reading?: unknown; results: { path: string }[] }> => {
    const answer = await fetch(`${url}/query`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${ownerToken}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ query: 'tunnel', limit: 50 }),
    });
    expect(answer.status).toBe(200);
    return JSON.parse(await answer.text());
  };
  const early = await ask();
  expect(early.reading).toEqual({ done: READABLE, total: NOTES });
  expect(early.results.map(({ path }) => path).sort()).toEqual([0, 1, 2, 3, 4].map(pathOf));

  storage.release();
  await world.until('all notes are found', async () => (await ask()).results.length === NOTES);
  expect(await ask()).not.toHaveProperty('reading');
  await shows('home', `${NOTES} notes can be found by their words`);
  await openScreen(workspace, 'search', { q: 'tunnel' });
  await shows('search', `Note ${NOTES - 1}`);
  expect(textOf('search')).not.toContain('still being read');
});
