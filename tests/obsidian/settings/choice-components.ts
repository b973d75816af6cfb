import type { TooltipOptions } from 'obsidian';
import { setTooltip } from '../ui/tooltip';
import { ValueComponent } from './component';

/** A switch: a checkbox inside an element that looks like one. */
export class ToggleComponent extends ValueComponent<boolean> {
  toggleEl: HTMLElement;
  /** Of the fake alone. */
  readonly inputEl: HTMLInputElement;
  #changed: (value: boolean) => unknown = () => undefined;

  constructor(containerEl: HTMLElement) {
    super();
    this.toggleEl = containerEl.createDiv('checkbox-container');
    this.inputEl = this.toggleEl.createEl('input', { type: 'checkbox', attr: { role: 'switch' } });
    this.inputEl.addEventListener('change', () => {
      this.toggleEl.toggleClass('is-enabled', this.getValue());
      this.#changed(this.getValue());
    });
    this.toggleEl.addEventListener('click', (event) => {
      if (event.target === this.toggleEl) this.onClick();
    });
  }

  override setDisabled(disabled: boolean): this {
    this.inputEl.disabled = disabled;
    this.toggleEl.toggleClass('is-disabled', disabled);
    return super.setDisabled(disabled);
  }

  getValue(): boolean {
    return this.inputEl.checked;
  }

  setValue(on: boolean): this {
    this.inputEl.checked = on;
    this.toggleEl.toggleClass('is-enabled', on);
    return this;
  }

  setTooltip(tooltip: string, options?: TooltipOptions): this {
    setTooltip(this.toggleEl, tooltip, options);
    return this;
  }

  onClick(): void {
    if (!this.disabled) this.inputEl.click();
  }

  onChange(callback: (value: boolean) => unknown): this {
    this.#changed = callback;
    return this;
  }
}

export class DropdownComponent extends ValueComponent<string> {
  selectEl: HTMLSelectElement;
  #changed: (value: string) => unknown = () => undefined;

  constructor(containerEl: HTMLElement) {
    super();
    this.selectEl = containerEl.createEl('select', 'dropdown');
    this.selectEl.addEventListener('change', () => {
      this.#changed(this.getValue());
    });
  }

  override setDisabled(disabled: boolean): this {
    this.selectEl.disabled = disabled;
    return super.setDisabled(disabled);
  }

  addOption(value: string, display: string): this {
    this.selectEl.createEl('option', { value, text: display });
    return this;
  }

  addOptions(options: Record<string, string>): this {
    for (const [value, display] of Object.entries(options)) this.addOption(value, display);
    return this;
  }

  getValue(): string {
    return this.selectEl.value;
  }

  setValue(value: string): this {
    this.selectEl.value = value;
    return this;
  }

  onChange(callback: (value: string) => unknown): this {
    this.#changed = callback;
    return this;
  }
}
