import { type App, Modal, Setting } from 'obsidian';
import { amountOf, type FolderUse } from './folder-plan';

export interface FirstStart {
  readonly folders: readonly FolderUse[];
  /** Where agents will reach the vault: `127.0.0.1:27246`. */
  readonly address: string;
  /** False when the person has agreed before and only looks again. */
  readonly asks: boolean;
  readonly onStart: () => void;
  readonly onLater: () => void;
}

/**
 * Shows which folders the service uses and how many files each holds, and asks before anything runs. Closing it in any
 * other way than by "Start" means "Not now".
 */
export class FirstStartModal extends Modal {
  readonly #plan: FirstStart;
  #agreed = false;

  constructor(app: App, plan: FirstStart) {
    super(app);
    this.#plan = plan;
  }

  override onOpen(): void {
    const { folders, address, asks } = this.#plan;
    this.setTitle(asks ? 'Use this vault as a brain?' : 'Folders of this vault');
    const { contentEl } = this;
    contentEl.createEl('p', {
      text: asks
        ? 'Nothing has been changed and nothing runs yet. These are the folders that will be used. Files that stand in them stay as they are.'
        : 'These are the folders that are used in this vault.',
    });
    for (const use of folders) {
      const row = new Setting(contentEl).setName(use.path).setDesc(use.purpose);
      row.controlEl.createSpan({ text: amountOf(use) });
    }
    if (!asks) return;
    contentEl.createEl('p', {
      text: `A server will listen on ${address}. Only programs on this machine that hold a token reach it. This choice is for this device alone.`,
    });
    new Setting(contentEl)
      .addButton((button) => button.setButtonText('Not now').onClick(() => this.close()))
      .addButton((button) =>
        button
          .setButtonText('Start')
          .setCta()
          .onClick(() => {
            this.#agreed = true;
            this.close();
          }),
      );
  }

  override onClose(): void {
    this.contentEl.empty();
    if (!this.#plan.asks) return;
    if (this.#agreed) this.#plan.onStart();
    else this.#plan.onLater();
  }
}
