import type * as Real from 'obsidian';
import type { MarkdownViewModeType, ViewStateResult } from 'obsidian';
import { Editor } from './editor';
import { TextFileView } from './file-views';
import type { WorkspaceLeaf } from './leaf';

/** An open note. The reading mode draws nothing; the source is an editor without a screen. */
export class MarkdownView extends TextFileView {
  declare getMode: Real.MarkdownView['getMode'];
  declare showSearch: Real.MarkdownView['showSearch'];
  editor: Editor;
  hoverPopover = null;
  #mode: MarkdownViewModeType = 'source';
  #loading = false;

  constructor(leaf: WorkspaceLeaf) {
    super(leaf);
    this.editor = new Editor(() => {
      if (this.#loading) return;
      this.requestSave();
      this.app.workspace.trigger('editor-change', this.editor, this);
    });
  }

  getViewType(): string {
    return 'markdown';
  }

  override getState(): Record<string, unknown> {
    return { ...super.getState(), mode: this.#mode };
  }

  override async setState(state: unknown, result: ViewStateResult): Promise<void> {
    if (typeof state === 'object' && state !== null && 'mode' in state) {
      this.#mode = state.mode === 'preview' ? 'preview' : 'source';
    }
    await super.setState(state, result);
  }

  getViewData(): string {
    return this.editor.getValue();
  }

  setViewData(data: string, _: boolean): void {
    this.#loading = true;
    this.editor.setValue(data);
    this.editor.setCursor(0);
    this.#loading = false;
  }

  clear(): void {
    this.setViewData('', true);
  }
}
