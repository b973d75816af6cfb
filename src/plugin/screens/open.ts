import {
  type App,
  type Editor,
  MarkdownView,
  type Plugin,
  type TFile,
  type Workspace,
  type WorkspaceLeaf,
} from 'obsidian';
import { isRecord } from '../../core/base/json';
import type { ScreenName, ScreenParams } from '../../ui/client/screens';

/** Where a person was writing. */
interface WritingPlace {
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

/** The type under which Obsidian keeps the view of a screen; it stands in saved layouts, so it never changes. */
export function viewTypeOf(screen: ScreenName): string {
  return `brain-server-${screen}`;
}

/**
 * Brings a screen to the front: where it is open already, else in a new tab. Without `params` an open screen stays on
 * what it shows.
 */
export async function openScreen(
  workspace: Pick<Workspace, 'getLeavesOfType' | 'getLeaf' | 'revealLeaf'>,
  screen: ScreenName,
  params?: ScreenParams,
): Promise<void> {
  const type = viewTypeOf(screen);
  const open = workspace.getLeavesOfType(type)[0];
  const leaf = open ?? workspace.getLeaf('tab');
  if (open === undefined || params !== undefined) {
    await leaf.setViewState({ type, active: true, state: { params: params ?? {} } });
  }
  await workspace.revealLeaf(leaf);
}

/**
 * How to open the settings page of the plugin `id`; null where the app does not offer it. The app has the means for it and
 * does not document them, so what is not there as expected is left alone.
 */
export function settingsOpener(app: App, id: string): (() => void) | null {
  const settings: unknown = 'setting' in app ? app.setting : null;
  if (!isRecord(settings)) return null;
  const { open, openTabById } = settings;
  if (typeof open !== 'function' || typeof openTabById !== 'function') return null;
  return () => {
    Reflect.apply(open, settings, []);
    Reflect.apply(openTabById, settings, [id]);
  };
}
