import { ExtraButtonComponent } from './button-components';
import { Setting } from './setting';
import { SearchComponent } from './text-components';

/** Rows that belong together, below a heading. */
export class SettingGroup {
  listEl: HTMLElement;
  /** Of the fake alone. */
  readonly groupEl: HTMLElement;
  readonly #headEl: HTMLElement;
  readonly #headingEl: HTMLElement;
  readonly #toolsEl: HTMLElement;

  constructor(containerEl: HTMLElement) {
    this.groupEl = containerEl.createDiv('setting-group');
    this.#headEl = this.groupEl.createDiv('setting-item setting-item-heading');
    this.#headingEl = this.#headEl.createDiv('setting-item-name');
    this.#toolsEl = this.#headEl.createDiv('setting-item-control');
    this.#headEl.hide();
    this.listEl = this.groupEl.createDiv('setting-items');
  }

  setHeading(text: string | DocumentFragment): this {
    this.#headingEl.setText(text);
    this.#headingEl.setAttrs({ role: 'heading', 'aria-level': 3 });
    this.#headEl.show();
    return this;
  }

  addClass(...classes: string[]): this {
    this.groupEl.addClass(...classes);
    return this;
  }

  addSetting(cb: (setting: Setting) => void): this {
    cb(new Setting(this.listEl));
    return this;
  }

  addSearch(cb: (component: SearchComponent) => unknown): this {
    this.#headEl.show();
    cb(new SearchComponent(this.#toolsEl));
    return this;
  }

  addExtraButton(cb: (component: ExtraButtonComponent) => unknown): this {
    this.#headEl.show();
    cb(new ExtraButtonComponent(this.#toolsEl));
    return this;
  }
}
