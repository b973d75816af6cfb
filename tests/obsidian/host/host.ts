import type {
  CliData,
  PluginManifest,
  App as RealApp,
  WorkspaceLeaf as RealLeaf,
  Plugin as RealPlugin,
} from 'obsidian';
import type { App } from '../app/app';
import { type HostState, setCurrentHost } from '../core/host-state';
import { documentWindow } from '../dom/define';
import type { DomSetup } from '../dom/setup';
import { SettingTab } from '../settings/setting-tab';
import { Menu } from '../ui/menu';
import { Tasks } from '../workspace/tasks';
import { HostFiles } from './files';
import { findLeaks, type Leaks } from './leaks';
import { runCommand } from './run-command';

/** A plugin's class as the tests name it; the fake is what it extends at run time. */
export type PluginClass<T extends RealPlugin> = new (app: RealApp, manifest: PluginManifest) => T;

/** A fake app with one window, and the hands of the person and of other programs on it. */
export class Host extends HostFiles {
  readonly app: RealApp;
  readonly #dom: DomSetup | null;

  constructor(app: App, state: HostState, dom: DomSetup | null) {
    super(app, state);
    this.app = app;
    this.#dom = dom;
    state.look = async (path) => {
      await app.vault.reconcile(path);
      await this.#tellOfSettings(path);
    };
    state.handleKey = (event) => {
      const scope = app.keymap.top ?? app.workspace.activeLeaf?.view.scope ?? app.scope;
      if ('handle' in scope && typeof scope.handle === 'function')
        Reflect.apply(scope.handle, scope, [event]);
    };
  }

  /** The start of the app is over: the files become known, each with a `create`, and then the layout is ready. */
  async layoutReady(): Promise<void> {
    await this.own.vault.reconcile('');
    this.own.workspace.becomeReady();
    await this.settle();
  }

  /** Loads a plugin as at the start of the app; `enabled` as when the person turns it on. */
  async loadPlugin<T extends RealPlugin>(
    pluginClass: PluginClass<T>,
    manifest: PluginManifest,
    enabled = false,
  ): Promise<T> {
    const dir = manifest.dir ?? `${this.app.vault.configDir}/plugins/${manifest.id}`;
    if (this.state.plugins.has(manifest.id))
      throw new Error(`The plugin "${manifest.id}" is loaded already.`);
    const plugin = new pluginClass(this.app, { ...manifest, dir });
    this.state.plugins.set(manifest.id, plugin);
    const loading = load(plugin);
    await this.storage.mkdir(dir);
    await loading;
    if (enabled) plugin.onUserEnable();
    return plugin;
  }

  /** Unloads at once, as the app does: what the plugin still has to do, it does on its own. */
  unloadPlugin(id: string): void {
    const plugin = this.state.plugins.get(id);
    if (plugin === undefined) throw new Error(`There is no plugin "${id}".`);
    this.state.plugins.delete(id);
    plugin.unload();
  }

  /** Unloads and begins to load again in the same tick, as after an update. */
  reloadPlugin<T extends RealPlugin>(pluginClass: PluginClass<T>, manifest: PluginManifest): Promise<T> {
    this.unloadPlugin(manifest.id);
    return this.loadPlugin(pluginClass, manifest);
  }

  /** What is still registered; nothing of it may be a plugin's that has gone. */
  leaks(): Leaks {
    return findLeaks(this.app, this.state, this.#dom?.log ?? null);
  }

  /** Runs a command as the palette does: false when it is not to be had now. */
  runCommand(id: string): boolean {
    return runCommand(this.state, id);
  }

  clickRibbon(title: string): void {
    const icon = this.state.ribbon.find((one) => one.title === title);
    if (icon === undefined) throw new Error(`There is no ribbon icon "${title}".`);
    icon.el.click();
  }

  /** The menu of a file in the file explorer, with what plugins put into it. */
  fileMenu(path: string, source = 'file-explorer-context-menu'): Menu {
    return this.#menu('file-menu', this.#file(path), source);
  }

  /** The menu of several chosen files. */
  filesMenu(paths: readonly string[], source = 'file-explorer-context-menu'): Menu {
    const files = paths.map((path) => this.#file(path));
    return this.#menu('files-menu', files, source);
  }

  /** Chooses a line of the menu that was shown last. */
  clickMenu(title: string): void {
    const menu = this.menus.at(-1);
    const item = menu?.items.find((one) => one.title === title);
    if (menu?.shown !== true || item === undefined) throw new Error(`No open menu has a line "${title}".`);
    menu.hide();
    item.choose(new (documentWindow(activeDocument).MouseEvent)('click'));
  }

  /** Follows an `obsidian://` address: its first part names the handler. */
  async openUri(uri: string): Promise<void> {
    const { hostname, pathname, searchParams } = new URL(uri);
    const action = decodeURIComponent(hostname === '' ? pathname.replace(/^\/+/, '') : hostname);
    const handler = this.state.protocolHandlers.get(action);
    if (handler === undefined) throw new Error(`Nobody handles obsidian://${action}.`);
    await handler({ ...Object.fromEntries(searchParams), action });
  }

  /** Runs a command of the command line; flags without a value are given as 'true'. */
  async runCli(command: string, params: CliData = {}): Promise<string> {
    const found = this.state.cliCommands.get(command);
    if (found === undefined) throw new Error(`There is no command "${command}".`);
    for (const [flag, { required }] of Object.entries(found.flags ?? {})) {
      if (required === true && params[flag] === undefined) {
        throw new Error(`Missing required parameter: ${flag}`);
      }
    }
    return found.handler(params);
  }

  /** Turns the settings dialog to the tab of a plugin; the returned element holds what it shows. */
  openSettings(id: string): HTMLElement {
    const tab = this.#tab(id);
    this.state.document.body.appendChild(tab.containerEl);
    tab.show();
    return tab.containerEl;
  }

  closeSettings(id: string): void {
    const tab = this.#tab(id);
    tab.leave();
    tab.containerEl.remove();
  }

  /** Opens a note in the main area, as a click in the file explorer does. */
  async openFile(path: string): Promise<RealLeaf> {
    const file = this.app.vault.getFileByPath(path);
    if (file === null) throw new Error(`The vault has no file ${path}.`);
    const leaf = this.app.workspace.getLeaf(false);
    await leaf.openFile(file);
    return leaf;
  }

  /** A leaf in the background as after a restart: its view is not made until it is revealed. */
  async openDeferred(type: string, state: Record<string, unknown> = {}): Promise<RealLeaf> {
    const leaf = this.own.workspace.getLeaf('tab');
    await leaf.defer(type, state);
    return leaf;
  }

  /** The person turns to another theme. */
  setTheme(theme: 'light' | 'dark'): void {
    const { body } = this.state.document;
    body.toggleClass('theme-dark', theme === 'dark');
    body.toggleClass('theme-light', theme === 'light');
    this.app.workspace.trigger('css-change');
  }

  /** The person closes the app: resolves when everything that plugins asked to wait for is done. */
  async quit(): Promise<void> {
    const tasks = new Tasks();
    this.app.workspace.trigger('quit', tasks);
    await tasks.promise();
  }

  /** Makes this host the one whose notices, menus and requests are recorded. */
  activate(): void {
    setCurrentHost(this.state);
  }

  /** Stops its timers and lets go of the window and the globals. Nothing is unloaded: that is the test's to say. */
  dispose(): void {
    this.state.scheduler.stop();
    this.#dom?.undo();
    setCurrentHost(null);
  }

  #menu(event: 'file-menu' | 'files-menu', about: unknown, source: string): Menu {
    const menu = new Menu();
    this.app.workspace.trigger(event, menu, about, source);
    return menu.showAtPosition({ x: 0, y: 0 });
  }

  #file(path: string): unknown {
    const file = this.app.vault.getAbstractFileByPath(path);
    if (file === null) throw new Error(`The vault has nothing at ${path}.`);
    return file;
  }

  #tab(id: string): SettingTab {
    const tab: unknown = this.state.settingTabs.get(id);
    if (!(tab instanceof SettingTab)) throw new Error(`The plugin "${id}" has no settings tab.`);
    return tab;
  }

  async #tellOfSettings(path: string): Promise<void> {
    for (const plugin of this.state.plugins.values()) {
      if (path === `${plugin.manifest.dir ?? ''}/data.json`) await plugin.onExternalSettingsChange?.();
    }
  }
}

/** The declared `load` promises nothing, but the app awaits an asynchronous `onload`. */
async function load(plugin: RealPlugin): Promise<void> {
  const loading: unknown = plugin.load();
  await loading;
}
