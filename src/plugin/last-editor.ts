import { type Editor, MarkdownView, type Plugin, type TFile, type WorkspaceLeaf } from 'obsidian';

/** Where a person was writing. */
export interface WritingPlace {
  readonly editor: Editor;
  readonly file: TFile | null;
}

/** Remembers the pane in which a note was edited last, so that a screen beside it can put a link there. */
export class LastEditor {
  readonly #plugin: Pick<Plugin, 'app' | 'registerEvent'>;
  #leaf: WorkspaceLeaf | null = null;

  constructor(plugin: Pick<Plugin, 'app' | 'registerEvent'>) {
    this.#plugin = plugin;
  }

  /** Remembers from now on, for as long as the plugin is loaded. */
  follow(): void {
    const { app } = this.#plugin;
    this.#plugin.registerEvent(
      app.workspace.on('active-leaf-change', (leaf) => {
        if (leaf?.view instanceof MarkdownView) this.#leaf = leaf;
      }),
    );
  }

  /** The place, or null when no note is open for writing any more. */
  find(): WritingPlace | null {
    const { workspace } = this.#plugin.app;
    const active = workspace.activeEditor;
    if (active?.editor) return { editor: active.editor, file: active.file };
    const open = workspace.getLeavesOfType('markdown');
    const leaf = open.find((candidate) => candidate === this.#leaf) ?? open[0];
    return leaf?.view instanceof MarkdownView ? { editor: leaf.view.editor, file: leaf.view.file } : null;
  }
}
