import type { App, Plugin, SettingDefinitionItem } from 'obsidian';
import { DefinitionRenderer } from './definition-renderer';

/** A page of the settings dialog. Definitions win over `display` as soon as there is one. */
export abstract class SettingTab {
  icon = '';
  app: App;
  containerEl: HTMLElement;
  settingItems: SettingDefinitionItem[] = [];
  #renderer: DefinitionRenderer | null = null;
  #shown = false;

  constructor(app: App) {
    this.app = app;
    this.containerEl = createDiv('vertical-tab-content');
  }

  getSettingDefinitions(): SettingDefinitionItem[] {
    return [];
  }

  /** Asks for the definitions anew and, when the tab is shown, draws them anew. */
  update(): void {
    this.settingItems = this.getSettingDefinitions();
    if (this.#shown && this.settingItems.length > 0) this.#draw();
  }

  getControlValue(_: string): unknown {
    return undefined;
  }

  setControlValue(..._: [key: string, value: unknown]): void | Promise<void> {
    return undefined;
  }

  refreshDomState(): void {
    this.#renderer?.refresh();
  }

  display(): void {
    return undefined;
  }

  hide(): void {
    return undefined;
  }

  /** Of the fake alone: what the settings dialog does when it turns to this tab. */
  show(): void {
    this.#shown = true;
    this.settingItems = this.getSettingDefinitions();
    if (this.settingItems.length > 0) this.#draw();
    else this.display();
  }

  /** Of the fake alone: what it does when it turns away. */
  leave(): void {
    this.#shown = false;
    this.hide();
    this.#renderer?.tearDown();
    this.#renderer = null;
    this.containerEl.empty();
  }

  #draw(): void {
    this.#renderer?.tearDown();
    this.containerEl.empty();
    this.#renderer = new DefinitionRenderer(this);
    this.#renderer.draw(this.containerEl, this.settingItems);
  }
}

export abstract class PluginSettingTab extends SettingTab {
  readonly #plugin: Plugin;

  constructor(app: App, plugin: Plugin) {
    super(app);
    this.#plugin = plugin;
  }

  override getControlValue(key: string): unknown {
    const { settings } = this.#plugin;
    return typeof settings === 'object' && settings !== null ? Reflect.get(settings, key) : undefined;
  }

  override async setControlValue(key: string, value: unknown): Promise<void> {
    const { settings } = this.#plugin;
    const kept = typeof settings === 'object' && settings !== null ? settings : {};
    Reflect.set(kept, key, value);
    this.#plugin.settings = kept;
    await this.#plugin.saveData(kept);
  }
}
