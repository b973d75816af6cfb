import type { HSL, RGB } from 'obsidian';
import { hslToRgb, rgbToHsl } from './colour';
import { BaseComponent, ValueComponent } from './component';

export class SliderComponent extends ValueComponent<number> {
  sliderEl: HTMLInputElement;
  #format: (value: number) => string = String;
  #changed: (value: number) => unknown = () => undefined;

  constructor(containerEl: HTMLElement) {
    super();
    this.sliderEl = containerEl.createEl('input', { cls: 'slider', type: 'range' });
    this.sliderEl.addEventListener('change', () => {
      this.#changed(this.getValue());
    });
  }

  override setDisabled(disabled: boolean): this {
    this.sliderEl.disabled = disabled;
    return super.setDisabled(disabled);
  }

  setInstant(instant: boolean): this {
    this.sliderEl.toggleClass('is-instant', instant);
    return this;
  }

  setLimits(min: number | null, max: number | null, step: number | 'any'): this {
    this.sliderEl.setAttrs({ min, max, step });
    return this;
  }

  getValue(): number {
    return this.sliderEl.valueAsNumber;
  }

  setValue(value: number): this {
    this.sliderEl.value = String(value);
    return this;
  }

  getValuePretty(): string {
    return this.#format(this.getValue());
  }

  setDisplayFormat(format: (value: number) => string): this {
    this.#format = format;
    return this;
  }

  setDynamicTooltip(): this {
    return this;
  }

  onChange(callback: (value: number) => unknown): this {
    this.#changed = callback;
    return this;
  }
}

export class ProgressBarComponent extends ValueComponent<number> {
  readonly #barEl: HTMLProgressElement;

  constructor(containerEl: HTMLElement) {
    super();
    this.#barEl = containerEl.createEl('progress', { attr: { max: 100 } });
  }

  getValue(): number {
    return this.#barEl.value;
  }

  setValue(value: number): this {
    this.#barEl.value = value;
    return this;
  }
}

export class ColorComponent extends ValueComponent<string> {
  readonly #inputEl: HTMLInputElement;
  #changed: (value: string) => unknown = () => undefined;

  constructor(containerEl: HTMLElement) {
    super();
    this.#inputEl = containerEl.createEl('input', { type: 'color' });
    this.#inputEl.addEventListener('input', () => {
      this.#changed(this.getValue());
    });
  }

  override setDisabled(disabled: boolean): this {
    this.#inputEl.disabled = disabled;
    return super.setDisabled(disabled);
  }

  getValue(): string {
    return this.#inputEl.value;
  }

  setValue(value: string): this {
    this.#inputEl.value = value;
    return this;
  }

  getValueRgb(): RGB {
    const value = Number.parseInt(this.getValue().slice(1), 16);
    return { r: value >> 16, g: (value >> 8) & 0xff, b: value & 0xff };
  }

  setValueRgb({ r, g, b }: RGB): this {
    return this.setValue(`#${[r, g, b].map((part) => part.toString(16).padStart(2, '0')).join('')}`);
  }

  getValueHsl(): HSL {
    return rgbToHsl(this.getValueRgb());
  }

  setValueHsl(hsl: HSL): this {
    return this.setValueRgb(hslToRgb(hsl));
  }

  onChange(callback: (value: string) => unknown): this {
    this.#changed = callback;
    return this;
  }
}

/** Text that a row shows and nobody edits there. */
export class DisplayValueComponent extends BaseComponent {
  valueEl: HTMLElement;

  constructor(containerEl: HTMLElement) {
    super();
    this.valueEl = containerEl.createSpan('setting-item-display-value');
  }

  setValue(value: string | null): this {
    this.valueEl.setText(value ?? '');
    return this;
  }

  setStatus(status: 'warning' | null): this {
    this.valueEl.toggleClass('mod-warning', status === 'warning');
    return this;
  }
}
