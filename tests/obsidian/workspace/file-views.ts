import type * as Real from 'obsidian';
import type { TAbstractFile, TFile, ViewStateResult } from 'obsidian';
import { debounce } from '../core/debounce';
import { stateOf } from '../core/host-state';
import { ItemView } from './view';

/** A view of one file; it follows the file through renames, and its leaf is emptied when the file goes. */
export abstract class FileView extends ItemView {
  declare canAcceptExtension: Real.FileView['canAcceptExtension'];
  allowNoFile = false;
  file: TFile | null = null;

  override onload(): void {
    const { vaultHooks } = stateOf(this.app);
    const hook = (kind: string, file: TAbstractFile): void => {
      if (file === this.file) stateOf(this.app).pending(this.#followed(kind));
    };
    vaultHooks.add(hook);
    this.register(() => vaultHooks.delete(hook));
  }

  override getDisplayText(): string {
    return this.file?.basename ?? 'No file';
  }

  override getState(): Record<string, unknown> {
    return { ...super.getState(), ...(this.file !== null && { file: this.file.path }) };
  }

  override async setState(state: unknown, result: ViewStateResult): Promise<void> {
    const path: unknown = typeof state === 'object' && state !== null && 'file' in state ? state.file : null;
    await this.#show(typeof path === 'string' ? this.app.vault.getFileByPath(path) : null);
    await super.setState(state, result);
  }

  async onLoadFile(_: TFile): Promise<void> {
    return undefined;
  }

  async onUnloadFile(_: TFile): Promise<void> {
    return undefined;
  }

  async onRename(_: TFile): Promise<void> {
    return undefined;
  }

  /** Of the fake alone: the file was changed by someone else. */
  async fileChanged(): Promise<void> {
    return undefined;
  }

  protected override async onClose(): Promise<void> {
    await this.#show(null);
  }

  async #show(file: TFile | null): Promise<void> {
    if (file === this.file) return;
    if (this.file !== null) await this.onUnloadFile(this.file);
    this.file = file;
    if (file !== null) await this.onLoadFile(file);
  }

  async #followed(kind: string): Promise<void> {
    if (kind === 'modify') await this.fileChanged();
    if (kind === 'rename' && this.file !== null) await this.onRename(this.file);
    if (kind === 'delete') {
      this.file = null;
      if (!this.allowNoFile) await this.leaf.setViewState({ type: 'empty' });
    }
  }
}

export abstract class EditableFileView extends FileView {}

/** A view that edits a text and saves it two seconds after the last change, or when it closes. */
export abstract class TextFileView extends EditableFileView {
  data = '';
  requestSave: () => void = debounce(() => void this.save(), 2_000, true);

  abstract getViewData(): string;
  abstract setViewData(data: string, clear: boolean): void;
  abstract clear(): void;

  override async onLoadFile(file: TFile): Promise<void> {
    this.data = await this.app.vault.read(file);
    this.setViewData(this.data, true);
  }

  override async onUnloadFile(_: TFile): Promise<void> {
    await this.save(true);
  }

  async save(clear = false): Promise<void> {
    const text = this.getViewData();
    if (this.file !== null && text !== this.data) {
      this.data = text;
      await this.app.vault.modify(this.file, text);
    }
    if (clear) this.clear();
  }

  /** What was typed and not saved yet wins over what came from outside. */
  override async fileChanged(): Promise<void> {
    if (this.file === null || this.getViewData() !== this.data) return;
    this.data = await this.app.vault.read(this.file);
    this.setViewData(this.data, false);
  }
}
