import { type App, Modal, Setting } from 'obsidian';
import { SETTINGS } from '../../core/config/settings';
import type { ServerControl } from '../server/control';
import { attempt } from '../server/failure';
import type { SettingsStore, StartChoice } from '../server/store';
import type { FolderUse } from './folder-plan';
import type * as Reading from './what-is-read';

type Scope = Reading.WhatIsRead['scope'];

interface FirstStart {
  readonly folders: readonly FolderUse[];
  /** What a start makes and changes, in sentences. */
  readonly written: string;
  /** The notes of the owner, and which of them are read. */
  readonly reads: Reading.WhatIsRead;
  readonly words: Pick<typeof Reading, 'scopeWords' | 'excludedWords'>;
  /** The address of the server: `127.0.0.1:27246`. */
  readonly address: string;
  /** False when the person has agreed before and only looks at the folders. */
  readonly needsConsent: boolean;
  /** Called with the chosen scope. */
  readonly onStart: (scope: Scope) => void;
  readonly onLater: () => void;
}

/**
 * Shows the folders of the service with the number of files in each, and asks for consent before anything runs. Closing it
 * otherwise than by "Start" means "Not now".
 */
class FirstStartModal extends Modal {
  readonly #plan: FirstStart;
  #agreed = false;
  #scope: Scope;

  constructor(app: App, plan: FirstStart) {
    super(app);
    this.#plan = plan;
    this.#scope = plan.reads.scope;
  }

  override onOpen(): void {
    const { folders, written, address, needsConsent } = this.#plan;
    this.setTitle(needsConsent ? 'Use this vault as a brain?' : 'Folders of this vault');
    const { contentEl } = this;
    contentEl.createEl('p', {
      text: needsConsent
        ? `Nothing has been changed and nothing runs yet. These are the folders that will be used. ${written}`
        : 'These are the folders that are used in this vault.',
    });
    for (const use of folders) {
      const told = needsConsent && use.becomes !== undefined ? ` Files there now: ${use.becomes}.` : '';
      const row = new Setting(contentEl).setName(use.path).setDesc(use.purpose + told);
      row.controlEl.createSpan({ text: use.content });
    }
    this.#drawReading();
    if (!needsConsent) return;
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

  /** Says what becomes of the notes of the owner, and asks which are read until there is an answer. */
  #drawReading(): void {
    const { contentEl } = this;
    const { reads, words, needsConsent } = this.#plan;
    new Setting(contentEl).setName('Your own notes').setHeading();
    contentEl.createEl('p', {
      text: 'They stay as they are. No agent ever changes, moves or deletes one; only you can adopt one into the wiki. Those that are read are searched, answered from and linked to.',
    });
    const { name, control } = SETTINGS.readScope;
    const options = control?.type === 'dropdown' ? control.options : {};
    const row = new Setting(contentEl).setName(name);
    const draw = (): void => {
      const setBy = reads.variable === undefined ? '' : ` Set by the environment variable ${reads.variable}.`;
      row.setDesc(words.scopeWords(reads, this.#scope) + setBy);
    };
    if (needsConsent) {
      row.addDropdown((dropdown) =>
        dropdown
          .addOptions({ ...options })
          .setValue(this.#scope)
          .setDisabled(reads.variable !== undefined)
          .onChange((value) => {
            this.#scope = value === 'brain' ? 'brain' : 'vault';
            draw();
          }),
      );
    } else row.controlEl.createSpan({ text: options[this.#scope] ?? this.#scope });
    draw();
    const excluded = words.excludedWords(reads);
    if (excluded !== '') contentEl.createEl('p', { text: excluded });
  }

  override onClose(): void {
    this.contentEl.empty();
    if (!this.#plan.needsConsent) return;
    if (this.#agreed) this.#plan.onStart(this.#scope);
    else this.#plan.onLater();
  }
}

interface FirstStartDeps {
  readonly app: App;
  readonly choice: StartChoice;
  readonly settings: SettingsStore;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly control: Pick<ServerControl, 'start' | 'answered'>;
}

/** Shows the folders of the service, and asks for consent if it was not given yet. Reads only names of files and the settings of the app. */
export async function showFirstStart(deps: FirstStartDeps): Promise<void> {
  const { app, choice, settings, env, control } = deps;
  const { effectiveSetting } = await import('./rules');
  const words = await import('./what-is-read');
  const { folderPlan, writtenWords } = await import('./folder-plan');
  const reads = await words.whatIsRead(app, env, settings.saved);
  const effective = (key: string) => effectiveSetting(key, env, settings.saved).value;
  const files = app.vault.getFiles().map(({ path }) => path);
  const rootNote = String(effective('rootNote'));
  const folders = folderPlan(files, rootNote);
  new FirstStartModal(app, {
    folders,
    written: writtenWords(folders, rootNote),
    address: `${String(effective('host'))}:${String(effective('port'))}`,
    reads,
    words,
    needsConsent: !choice.confirmed,
    onStart: (scope) =>
      void attempt(async () => {
        // The vault is opened with what was chosen.
        if (scope !== reads.scope) await settings.set('readScope', scope === 'vault' ? undefined : scope);
        choice.confirm();
        await control.start();
      }),
    onLater: () => {
      choice.postpone();
      control.answered();
    },
  }).open();
}
