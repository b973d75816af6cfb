import type { App } from 'obsidian';
import { createElement, fill } from '../dom/create';
import { Scope } from './keymap';
import { modalsOf } from './open-modals';

/** A dialog above the active window. Escape and its cross close it; the focus returns to where it was. */
export class Modal {
  app: App;
  scope = new Scope();
  containerEl: HTMLElement;
  modalEl: HTMLElement;
  titleEl: HTMLElement;
  contentEl: HTMLElement;
  shouldRestoreSelection = true;
  #before: Element | null = null;
  #open = false;
  #closed: () => unknown = () => undefined;

  constructor(app: App) {
    this.app = app;
    const doc = activeDocument;
    this.containerEl = createElement(doc, null, 'div', 'modal-container');
    const background = createElement(doc, this.containerEl, 'div', 'modal-bg');
    this.modalEl = createElement(doc, this.containerEl, 'div', {
      cls: 'modal',
      attr: { role: 'dialog', 'aria-modal': 'true', tabindex: '-1' },
    });
    const cross = createElement(doc, this.modalEl, 'div', {
      cls: 'modal-close-button',
      attr: { 'aria-label': 'Close' },
    });
    const header = createElement(doc, this.modalEl, 'div', 'modal-header');
    this.titleEl = createElement(doc, header, 'div', 'modal-title');
    this.contentEl = createElement(doc, this.modalEl, 'div', 'modal-content');
    for (const el of [background, cross]) {
      el.addEventListener('click', () => {
        this.close();
      });
    }
    this.scope.register([], 'Escape', () => {
      this.close();
      return false;
    });
  }

  open(): void {
    if (this.#open) return;
    this.#open = true;
    const doc = activeDocument;
    this.#before = doc.activeElement;
    doc.body.appendChild(this.containerEl);
    this.app.keymap.pushScope(this.scope);
    modalsOf(this.app).add(this);
    this.modalEl.focus();
    void this.onOpen();
  }

  close(): void {
    if (!this.#open) return;
    this.#open = false;
    this.app.keymap.popScope(this.scope);
    modalsOf(this.app).delete(this);
    this.containerEl.remove();
    this.onClose();
    this.#closed();
    const before = this.#before;
    if (
      this.shouldRestoreSelection &&
      before !== null &&
      'focus' in before &&
      typeof before.focus === 'function'
    ) {
      before.focus();
    }
  }

  onOpen(): Promise<void> | void {
    return undefined;
  }

  onClose(): void {
    return undefined;
  }

  onHistoryBack(): void {
    this.close();
  }

  setTitle(title: string): this {
    fill(this.titleEl, title);
    return this;
  }

  setContent(content: string | DocumentFragment): this {
    fill(this.contentEl, content);
    return this;
  }

  setCloseCallback(callback: () => unknown): this {
    this.#closed = callback;
    return this;
  }
}
