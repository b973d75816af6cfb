import type * as Real from 'obsidian';
import type {
  CliFlags,
  CliHandler,
  Command,
  MarkdownPostProcessor,
  ObsidianProtocolHandler,
  PluginManifest,
  PluginSettingTab,
  App as RealApp,
  ViewCreator,
} from 'obsidian';
import { Component } from '../core/component';
import { type CodeBlockHandler, type HostState, stateOf } from '../core/host-state';
import { drawRibbonIcon } from './ribbon';

/** The base of every plugin. What is added through it goes when the plugin is unloaded. */
export abstract class Plugin extends Component {
  declare registerHoverLinkSource: Real.Plugin['registerHoverLinkSource'];
  declare registerMarkdownPostProcessor: Real.Plugin['registerMarkdownPostProcessor'];
  declare registerBasesView: Real.Plugin['registerBasesView'];
  declare registerEditorExtension: Real.Plugin['registerEditorExtension'];
  declare registerEditorSuggest: Real.Plugin['registerEditorSuggest'];
  app: RealApp;
  manifest: PluginManifest;
  settings?: unknown;

  constructor(app: RealApp, manifest: PluginManifest) {
    super();
    this.app = app;
    this.manifest = manifest;
  }

  onUserEnable(): void {
    return undefined;
  }

  addRibbonIcon(icon: string, title: string, callback: (evt: MouseEvent) => unknown): HTMLElement {
    const el = drawRibbonIcon(this.#host, icon, title, callback);
    const entry = { icon, title, el, callback };
    this.#keepIn(this.#host.ribbon, entry);
    this.register(() => {
      el.remove();
    });
    return el;
  }

  addStatusBarItem(): HTMLElement {
    const doc = this.#host.document;
    const bar = doc.querySelector('.status-bar') ?? doc.body.createDiv('status-bar');
    const el = bar.createDiv(`status-bar-item plugin-${this.manifest.id}`);
    this.#keepIn(this.#host.statusBar, el);
    this.register(() => {
      el.remove();
    });
    return el;
  }

  /** Puts the plugin's id and name before those of the command, in the object that it was given. */
  addCommand(command: Command): Command {
    command.id = `${this.manifest.id}:${command.id}`;
    command.name = `${this.manifest.name}: ${command.name}`;
    this.#host.commands.set(command.id, command);
    this.register(() => this.#host.commands.delete(command.id));
    return command;
  }

  removeCommand(commandId: string): void {
    this.#host.commands.delete(`${this.manifest.id}:${commandId}`);
  }

  addSettingTab(settingTab: PluginSettingTab): void {
    this.#host.settingTabs.set(this.manifest.id, settingTab);
    settingTab.update();
    this.register(() => this.#host.settingTabs.delete(this.manifest.id));
  }

  registerView(type: string, viewCreator: ViewCreator): void {
    this.#keepUnder(this.#host.views, type, viewCreator, `a view of type "${type}"`);
    this.register(() => {
      this.#host.viewGone(type);
    });
    this.#host.viewKnown(type);
  }

  registerExtensions(extensions: string[], viewType: string): void {
    for (const one of extensions)
      this.#keepUnder(this.#host.extensions, one, viewType, `the extension "${one}"`);
  }

  registerObsidianProtocolHandler(action: string, handler: ObsidianProtocolHandler): void {
    this.#keepUnder(this.#host.protocolHandlers, action, handler, `the action "${action}"`);
  }

  registerCliHandler(
    command: string,
    description: string,
    flags: CliFlags | null,
    handler: CliHandler,
  ): void {
    const entry = { description, flags, handler };
    this.#keepUnder(this.#host.cliCommands, command, entry, `the command "${command}"`);
  }

  registerMarkdownCodeBlockProcessor(language: string, handler: CodeBlockHandler): MarkdownPostProcessor {
    this.#keepUnder(this.#host.codeBlocks, language, handler, `the code block "${language}"`);
    return () => undefined;
  }

  /** What `data.json` holds, or null when there is none. */
  async loadData(): Promise<unknown> {
    const { adapter } = this.app.vault;
    if (!(await adapter.exists(this.#dataPath))) return null;
    return JSON.parse(await adapter.read(this.#dataPath));
  }

  async saveData(data: unknown): Promise<void> {
    await this.app.vault.adapter.mkdir(this.#folder);
    await this.app.vault.adapter.write(this.#dataPath, JSON.stringify(data, null, 2));
  }

  get #host(): HostState {
    return stateOf(this.app);
  }

  get #folder(): string {
    return this.manifest.dir ?? `${this.app.vault.configDir}/plugins/${this.manifest.id}`;
  }

  get #dataPath(): string {
    return `${this.#folder}/data.json`;
  }

  #keepIn<T>(list: T[], entry: T): void {
    list.push(entry);
    this.register(() => list.splice(list.indexOf(entry), 1));
  }

  #keepUnder<T>(map: Map<string, T>, key: string, entry: T, what: string): void {
    if (map.has(key)) throw new Error(`Attempting to register ${what} that is registered already.`);
    map.set(key, entry);
    this.register(() => map.delete(key));
  }
}
