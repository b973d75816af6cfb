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

/** The editor in which a person was writing. */
interface EditorPlace {
  readonly editor: Editor;
  readonly file: TFile | null;
}

/** Tracks the pane in which a note was edited last, so that a screen next to it can insert a link there. */
export class LastEditor {
  readonly #plugin: Pick<Plugin, 'app' | 'registerEvent'>;
  #leaf: WorkspaceLeaf | null = null;

  constructor(plugin: Pick<Plugin, 'app' | 'registerEvent'>) {
    this.#plugin = plugin;
  }

  /** Tracks the pane from now on, until the plugin is unloaded. */
  follow(): void {
    const { app } = this.#plugin;
    this.#plugin.registerEvent(
      app.workspace.on('active-leaf-change', (leaf) => {
        if (leaf?.view instanceof MarkdownView) this.#leaf = leaf;
      }),
    );
  }

  /** Returns the editor; null when no note is open for writing. */
  find(): EditorPlace | null {
    const { workspace } = this.#plugin.app;
    const active = workspace.activeEditor;
    if (active?.editor) return { editor: active.editor, file: active.file };
    const open = workspace.getLeavesOfType('markdown');
    const leaf = open.find((candidate) => candidate === this.#leaf) ?? open[0];
    return leaf?.view instanceof MarkdownView ? { editor: leaf.view.editor, file: leaf.view.file } : null;
  }
}

/**
 * Tracks the note that a person is in: the one that is open in the app, or while a server elsewhere is used the one of that
 * server that its screen shows.
 */
export class NoteInFront {
  readonly #plugin: Pick<Plugin, 'app' | 'registerEvent'>;
  readonly #isElsewhere: () => boolean;
  readonly #listeners = new Set<() => void>();
  #shown: string | null = null;

  constructor(plugin: Pick<Plugin, 'app' | 'registerEvent'>, isElsewhere: () => boolean) {
    this.#plugin = plugin;
    this.#isElsewhere = isElsewhere;
  }

  /** The path of the note; null while no note is open. */
  get path(): string | null {
    if (this.#isElsewhere()) return this.#shown;
    const file = this.#plugin.app.workspace.getActiveFile();
    return file?.extension.toLowerCase() === 'md' ? file.path : null;
  }

  /** Tracks the note from now on, until the plugin is unloaded. */
  follow(): void {
    const { workspace } = this.#plugin.app;
    const events = [
      workspace.on('file-open', () => this.#tell()),
      workspace.on('active-leaf-change', (leaf) => {
        if (leaf?.view.getViewType() === viewType('note')) this.shows(parseParams(leaf.view.getState()));
      }),
    ];
    for (const event of events) this.#plugin.registerEvent(event);
  }

  /** Notes that a note screen in front shows another note. */
  shows({ path = '' }: ScreenParams): void {
    this.#shown = path === '' ? null : path;
    this.#tell();
  }

  /** Calls `listener` when the note may be another one, until the returned function is called. */
  onChange(listener: () => void): () => void {
    const { vault } = this.#plugin.app;
    this.#listeners.add(listener);
    const renamed = vault.on('rename', listener);
    return () => {
      this.#listeners.delete(listener);
      vault.offref(renamed);
    };
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}

/** Returns the type of a screen's view in Obsidian. Saved layouts contain it, so it never changes. */
export function viewType(screen: ScreenName): string {
  return `brain-server-${screen}`;
}

/** Reveals a screen: the open one unless `isNew`, or a new tab; neighbours open beside the notes. Without `params` an open screen keeps its own. */
export async function openScreen(
  workspace: Pick<Workspace, 'getLeavesOfType' | 'getLeaf' | 'getRightLeaf' | 'revealLeaf'>,
  screen: ScreenName,
  params?: ScreenParams,
  isNew = false,
): Promise<void> {
  const type = viewType(screen);
  const open = isNew ? undefined : workspace.getLeavesOfType(type)[0];
  const beside = screen === 'neighbours' ? workspace.getRightLeaf(false) : null;
  const leaf = open ?? beside ?? workspace.getLeaf('tab');
  if (open === undefined || params !== undefined) {
    await leaf.setViewState({ type, active: true, state: { params: params ?? {} } });
  }
  await workspace.revealLeaf(leaf);
}

/**
 * Returns a function that opens the settings page of the plugin `id`; null where the app does not offer it. The app has
 * these functions and does not document them, so they are checked first.
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

/** Parses the parameters in a saved state. Values that are not text are left out, for a layout file can contain anything. */
export function parseParams(state: unknown): ScreenParams {
  if (typeof state !== 'object' || state === null || !('params' in state)) return {};
  const { params } = state;
  if (typeof params !== 'object' || params === null) return {};
  const entries = Object.entries(params).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  );
  return Object.fromEntries(entries);
}
