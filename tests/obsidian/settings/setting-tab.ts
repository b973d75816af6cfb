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
  /** The page below the tab that is shown; null for the tab itself. */
  #page: string | null = null;

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

  /** Of the fake alone: what it does when a person opens a page below the tab, or with null goes back. */
  turnTo(page: string | null): void {
    this.#page = page;
    this.#draw();
  }

  /** Of the fake alone: what it does when it turns away. */
  leave(): void {
    this.#shown = false;
    this.#page = null;
    this.hide();
    this.#renderer?.tearDown();
    this.#renderer = null;
    this.containerEl.empty();
  }

  #draw(): void {
    this.#renderer?.tearDown();
    this.containerEl.empty();
    this.#renderer = new DefinitionRenderer(this);
    const pages = this.settingItems.flatMap((item) => ('type' in item && item.type === 'page' ? [item] : []));
    const page = pages.find(({ name }) => name === this.#page);
    if (page === undefined) this.#renderer.draw(this.containerEl, this.settingItems);
    else {
      const back = this.containerEl.createEl('button', { cls: 'setting-back', text: 'Back' });
      back.addEventListener('click', () => this.turnTo(null));
      this.containerEl.createEl('h2', { cls: 'setting-title', text: page.name });
      this.#renderer.draw(this.containerEl, page.items ?? []);
    }
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
