import { type App, Modal, Setting } from 'obsidian';

/** So much of the text is shown, in characters. */
const SHOWN = 600;
/** Longest title that the service takes. */
const MAX_TITLE = 200;

/** Shows what is on the clipboard and how much that is, and asks for a title before anything is ingested. */
export class ClipboardModal extends Modal {
  readonly #text: string;
  readonly #ingest: (title: string) => void;

  constructor(app: App, text: string, ingest: (title: string) => void) {
    super(app);
    this.#text = text;
    this.#ingest = ingest;
  }

  override onOpen(): void {
    this.setTitle('Ingest from clipboard');
    const { contentEl } = this;
    let title = '';
    const ingest = (): void => {
      this.close();
      this.#ingest(title);
    };
    new Setting(contentEl)
      .setName('Title')
      .setDesc('Without one, the text gives it.')
      .addText((field) => {
        field.onChange((typed) => (title = typed));
        field.inputEl.maxLength = MAX_TITLE;
        field.inputEl.setAttr('aria-label', 'Title');
      });
    contentEl.createEl('p', { text: amountOf(this.#text) });
    const shown = this.#text.slice(0, SHOWN);
    contentEl.createEl('pre', {
      cls: 'brain-clipboard',
      text: shown.length < this.#text.length ? `${shown}…` : shown,
      attr: { tabindex: '0', role: 'region', 'aria-label': 'Text on the clipboard' },
    });
    this.scope.register([], 'Enter', (event) => {
      // In a script that is composed of several keys this one only ends a word.
      if (event.isComposing) return;
      if (event.target !== null && 'tagName' in event.target && event.target.tagName !== 'INPUT') return;
      event.preventDefault();
      ingest();
    });
    new Setting(contentEl)
      .addButton((button) => button.setButtonText('Cancel').onClick(() => this.close()))
      .addButton((button) => button.setButtonText('Ingest').setCta().onClick(ingest));
  }

  override onClose(): void {
    this.contentEl.empty();
  }
}

/** `1,204 characters on 18 lines`. */
export function amountOf(text: string): string {
  const characters = Array.from(text).length;
  const lines = text.trimEnd().split(/\r\n|\r|\n/).length;
  return `${characters.toLocaleString('en')} ${characters === 1 ? 'character' : 'characters'} on ${lines.toLocaleString('en')} ${lines === 1 ? 'line' : 'lines'}`;
}
