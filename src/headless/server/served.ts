import { createHash } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { orNull } from '../../adapters/files/file-system';
import { writePrivate } from '../../adapters/host/token-file';
import { isRecord, parsedJson } from '../../core/base/json';
import { Away } from '../../core/ports/ports';
import { isVaultId, VAULT_ID } from '../../core/vault/open';
import { isEmptyFolder, type OpenVault } from './open';
import { refuseMissing } from './place';

/**
 * What the configuration folder remembers of the vault that was served from a folder: its id. A disk that is not mounted, or another
 * one in its place, is then no new vault.
 */
export class ServedVault {
  readonly #file: string;

  /** @param root the real path of the vault's folder, whether it exists or not */
  constructor(
    configFolder: string,
    private readonly root: string,
  ) {
    const name = createHash('sha256').update(root).digest('hex').slice(0, 16);
    this.#file = path.join(configFolder, 'served', `${name}.json`);
  }

  /** Returns the id of the vault that was served from the folder; null when none was. */
  async #id(): Promise<string | null> {
    const text = await orNull(readFile(this.#file, 'utf8'));
    // A file that holds no JSON remembers nothing.
    const known = parsedJson(text ?? '');
    return isRecord(known) && typeof known.id === 'string' ? known.id : null;
  }

  /**
   * @param folder the path as it was given
   * @throws UsageError for a folder that is missing and was never served: a mistyped name must not become a vault
   */
  async requireFolder(folder: string, command: string): Promise<void> {
    if ((await this.#id()) === null) await refuseMissing(folder, command);
  }

  /** Forgets the vault: another one is begun in the folder. */
  forget(): Promise<void> {
    return rm(this.#file, { force: true });
  }

  /**
   * Opens the vault and remembers it.
   * @param options.create true to open whatever is in the folder
   * @throws Away while the folder is missing or empty, or has another vault than the one that was served from it
   */
  async open(
    { create }: { readonly create?: boolean | undefined },
    command: string,
    open: () => Promise<OpenVault>,
  ): Promise<OpenVault> {
    const known = await this.#id();
    if (known !== null && create !== true) await this.#requireSame(known, command);
    const opened = await open();
    if (opened.id !== undefined && opened.id !== known)
      await writePrivate(this.#file, `${JSON.stringify({ path: this.root, id: opened.id }, null, 1)}\n`);
    return opened;
  }

  async #requireSame(known: string, command: string): Promise<void> {
    const isAbsent = await isEmptyFolder(this.root);
    const text = isAbsent ? null : await orNull(readFile(path.join(this.root, '.brain', VAULT_ID), 'utf8'));
    const other = text !== null && isVaultId(text.trim()) && text.trim() !== known;
    if (!isAbsent && !other) return;
    const what = isAbsent ? 'it is missing or empty now' : 'it has another vault now';
    throw new Away(
      'busy',
      `A vault was served from ${this.root}, and ${what}. The server waits until that vault is back, as when its disk is mounted again. To serve what is there instead: ${command} serve --create`,
    );
  }
}
