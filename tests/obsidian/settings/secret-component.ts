import type { App } from 'obsidian';
import { BaseComponent } from './component';

/** Chooses one of the secrets by its id; the value is the id, never the secret. */
export class SecretComponent extends BaseComponent {
  readonly #selectEl: HTMLSelectElement;
  readonly #app: App;
  #changed: (value: string) => unknown = () => undefined;

  constructor(app: App, containerEl: HTMLElement) {
    super();
    this.#app = app;
    this.#selectEl = containerEl.createEl('select', 'dropdown mod-secret');
    this.#list('');
    this.#selectEl.addEventListener('change', () => {
      this.#changed(this.#selectEl.value);
    });
  }

  override setDisabled(disabled: boolean): this {
    this.#selectEl.disabled = disabled;
    return super.setDisabled(disabled);
  }

  setValue(value: string): this {
    this.#list(value);
    return this;
  }

  onChange(cb: (value: string) => unknown): this {
    this.#changed = cb;
    return this;
  }

  #list(value: string): void {
    this.#selectEl.empty();
    this.#selectEl.createEl('option', { value: '', text: 'No secret' });
    for (const id of this.#app.secretStorage.listSecrets())
      this.#selectEl.createEl('option', { value: id, text: id });
    this.#selectEl.value = value;
  }
}
