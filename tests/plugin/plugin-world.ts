import manifest from '../../manifest.json';
import { BrainServerPlugin } from '../../src/plugin/shell/plugin';
import { createHost, type Host, type HostOptions } from '../obsidian/index';
import { openJsdom } from '../obsidian/jsdom';

export const MANIFEST = manifest;
export const DATA = `.obsidian/plugins/${manifest.id}/data.json`;

/** A queue of two notes, a wing with one, and what people keep beside them. */
export const FILES: Readonly<Record<string, string>> = {
  'raw/2026-11-14-mtu.md': '---\ntitle: Tunnel MTU\n---\n\nThe tunnel needs 1420.\n',
  'raw/2026-11-15-zfs.md': '---\ntitle: ZFS\n---\n\nScrub monthly.\n',
  'raw/rejected/2026-11-01-spam.md': '---\ntitle: Spam\n---\n\nBuy now.\n',
  'wiki/net/facts/dns.md': '---\ntitle: DNS\nwing: net\nhall: facts\n---\n\nThe resolver is 10.0.0.2.\n',
  'Journal.md': 'Dear diary.\n',
};

export interface World {
  readonly host: Host;
  readonly document: Document;
  plugin: BrainServerPlugin;
  /** Waits until `met` holds; fails with `what` when it does not within twenty seconds. */
  until(what: string, met: () => boolean | Promise<boolean>): Promise<void>;
  /** Presses the button with this text, as soon as there is one. */
  press(text: string): Promise<void>;
  /** Agrees to the folders and waits until the server runs. */
  start(): Promise<void>;
  statusText(): string;
  /** The address of the running server and the token that may do everything there. */
  owner(): Promise<{ readonly url: string; readonly ownerToken: string }>;
  /** Every state that the status bar has shown, in order. */
  readonly states: readonly string[];
  /** The texts of all notices so far. */
  told(): string[];
}

/** The screens run what follows a frame at the latest so many milliseconds after it. */
const EFFECTS_MS = 150;

const opened: (() => Promise<void>)[] = [];

/** Takes down every world that a test has made. */
export async function closeWorlds(): Promise<void> {
  for (const close of opened.splice(0).reverse()) await close();
}

/** Pretends that this process is a window of the app with this Electron. Returns how to end that. */
function pretendElectron(electron: string): () => void {
  const before = Object.getOwnPropertyDescriptor(process, 'versions');
  Object.defineProperty(process, 'versions', {
    value: { ...process.versions, electron },
    configurable: true,
    enumerable: true,
  });
  return () => {
    if (before !== undefined) Object.defineProperty(process, 'versions', before);
  };
}

export interface WorldOptions extends Omit<HostOptions, 'document' | 'settings'> {
  readonly electron?: string;
  /** What `data.json` holds at the start besides any free port. */
  readonly saved?: Readonly<Record<string, unknown>>;
  /** False leaves the layout unready: the app is still starting. */
  readonly ready?: boolean;
}

/** A started app with the plugin in it. */
export async function openWorld(options: WorldOptions = {}): Promise<World> {
  const { electron = '39.8.3', saved, ready = true, files = FILES, ...others } = options;
  const restore = pretendElectron(electron);
  const dom = openJsdom();
  // The test's document lays nothing out, so that there is nothing to scroll.
  Object.assign(dom.window.Element.prototype, { scrollIntoView: () => undefined });
  const kept = { port: 0, ...saved };
  const all = others.storage === undefined ? { [DATA]: JSON.stringify(kept), ...files } : {};
  const host = await createHost({ ...others, files: all, document: dom.document });
  const plugin = await host.loadPlugin(BrainServerPlugin, MANIFEST);
  const states: string[] = [];
  const [item] = host.statusBar;
  const watcher = new dom.window.MutationObserver(() => void states.push(item?.textContent ?? ''));
  if (item !== undefined) watcher.observe(item, { childList: true, characterData: true, subtree: true });
  const world: World = {
    host,
    document: dom.document,
    plugin,
    async until(what, met) {
      const end = Date.now() + 20_000;
      while (!(await met())) {
        if (Date.now() > end)
          throw new Error(`Waited in vain: ${what}. Notices: ${world.told().join(' | ')}`);
        await host.settle();
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    },
    async press(text) {
      // What lies above hides what lies below.
      const find = () =>
        [
          ...dom.document.querySelectorAll<HTMLElement>('.modal button'),
          ...dom.document.querySelectorAll<HTMLElement>('button'),
        ].find((one) => one.textContent === text);
      await world.until(`the button "${text}"`, () => find() !== undefined);
      find()?.click();
    },
    async start() {
      await world.press('Start');
      await world.until('the server runs', () => world.statusText().includes('Brain running'));
    },
    states,
    async owner() {
      const url = /http:\/\/[\d.:]+\d/.exec(host.statusBar[0]?.getAttribute('aria-label') ?? '')?.[0];
      // The token is made when the first one is checked.
      if (url !== undefined) await fetch(`${url}/wings`, { headers: { Authorization: 'Bearer none' } });
      const ownerToken = host.app.secretStorage.getSecret('brain-server-owner-token');
      if (url === undefined || ownerToken === null) throw new Error('The server does not run.');
      return { url, ownerToken };
    },
    statusText: () => host.statusBar.map((item) => item.textContent).join(' '),
    told: () => host.notices.map(({ text }) => text),
  };
  opened.push(async () => {
    if (host.leaks().settingTabs.includes(MANIFEST.id)) host.unloadPlugin(MANIFEST.id);
    // What is still done after the plugin was unloaded: closing the vault, and effects of the last frame.
    await world.until(
      'the vault is closed',
      () => !host.leaks().events.some((event) => event.startsWith('vault:')),
    );
    await new Promise((resolve) => setTimeout(resolve, EFFECTS_MS));
    host.dispose();
    dom.close();
    restore();
  });
  if (ready) {
    await host.layoutReady();
    // The parts of its code that the plugin loads then.
    await new Promise(setImmediate);
  }
  return world;
}

/** Every file of the vault with its bytes, hidden ones too, as text. */
export async function snapshotOf(host: Host): Promise<Record<string, string | null>> {
  const paths = await host.paths(true);
  return Object.fromEntries(await Promise.all(paths.map(async (path) => [path, await host.textOf(path)])));
}
