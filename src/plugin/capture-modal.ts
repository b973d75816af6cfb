import { type App, Modal, Notice, Setting } from 'obsidian';

/** A small window to write down a thought; it stays open with the text until the note is written. */
export class CaptureModal extends Modal {
  readonly #capture: (text: string) => Promise<string>;

  /** `capture` writes the note and resolves with its path; it rejects with a message for the person. */
  constructor(app: App, capture: (text: string) => Promise<string>) {
    super(app);
    this.#capture = capture;
  }

  override onOpen(): void {
    this.setTitle('Capture');
    const { contentEl } = this;
    const label = 'What to remember, in Markdown';
    const area = contentEl.createEl('textarea', {
      cls: 'brain-capture',
      attr: { rows: '8', 'aria-label': label, placeholder: label },
    });
    const problem = contentEl.createEl('p', { cls: 'mod-warning', attr: { role: 'alert' } });
    problem.hide();
    let isBusy = false;
    const save = async (): Promise<void> => {
      if (isBusy) return;
      isBusy = true;
      try {
        const path = await this.#capture(area.value);
        this.close();
        new Notice(`Captured as ${path}.`);
      } catch (error) {
        problem.setText(error instanceof Error ? error.message : String(error));
        problem.show();
        area.focus();
      } finally {
        isBusy = false;
      }
    };
    this.scope.register(['Mod'], 'Enter', (event) => {
      event.preventDefault();
      void save();
    });
    new Setting(contentEl).addButton((button) =>
      button
        .setButtonText('Capture')
        .setCta()
        .onClick(() => void save()),
    );
    area.focus();
  }

  override onClose(): void {
    this.contentEl.empty();
  }
}
