import type { TooltipOptions } from 'obsidian';
import { setIcon } from '../ui/icons';
import { setTooltip } from '../ui/tooltip';
import { BaseComponent } from './component';

export class ButtonComponent extends BaseComponent {
  declare removeCta: () => this;
  declare removeDestructive: () => this;
  buttonEl: HTMLButtonElement;
  #clicked: (evt: MouseEvent) => unknown = () => undefined;

  constructor(containerEl: HTMLElement) {
    super();
    this.buttonEl = containerEl.createEl('button', { type: 'button' });
    this.buttonEl.addEventListener('click', (event) => {
      this.#clicked(event);
    });
  }

  override setDisabled(disabled: boolean): this {
    this.buttonEl.disabled = disabled;
    return super.setDisabled(disabled);
  }

  setCta(): this {
    return this.setClass('mod-cta');
  }

  setWarning(): this {
    return this.setClass('mod-warning');
  }

  setDestructive(): this {
    return this.setClass('mod-destructive');
  }

  setTooltip(tooltip: string, options?: TooltipOptions): this {
    setTooltip(this.buttonEl, tooltip, options);
    return this;
  }

  setButtonText(name: string): this {
    this.buttonEl.setText(name);
    return this;
  }

  setIcon(icon: string): this {
    setIcon(this.buttonEl, icon);
    return this;
  }

  setClass(cls: string): this {
    this.buttonEl.addClass(cls);
    return this;
  }

  onClick(callback: (evt: MouseEvent) => unknown): this {
    this.#clicked = callback;
    return this;
  }
}

export class ExtraButtonComponent extends BaseComponent {
  extraSettingsEl: HTMLElement;
  #clicked: () => unknown = () => undefined;

  constructor(containerEl: HTMLElement) {
    super();
    this.extraSettingsEl = containerEl.createDiv({
      cls: 'clickable-icon extra-setting-button',
      attr: { role: 'button', tabindex: '0' },
    });
    this.extraSettingsEl.addEventListener('click', () => {
      if (!this.disabled) this.#clicked();
    });
  }

  override setDisabled(disabled: boolean): this {
    this.extraSettingsEl.toggleClass('is-disabled', disabled);
    return super.setDisabled(disabled);
  }

  setTooltip(tooltip: string, options?: TooltipOptions): this {
    setTooltip(this.extraSettingsEl, tooltip, options);
    return this;
  }

  setIcon(icon: string): this {
    setIcon(this.extraSettingsEl, icon);
    return this;
  }

  onClick(callback: () => unknown): this {
    this.#clicked = callback;
    return this;
  }
}
