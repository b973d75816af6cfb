import { currentHost, type NoticeRecord } from '../core/host-state';
import { createElement, fill } from '../dom/create';

const USUAL_TIME = 5_000;

/** A message in the corner of the window. Where there is no document it is only recorded. */
export class Notice {
  noticeEl: HTMLElement;
  containerEl: HTMLElement;
  messageEl: HTMLElement;
  readonly #record: NoticeRecord;

  constructor(message: string | DocumentFragment, duration?: number) {
    const host = currentHost();
    const text = typeof message === 'string' ? message : (message.textContent ?? '');
    this.#record = { text, duration, open: true };
    host.notices.push(this.#record);
    if (!host.hasDocument) {
      this.noticeEl = this.containerEl = this.messageEl = NO_ELEMENT;
      return;
    }
    const doc = host.document;
    this.containerEl =
      doc.querySelector<HTMLElement>('.notice-container') ??
      createElement(doc, doc.body, 'div', 'notice-container');
    this.noticeEl = createElement(doc, this.containerEl, 'div', 'notice');
    this.messageEl = createElement(doc, this.noticeEl, 'div', 'notice-message');
    fill(this.messageEl, message);
    this.noticeEl.addEventListener('click', () => {
      this.hide();
    });
    if (duration !== 0) {
      host.scheduler.onTime(duration ?? USUAL_TIME, () => {
        this.hide();
      });
    }
  }

  setMessage(message: string | DocumentFragment): this {
    this.#record.text = typeof message === 'string' ? message : (message.textContent ?? '');
    if (currentHost().hasDocument) fill(this.messageEl, message);
    return this;
  }

  hide(): void {
    this.#record.open = false;
    if (currentHost().hasDocument) this.noticeEl.remove();
  }
}

/** Stands for the elements of a notice where there is no document: whoever touches it is told so. */
const NO_ELEMENT: HTMLElement = new Proxy(Object.create(null), {
  get: (_, name) => {
    throw new Error(`A host without a document draws no notices; ${String(name)} was asked of one.`);
  },
});
