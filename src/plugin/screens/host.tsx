import { type App, FileSystemAdapter, Modal, Notice, type TFile } from 'obsidian';
import { type ComponentChildren, render } from 'preact';
import type { BrainClient } from '../../core/registry/client';
import { LAYOUT } from '../../core/vocabulary/paths';
import { UiProvider } from '../../ui/client/context';
import type { TokenAdmin, UiHost } from '../../ui/client/host';
import type { ScreenName, ScreenParams } from '../../ui/client/screens';
import type { DeviceStore } from '../server/store';
import { type LastEditor, openScreen, settingsOpener } from './open';

/**
 * The files and folders of this vault that a dragged text names. The file explorer drags addresses of the app, one a line:
 * `obsidian://open?vault=Brain&file=papers%2Freport.pdf`, a note without its extension.
 */
export function draggedPaths({ vault }: Pick<App, 'vault'>, text: string): readonly string[] {
  const found = text.split(/\r?\n/).flatMap((line) => {
    const file = fileIn(line.trim(), vault.getName());
    if (file === null) return [];
    const stands = vault.getAbstractFileByPath(file) ?? vault.getAbstractFileByPath(`${file}.md`);
    return stands === null ? [] : [stands.path];
  });
  return [...new Set(found)];
}

function fileIn(line: string, vault: string): string | null {
  if (!line.startsWith('obsidian://open?')) return null;
  try {
    const { searchParams } = new URL(line);
    return searchParams.get('vault') === vault ? searchParams.get('file') : null;
  } catch {
    return null; // Something else was dragged.
  }
}

const FOCUSABLE =
  'a[href], button:not([disabled]), input:not([disabled]), select:not([disabled]), textarea:not([disabled]), [tabindex]:not([tabindex="-1"])';

/**
 * Lets Tab go round within the element; where nothing in it can have the focus, the element keeps it. Returns how to stop
 * that.
 */
function keepFocusInside(element: HTMLElement): () => void {
  const onKey = (event: KeyboardEvent): void => {
    if (event.key !== 'Tab') return;
    const stops = element.findAll(FOCUSABLE).filter((stop) => stop.isShown());
    const [first] = stops;
    const last = stops.at(-1);
    const { activeElement } = element.doc;
    const edge = event.shiftKey ? first : last;
    // The element itself has the focus at first; from there Shift+Tab would lead out.
    const isInside = activeElement !== element && element.contains(activeElement);
    if (isInside && activeElement !== edge) return;
    event.preventDefault();
    ((event.shiftKey ? last : first) ?? element).focus();
  };
  element.addEventListener('keydown', onKey);
  return () => element.removeEventListener('keydown', onKey);
}

/** A layer of a screen as a window of Obsidian: it closes by Escape, keeps the focus inside, and gives it back. */
class LayerModal extends Modal {
  readonly #content: ComponentChildren;
  readonly #whenClosed: (() => void) | undefined;
  #focused: Element | null = null;
  #letGo: (() => void) | null = null;

  constructor(app: App, title: string, content: ComponentChildren, whenClosed?: () => void) {
    super(app);
    this.#content = content;
    this.#whenClosed = whenClosed;
    this.setTitle(title);
    this.modalEl.addClass('brain-modal');
  }

  override open(): void {
    this.#focused = activeDocument.activeElement;
    super.open();
  }

  override onOpen(): void {
    this.#letGo = keepFocusInside(this.modalEl);
    this.contentEl.addClass('brain-screen');
    render(this.#content, this.contentEl);
  }

  override onClose(): void {
    render(null, this.contentEl);
    this.#letGo?.();
    this.#letGo = null;
    if (this.#focused?.instanceOf(HTMLElement)) this.#focused.focus();
    this.#focused = null;
    this.#whenClosed?.();
  }
}

export interface HostDeps {
  readonly app: App;
  readonly client: BrainClient;
  readonly device: DeviceStore;
  readonly lastEditor: LastEditor;
  readonly tokens: TokenAdmin;
  /** How to close each layer that stands open: nothing of the plugin may outlive it. */
  readonly layers: Set<() => void>;
  /** What the screens remember until the app is closed or the plugin is unloaded. */
  readonly session: Map<string, string>;
  /** Where agents reach the server, or would. */
  url(): string;
  restart(): Promise<void>;
  /** Begins to ingest a file. Rejects with a CallError. */
  ingestFile: NonNullable<UiHost['ingestFile']>;
  /** The id of the plugin, under which the app lists its settings. */
  readonly id: string;
}

/** The view that a host is made for: what its screen asks of itself does not go through the workspace. */
export interface OwnView {
  readonly screen: ScreenName;
  /** Shows something else in this very view, wherever the focus is. */
  show(params: ScreenParams): void;
}

/** The line that a quote begins in, counted from 0; null when the note does not hold it any more. */
async function lineOf({ vault }: App, file: TFile, quote: string): Promise<{ line: number } | null> {
  const text = await vault.cachedRead(file);
  const at = text.indexOf(quote);
  return at < 0 ? null : { line: text.slice(0, at).split('\n').length - 1 };
}

/** What stands around the screens inside Obsidian; `own` is the view that the screen is in, where it is in one. */
export function createObsidianHost(deps: HostDeps, own?: OwnView): UiHost {
  const { app, client, device, lastEditor, tokens } = deps;
  const { workspace, vault } = app;

  const withFile = (path: string, use: (file: TFile) => Promise<void>): void => {
    const file = vault.getFileByPath(path);
    // Opening a link that leads nowhere would make the note.
    if (file === null) new Notice(`${path} is not in the vault any more.`);
    else use(file).catch((error: unknown) => new Notice(`${path} could not be opened: ${String(error)}`));
  };

  const openSettings = settingsOpener(app, deps.id);

  const host: UiHost = {
    kind: 'obsidian',
    get connection() {
      const { adapter } = vault;
      return {
        url: deps.url(),
        ...(adapter instanceof FileSystemAdapter && { vault: adapter.getBasePath() }),
      };
    },
    openNote(path, { newPane = false, heading, quote } = {}) {
      const where = newPane ? 'tab' : false;
      withFile(path, async (file) => {
        if (quote !== undefined) {
          const line = await lineOf(app, file, quote);
          await workspace.getLeaf(where).openFile(file, { active: true, ...(line && { eState: line }) });
          return;
        }
        // A link ends at the first "#", and what is then not there is made: such a name opens at its beginning.
        await (heading === undefined || path.includes('#')
          ? workspace.getLeaf(where).openFile(file, { active: true })
          : workspace.openLinkText(`${path}#${heading}`, '', where));
      });
    },
    openFile(path, page) {
      withFile(path, async (file) => {
        // A link ends at the first "#": a path with one opens at its beginning.
        await (page === undefined || path.includes('#')
          ? workspace.getLeaf('tab').openFile(file, { active: true })
          : workspace.openLinkText(`${path}#page=${page}`, '', 'tab'));
      });
    },
    ingestFile: (name, bytes) => deps.ingestFile(name, bytes),
    draggedPaths: (text) => draggedPaths(app, text),
    editNote(path) {
      withFile(path, (file) =>
        workspace.getLeaf(false).openFile(file, { active: true, state: { mode: 'source' } }),
      );
    },
    insertLink(path, title) {
      withFile(path, async (file) => {
        const place = lastEditor.find();
        if (place === null) {
          new Notice('Open the note that the link should go into, then try again.');
          return;
        }
        const link = app.fileManager.generateMarkdownLink(file, place.file?.path ?? '', undefined, title);
        place.editor.replaceSelection(link);
      });
    },
    go(screen, params) {
      if (screen === own?.screen && params !== undefined) own.show(params);
      else void openScreen(workspace, screen, params);
    },
    copy: (text) => activeWindow.navigator.clipboard.writeText(text),
    openLayer(title, content, onClose) {
      // A layer is drawn apart from the screen that opened it, so it is given the same surroundings anew.
      const layer = <UiProvider value={{ client, host }}>{content}</UiProvider>;
      const modal = new LayerModal(app, title, layer, () => {
        deps.layers.delete(close);
        onClose?.();
      });
      const close = (): void => modal.close();
      deps.layers.add(close);
      modal.open();
      return close;
    },
    preferences: {
      get: (key) => device.get(`screens.${key}`),
      set: (key, value) => device.set(`screens.${key}`, value),
    },
    session: {
      get: (key) => deps.session.get(key) ?? null,
      set: (key, value) => void deps.session.set(key, value),
    },
    tokens,
    restartServer: () => deps.restart(),
    async makeFolders() {
      for (const folder of LAYOUT) {
        if (!(await vault.adapter.exists(folder))) await vault.createFolder(folder);
      }
    },
    ...(openSettings && { openSettings }),
    now: () => new Date(),
  };
  return host;
}
