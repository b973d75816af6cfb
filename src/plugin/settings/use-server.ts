import { type App, Modal, Setting } from 'obsidian';
import { crossesOpenly } from '../../core/base/redact';
import { parseServerUrl } from '../../core/config/server-url';
import type { ServerControl } from '../server/control';
import { OPEN_WARNING, tryServer } from '../server/remote';
import type { ServerToken, SettingsStore } from '../server/store';

// This module is loaded on demand: few people set this up, and once.

interface UseServerDeps {
  readonly app: App;
  readonly control: Pick<ServerControl, 'restart'>;
  readonly settings: Pick<SettingsStore, 'serverUrl' | 'set'>;
  readonly token: ServerToken;
}

const EXAMPLE = 'https://brain.example';
/** A token as a header can carry it. */
const TOKEN = /^[\w.~+/-]*=*$/;

/**
 * The form for the address and the token of a server elsewhere. Nothing is saved, and no token sent, before the person presses the
 * button and the server has answered.
 */
class UseServerModal extends Modal {
  readonly #deps: UseServerDeps;
  readonly #typed: { url: string; token: string; allowsOpen: boolean };
  #isBusy = false;

  constructor(deps: UseServerDeps) {
    super(deps.app);
    this.#deps = deps;
    this.#typed = { url: deps.settings.serverUrl ?? '', token: '', allowsOpen: false };
  }

  override onOpen(): void {
    const { contentEl } = this;
    const typed = this.#typed;
    this.setTitle('Use a server');
    // The app gives its dialogs no name.
    this.modalEl.setAttribute('aria-label', 'Use a server');
    contentEl.createEl('p', {
      text: 'The screens work on the notes of a server elsewhere. The server inside this app stops, and the notes of this vault stay as they are.',
    });
    new Setting(contentEl)
      .setName('Address')
      .setDesc('Saved with the settings of this vault, also for your other devices.')
      .addText((field) => {
        field.setPlaceholder(EXAMPLE).setValue(typed.url);
        field.inputEl.setAttr('aria-label', 'Address');
        field.onChange((text) => {
          typed.url = text;
          drawWarning();
        });
      });
    new Setting(contentEl)
      .setName('Token')
      .setDesc(
        'Kept in the secret store of this device, for this address alone. On the machine of the server "brain token add <name> --scopes read,write,review" makes one.',
      )
      .addText((field) => {
        field.inputEl.type = 'password';
        field.inputEl.setAttrs({ autocomplete: 'off', 'aria-label': 'Token' });
        field.onChange((text) => (typed.token = text));
      });
    const openly = new Setting(contentEl)
      .setName('Send the token unencrypted')
      .setDesc(`${OPEN_WARNING} Only for a network that encrypts by itself, such as a VPN.`)
      .addToggle((toggle) => {
        toggle.toggleEl.setAttr('aria-label', 'Send the token unencrypted');
        toggle.setValue(false).onChange((allows) => (typed.allowsOpen = allows));
      });
    const drawWarning = (): void => {
      const parsed = parseServerUrl(typed.url);
      openly.settingEl.toggle('url' in parsed && crossesOpenly(parsed.url));
    };
    drawWarning();
    const problem = contentEl.createEl('p', { cls: 'mod-warning', attr: { role: 'alert' } });
    new Setting(contentEl).addButton((button) =>
      button
        .setButtonText('Use this server')
        .setCta()
        .onClick(async () => {
          if (this.#isBusy) return;
          this.#isBusy = true;
          problem.setText('');
          button.setButtonText('Asking the server');
          try {
            await this.#use();
            this.close();
          } catch (error) {
            problem.setText(error instanceof Error ? error.message : String(error));
          } finally {
            this.#isBusy = false;
            button.setButtonText('Use this server');
          }
        }),
    );
  }

  override onClose(): void {
    this.contentEl.empty();
  }

  /** @throws Error with what is wrong and what to do */
  async #use(): Promise<void> {
    const { control, settings, token: kept } = this.#deps;
    const { allowsOpen } = this.#typed;
    const parsed = parseServerUrl(this.#typed.url);
    if ('fault' in parsed) throw new Error(parsed.fault);
    const { url } = parsed;
    const typed = this.#typed.token.trim();
    if (!TOKEN.test(typed))
      throw new Error('The token has a character that none has. Paste it as "brain token add" printed it.');
    if (crossesOpenly(url) && !allowsOpen)
      throw new Error(`${OPEN_WARNING} Use an address with https://, or allow it above.`);
    // Of a server that is used already the address may be corrected, or the token kept.
    const token = typed === '' ? (kept.get(url) ?? '') : typed;
    await tryServer(url, token);
    kept.set(url, token);
    if (settings.serverUrl === url) await control.restart();
    else await settings.set('serverUrl', url);
  }
}

/** Opens the form that chooses a server elsewhere. */
export function openUseServer(deps: UseServerDeps): void {
  new UseServerModal(deps).open();
}
