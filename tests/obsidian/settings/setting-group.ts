import type * as Real from 'obsidian';
import { ExtraButtonComponent } from './button-components';

/** Rows that belong together, below a heading. */
export class SettingGroup {
  declare addSetting: Real.SettingGroup['addSetting'];
  declare addSearch: Real.SettingGroup['addSearch'];
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

  addExtraButton(cb: (component: ExtraButtonComponent) => unknown): this {
    this.#headEl.show();
    cb(new ExtraButtonComponent(this.#toolsEl));
    return this;
  }
}
