import type * as Real from 'obsidian';
import type { App } from 'obsidian';
import { ButtonComponent } from '../settings/button-components';
import { Modal } from './modal';

/** A button that closes its dialog, unless what it does resolves to something true. */
export class ConfirmationButton extends ButtonComponent {
  declare setSecondary: Real.ConfirmationButton['setSecondary'];
  readonly #modal: ConfirmationModal;

  constructor(modal: ConfirmationModal) {
    super(modal.buttonContainerEl);
    this.#modal = modal;
    this.onClick(() => undefined);
  }

  override onClick(handler: (evt: MouseEvent) => unknown): this {
    return super.onClick(async (event) => {
      const stays: unknown = await handler(event);
      if (!stays) this.#modal.close();
    });
  }

  setInitialFocus(): this {
    this.#modal.focusFirst(this.buttonEl);
    return this;
  }

  setCancel(): this {
    return this.setClass('mod-cancel');
  }
}

/** Asks a person to confirm something. */
export class ConfirmationModal extends Modal {
  buttonContainerEl: HTMLElement;
  #first: HTMLElement | null = null;

  constructor(app: App) {
    super(app);
    this.modalEl.addClass('mod-confirmation');
    this.buttonContainerEl = this.modalEl.createDiv('modal-button-container');
  }

  override open(): void {
    super.open();
    this.#first?.focus();
  }

  addClass(cls: string): this {
    this.modalEl.addClass(cls);
    return this;
  }

  addCheckbox(label: string, cb: (value: boolean) => unknown): this {
    const el = this.buttonContainerEl.createEl('label', 'mod-checkbox');
    const box = el.createEl('input', { type: 'checkbox' });
    el.appendText(label);
    box.addEventListener('change', () => {
      cb(box.checked);
    });
    return this;
  }

  addButton(cb: (btn: ConfirmationButton) => unknown): this {
    cb(new ConfirmationButton(this));
    return this;
  }

  addCancelButton(text = 'Cancel'): this {
    return this.addButton((button) => button.setButtonText(text).setCancel());
  }

  /** Of the fake alone. */
  focusFirst(el: HTMLElement): void {
    this.#first = el;
  }
}
