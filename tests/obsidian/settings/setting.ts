import type * as Real from 'obsidian';
import { setTooltip } from '../ui/tooltip';
import { ButtonComponent, ExtraButtonComponent } from './button-components';
import { DropdownComponent, ToggleComponent } from './choice-components';
import type { BaseComponent } from './component';
import { TextAreaComponent, TextComponent } from './text-components';

let count = 0;

/** A row of settings: name and description at the left, controls at the right. Its inputs are labelled by its name. */
export class Setting {
  declare addSearch: Real.Setting['addSearch'];
  declare addMomentFormat: Real.Setting['addMomentFormat'];
  declare addColorPicker: Real.Setting['addColorPicker'];
  declare addProgressBar: Real.Setting['addProgressBar'];
  declare addSlider: Real.Setting['addSlider'];
  declare addDisplayValue: Real.Setting['addDisplayValue'];
  settingEl: HTMLElement;
  infoEl: HTMLElement;
  nameEl: HTMLElement;
  descEl: HTMLElement;
  controlEl: HTMLElement;
  components: BaseComponent[] = [];
  errorEl: HTMLElement | null = null;
  readonly #id = `setting-${(count += 1)}`;

  constructor(containerEl: HTMLElement) {
    this.settingEl = containerEl.createDiv('setting-item');
    this.infoEl = this.settingEl.createDiv('setting-item-info');
    this.nameEl = this.infoEl.createDiv({ cls: 'setting-item-name', attr: { id: `${this.#id}-name` } });
    this.descEl = this.infoEl.createDiv({
      cls: 'setting-item-description',
      attr: { id: `${this.#id}-desc` },
    });
    this.controlEl = this.settingEl.createDiv('setting-item-control');
  }

  setName(name: string | DocumentFragment): this {
    this.nameEl.setText(name);
    return this;
  }

  setDesc(desc: string | DocumentFragment): this {
    this.descEl.setText(desc);
    return this;
  }

  setClass(cls: string): this {
    this.settingEl.addClass(cls);
    return this;
  }

  setTooltip(tooltip: string, options?: Real.TooltipOptions): this {
    setTooltip(this.nameEl, tooltip, options);
    return this;
  }

  setHeading(): this {
    this.settingEl.addClass('setting-item-heading');
    this.nameEl.setAttrs({ role: 'heading', 'aria-level': 3 });
    return this;
  }

  setDisabled(disabled: boolean): this {
    this.settingEl.toggleClass('is-disabled', disabled);
    for (const component of this.components) component.setDisabled(disabled);
    return this;
  }

  setErrorMessage(message: string | null): this {
    this.errorEl ??= this.infoEl.createDiv({ cls: 'setting-item-error', attr: { role: 'alert' } });
    this.errorEl.setText(message ?? '');
    this.settingEl.toggleClass('is-invalid', message !== null && message !== '');
    return this;
  }

  addButton(cb: (component: ButtonComponent) => unknown): this {
    return this.#add(new ButtonComponent(this.controlEl), cb);
  }

  addExtraButton(cb: (component: ExtraButtonComponent) => unknown): this {
    return this.#add(new ExtraButtonComponent(this.controlEl), cb);
  }

  addToggle(cb: (component: ToggleComponent) => unknown): this {
    return this.#add(new ToggleComponent(this.controlEl), cb);
  }

  addText(cb: (component: TextComponent) => unknown): this {
    return this.#add(new TextComponent(this.controlEl), cb);
  }

  addTextArea(cb: (component: TextAreaComponent) => unknown): this {
    return this.#add(new TextAreaComponent(this.controlEl), cb);
  }

  addDropdown(cb: (component: DropdownComponent) => unknown): this {
    return this.#add(new DropdownComponent(this.controlEl), cb);
  }

  addComponent<T extends BaseComponent>(cb: (el: HTMLElement) => T): this {
    return this.#add(cb(this.controlEl), () => undefined);
  }

  then(cb: (setting: this) => unknown): this {
    cb(this);
    return this;
  }

  clear(): this {
    this.controlEl.empty();
    this.components = [];
    return this;
  }

  #add<T extends BaseComponent>(component: T, cb: (component: T) => unknown): this {
    this.components.push(component);
    cb(component);
    for (const input of this.controlEl.findAll('input, select, textarea')) {
      if (input.hasAttribute('aria-label')) continue;
      input.setAttrs({ 'aria-labelledby': `${this.#id}-name`, 'aria-describedby': `${this.#id}-desc` });
    }
    return this;
  }
}
