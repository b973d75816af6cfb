import './node-globals';
import { Component, MarkdownRenderer, Plugin } from 'obsidian';
import manifest from '../../../manifest.json';
import { openScreen } from '../../../src/plugin/screens/open';
import { BrainServerPlugin } from '../../../src/plugin/shell/plugin';
import { PluginTokens } from '../../../src/plugin/server/tokens';
import type { ScreenName, ScreenParams } from '../../../src/ui/client/screens';
import { createHost, type Host, type HostOptions } from '../../obsidian/index';
import { meaningOf } from '../../support/word-vectors';

/** Which files lie in the vault. */
export interface Start {
  readonly files: Readonly<Record<string, string>>;
  /** The models of an Ollama on this machine, each with what it can do; none runs without. */
  readonly ollama?: Readonly<Record<string, readonly string[]>>;
}

/** Answers as an Ollama does. */
function ollamaOf(models: NonNullable<Start['ollama']>): NonNullable<HostOptions['requests']> {
  return ({ url, body }) => {
    const asked: unknown = typeof body === 'string' ? JSON.parse(body) : {};
    const { model, input } = asked as { model?: string; input?: readonly string[] };
    const answer = (value: unknown) => ({ status: 200, body: JSON.stringify(value) });
    if (url.endsWith(':11434/api/tags'))
      return answer({ models: Object.keys(models).map((name) => ({ name })) });
    if (url.endsWith(':11434/api/show')) return answer({ capabilities: models[model ?? ''] });
    if (url.endsWith(':11434/api/embed'))
      return answer({ embeddings: (input ?? []).map((text) => [...meaningOf(text)]) });
    throw new Error('ECONNREFUSED');
  };
}

/** Another plugin, which runs code blocks of its language. */
class RunsCode extends Plugin {
  override onload(): void {
    this.registerMarkdownCodeBlockProcessor('dataviewjs', () => {
      Object.assign(window, { ran: 'dataviewjs' });
    });
  }
}

/** The hands of a test on the app in this page. */
export class AppHands {
  readonly #host: Host;

  constructor(host: Host) {
    this.#host = host;
  }

  /** Brings a screen to the front, as the commands and the ribbon do. */
  show(screen: ScreenName, params?: ScreenParams): Promise<void> {
    return openScreen(this.#host.app.workspace, screen, params);
  }

  /** Opens a screen in a window of its own. */
  async showInWindow(screen: ScreenName): Promise<void> {
    const leaf = this.#host.app.workspace.openPopoutLeaf();
    await leaf.setViewState({ type: `brain-server-${screen}`, active: true });
  }

  /** Moves the screen that is open to a window of its own. */
  moveToWindow(screen: ScreenName): void {
    const [leaf] = this.#host.app.workspace.getLeavesOfType(`brain-server-${screen}`);
    if (leaf === undefined) throw new Error(`The screen ${screen} is not open.`);
    this.#host.app.workspace.moveLeafToPopout(leaf);
    this.#host.app.workspace.setActiveLeaf(leaf, { focus: true });
  }

  run(command: string): boolean {
    return this.#host.runCommand(`${manifest.id}:${command}`);
  }

  /** Opens a note where notes are read. */
  async openNote(path: string): Promise<void> {
    await this.#host.openFile(path);
  }

  followLink(uri: string): Promise<void> {
    return this.#host.openUri(uri);
  }

  /** Opens the settings page of the plugin. */
  openSettings(): void {
    this.#host.openSettings(manifest.id);
  }

  setTheme(theme: 'light' | 'dark'): void {
    this.#host.setTheme(theme);
  }

  /** Writes or removes a file as another program does. */
  async outside(path: string, content: string | null): Promise<void> {
    await this.#host.outside(path, content);
  }

  textOf(path: string): Promise<string | null> {
    return this.#host.textOf(path);
  }

  paths(): Promise<string[]> {
    return this.#host.paths();
  }

  notices(): string[] {
    return this.#host.notices.map(({ text }) => text);
  }

  /** Whose token it is, as the doors would find out; null for one that nobody has. */
  async nameOfToken(token: string): Promise<string | null> {
    const tokens = new PluginTokens(this.#host.app, { now: () => new Date() });
    return (await tokens.verify(token))?.name ?? null;
  }

  /** True when the text stands anywhere where the app keeps things: local storage, secrets, files. */
  async keeps(text: string): Promise<boolean> {
    const { device } = this.#host;
    const files = await Promise.all((await this.#host.paths(true)).map((path) => this.#host.textOf(path)));
    return [...device.localStorage.values(), ...device.secrets.values(), ...files].some(
      (kept) => kept?.includes(text) === true,
    );
  }

  /** The opposite of what the screens do: the app's own renderer, beside a plugin that runs code blocks of its language. */
  async renderAsTheAppDoes(markdown: string): Promise<void> {
    const { app } = this.#host;
    new RunsCode(app, { ...manifest, id: 'runs-code' }).load();
    const owner = new Component();
    await MarkdownRenderer.render(app, markdown, document.body.createDiv(), '', owner);
    owner.unload();
  }

  /** What was opened and rendered so far: paths of notes, sources that went to the app's own renderer, requests. */
  traces(): { active: string | undefined; rendered: number; requests: number } {
    const { app, rendered, requests } = this.#host;
    return {
      active: app.workspace.getActiveFile()?.path,
      rendered: rendered.length,
      requests: requests.length,
    };
  }
}

declare global {
  interface Window {
    /** Starts the app on a vault, with the plugin in it; the plugin then asks about its folders. */
    startApp(start: Start): Promise<void>;
    hands: AppHands;
  }
}

window.startApp = async ({ files, ollama }) => {
  const host = await createHost({
    files,
    document,
    ...(ollama && { requests: ollamaOf(ollama) }),
    openWindow: () => {
      const win = window.open('', '_blank', 'width=1280,height=800');
      if (win === null) throw new Error('The browser opened no window.');
      return win;
    },
  });
  // The app has a scheme of its own, which no other browser knows.
  host.app.vault.getResourcePath = ({ path }) =>
    `${window.location.origin}/files/${encodeURIComponent(path)}`;
  await host.loadPlugin(BrainServerPlugin, manifest);
  await host.layoutReady();
  window.hands = new AppHands(host);
};
