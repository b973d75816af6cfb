import { type App, Modal } from 'obsidian';
import { type ComponentChildren, render } from 'preact';
import { keepFocusInside } from './focus-trap';

/** A layer of a screen as a window of Obsidian: it closes by Escape, keeps the focus inside, and gives it back. */
export class LayerModal extends Modal {
  readonly #content: ComponentChildren;
  readonly #whenClosed: (() => void) | undefined;
  #focused: Element | null = null;
  #letGo: (() => void) | null = null;

  constructor(app: App, title: string, content: ComponentChildren, whenClosed?: () => void) {
    super(app);
    this.#content = content;
    this.#whenClosed = whenClosed;
    this.setTitle(title);
    this.modalEl.addClass('brain-modal');
  }

  override open(): void {
    this.#focused = activeDocument.activeElement;
    super.open();
  }

  override onOpen(): void {
    this.#letGo = keepFocusInside(this.modalEl);
    this.contentEl.addClass('brain-screen');
    render(this.#content, this.contentEl);
  }

  override onClose(): void {
    render(null, this.contentEl);
    this.#letGo?.();
    this.#letGo = null;
    if (this.#focused?.instanceOf(HTMLElement)) this.#focused.focus();
    this.#focused = null;
    this.#whenClosed?.();
  }
}
