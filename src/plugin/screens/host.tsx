import { type App, FileSystemAdapter, Modal, Notice, type TFile } from 'obsidian';
import { type ComponentChildren, render } from 'preact';
import { type BrainClient, CallError } from '../../core/registry/client';
import { LAYOUT } from '../../core/vocabulary/paths';
import { UiProvider } from '../../ui/client/context';
import type { UiHost } from '../../ui/client/host';
import type { ScreenName, ScreenParams } from '../../ui/client/screens';
import { swallowHeldKey } from '../../ui/kit/keys';
import { shortQuote } from '../../ui/note/screen';
import type { Service } from '../server/control';
import type { DeviceStore } from '../server/store';
import { type LastEditor, openScreen, settingsOpener } from './open';

/**
 * Returns the paths of the files and folders in this vault that a dragged text names. The file explorer drags one URL per line:
 * `obsidian://open?vault=Brain&file=papers%2Freport.pdf`, for a note without its extension.
 */
export function draggedPaths({ vault }: Pick<App, 'vault'>, text: string): readonly string[] {
  const found = text.split(/\r?\n/).flatMap((line) => {
    const path = parseOpenUrl(line.trim(), vault.getName());
    if (path === null) return [];
    const file = vault.getAbstractFileByPath(path) ?? vault.getAbstractFileByPath(`${path}.md`);
    return file === null ? [] : [file.path];
  });
  return [...new Set(found)];
}

/** Returns the path in a URL of the app; null for another text or vault. */
function parseOpenUrl(line: string, vault: string): string | null {
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

/** Traps the focus: Tab cycles through the element, or stays on it when nothing inside is focusable. Returns the release. */
function trapFocus(element: HTMLElement): () => void {
  const onKey = (event: KeyboardEvent): void => {
    if (event.key !== 'Tab') return;
    const stops = element.findAll(FOCUSABLE).filter((stop) => stop.isShown());
    const [first] = stops;
    const last = stops.at(-1);
    const { activeElement } = element.doc;
    const edge = event.shiftKey ? first : last;
    // The element itself has the focus first. Shift+Tab would leave it from there.
    const isInside = activeElement !== element && element.contains(activeElement);
    if (isInside && activeElement !== edge) return;
    event.preventDefault();
    ((event.shiftKey ? last : first) ?? element).focus();
  };
  element.addEventListener('keydown', onKey);
  return () => element.removeEventListener('keydown', onKey);
}

/** A layer of a screen as a modal of Obsidian: Escape closes it, it traps the focus, and restores it when it closes. */
class LayerModal extends Modal {
  readonly #content: ComponentChildren;
  readonly #afterClose: (() => void) | undefined;
  #focused: Element | null = null;
  #releaseFocus: (() => void) | null = null;
  #stopSwallowing: (() => void) | null = null;

  constructor(app: App, title: string, content: ComponentChildren, afterClose?: () => void) {
    super(app);
    this.#content = content;
    this.#afterClose = afterClose;
    this.setTitle(title);
    // The app gives its dialogs no name.
    this.modalEl.setAttribute('aria-label', title);
    this.modalEl.addClass('brain-modal');
  }

  override open(): void {
    this.#focused = activeDocument.activeElement;
    super.open();
  }

  override onOpen(): void {
    this.#releaseFocus = trapFocus(this.modalEl);
    this.#stopSwallowing = swallowHeldKey(this.modalEl);
    this.contentEl.addClass('brain-screen');
    render(this.#content, this.contentEl);
  }

  override onClose(): void {
    render(null, this.contentEl);
    this.#releaseFocus?.();
    this.#releaseFocus = null;
    this.#stopSwallowing?.();
    if (this.#focused?.instanceOf(HTMLElement)) this.#focused.focus();
    this.#focused = null;
    this.#afterClose?.();
  }
}

export interface HostDeps {
  readonly app: App;
  readonly client: BrainClient;
  readonly device: DeviceStore;
  readonly lastEditor: LastEditor;
  /** The service whose vault the screens show. */
  readonly service: Pick<Service, 'url' | 'tokens' | 'readFile' | 'ingestFile' | 'sendPart'>;
  /** The close functions of the open layers: the plugin closes them when it unloads. */
  readonly layers: Set<() => void>;
  /** The session storage of the screens, until the app closes or the plugin unloads. */
  readonly session: Map<string, string>;
  restart(): Promise<void>;
  /** The id of the plugin, which is the id of its settings tab. */
  readonly id: string;
}

/** The view of a screen. A screen that goes to itself shows the new parameters without the workspace. */
export interface OwnView {
  readonly screen: ScreenName;
  /** Shows other parameters in this view, wherever the focus is. */
  show(params: ScreenParams): void;
}

/** Returns the line in which a quote begins, from 0; null when the note does not contain the quote. */
async function findQuote({ vault }: App, file: TFile, quote: string): Promise<{ line: number } | null> {
  const text = await vault.cachedRead(file);
  const at = text.indexOf(quote);
  return at < 0 ? null : { line: text.slice(0, at).split('\n').length - 1 };
}

/** Calls `use` with the file at a path. Shows a notice when the file is gone, for opening a link to it would create a note. */
function withFile({ vault }: App, path: string, use: (file: TFile) => Promise<void>): void {
  const file = vault.getFileByPath(path);
  if (file === null) new Notice(`${path} is not in the vault any more.`);
  else use(file).catch((error: unknown) => new Notice(`${path} could not be opened: ${String(error)}`));
}

/** Inserts a link where a person was writing; `linkFrom` makes it for the note at a path. Shows a notice when no note is open. */
function insertAtCursor(lastEditor: LastEditor, linkFrom: (path: string) => string): void {
  const place = lastEditor.find();
  if (place === null) new Notice('Open the note that the link should go into, then try again.');
  else place.editor.replaceSelection(linkFrom(place.file?.path ?? ''));
}

/** Returns a Markdown link that opens a note of the server elsewhere in this vault. */
function linkElsewhere(vault: string, id: string, path: string, title: string): string {
  // Parentheses end the target of a link, and brackets its text.
  const part = (text: string): string =>
    encodeURIComponent(text).replace(/[()]/g, (sign) => (sign === '(' ? '%28' : '%29'));
  const text = title.replace(/[\\[\]]/g, '\\$&');
  return `[${text}](obsidian://${id}?vault=${part(vault)}&screen=note&path=${part(path)})`;
}

/** The actions of a host that open files in the workspace of the app. */
function fileActions(
  app: App,
  lastEditor: LastEditor,
): Required<Pick<UiHost, 'openNote' | 'openFile' | 'editNote' | 'insertLink'>> {
  const { workspace } = app;
  return {
    openNote(path, { newPane = false, heading, quote } = {}) {
      const where = newPane ? 'tab' : false;
      withFile(app, path, async (file) => {
        if (quote !== undefined) {
          const line = await findQuote(app, file, quote);
          await workspace.getLeaf(where).openFile(file, { active: true, ...(line && { eState: line }) });
          return;
        }
        // A link ends at the first "#", and a missing target is created. A path with "#" therefore opens at its beginning.
        await (heading === undefined || path.includes('#')
          ? workspace.getLeaf(where).openFile(file, { active: true })
          : workspace.openLinkText(`${path}#${heading}`, '', where));
      });
    },
    openFile(path, page) {
      withFile(app, path, async (file) => {
        // A link ends at the first "#". A path with "#" therefore opens at its beginning.
        await (page === undefined || path.includes('#')
          ? workspace.getLeaf('tab').openFile(file, { active: true })
          : workspace.openLinkText(`${path}#page=${page}`, '', 'tab'));
      });
    },
    editNote(path) {
      withFile(app, path, (file) =>
        workspace.getLeaf(false).openFile(file, { active: true, state: { mode: 'source' } }),
      );
    },
    insertLink(path, title) {
      withFile(app, path, async (file) => {
        // The name of the file is what such a link shows by itself.
        const alias = title === file.basename ? undefined : title;
        insertAtCursor(lastEditor, (from) =>
          app.fileManager.generateMarkdownLink(file, from, undefined, alias),
        );
      });
    },
  };
}

/** Opens a layer as a modal. Returns a function that closes it. */
function openModal(
  { app, layers }: HostDeps,
  title: string,
  content: ComponentChildren,
  onClose?: () => void,
): () => void {
  const modal = new LayerModal(app, title, content, () => {
    layers.delete(close);
    onClose?.();
  });
  const close = (): void => modal.close();
  layers.add(close);
  modal.open();
  return close;
}

/** What a host does with the vault of the app. */
function actionsHere(deps: HostDeps) {
  const { app, lastEditor, service, id } = deps;
  const { vault } = app;
  const openSettings = settingsOpener(app, id);
  return {
    ...fileActions(app, lastEditor),
    draggedPaths: (text: string) => draggedPaths(app, text),
    async imageUrl(path: string) {
      const file = vault.getFileByPath(path);
      if (file === null) throw new CallError('not_found', `${path} is not in the vault any more.`);
      return vault.getResourcePath(file);
    },
    ...(service.tokens !== null && { tokens: service.tokens }),
    restartServer: () => deps.restart(),
    async makeFolders() {
      for (const folder of LAYOUT) {
        if (!(await vault.adapter.exists(folder))) await vault.createFolder(folder);
      }
    },
    ...(openSettings && { openSettings }),
  } satisfies Partial<UiHost>;
}

/** What a host does with the vault of a server elsewhere: the app has neither its files nor its settings. */
function actionsElsewhere(
  { app: { workspace, vault }, lastEditor, id }: HostDeps,
  readFile: NonNullable<Service['readFile']>,
  go: UiHost['go'],
) {
  return {
    openNote(path, { newPane = false, heading, quote } = {}) {
      const params = {
        path,
        ...(heading !== undefined && { heading }),
        ...(quote !== undefined && { quote: shortQuote(quote) }),
      };
      if (newPane) void openScreen(workspace, 'note', params, true);
      else go('note', params);
    },
    imageUrl: async (path: string) => URL.createObjectURL(await readFile(path)),
    // No file of the app is the note, so a link of the app would lead to nothing or to another note.
    insertLink: (path, title) =>
      insertAtCursor(lastEditor, () => linkElsewhere(vault.getName(), id, path, title)),
  } satisfies Pick<UiHost, 'openNote' | 'imageUrl' | 'insertLink'>;
}

/** Creates the host of a screen inside Obsidian; `own` is the view of the screen, when it is in one. */
export function createObsidianHost(deps: HostDeps, own?: OwnView): UiHost {
  const { app, client, device, service } = deps;
  const { workspace, vault } = app;
  const { readFile } = service;
  const go: UiHost['go'] = (screen, params) => {
    if (screen === own?.screen && params !== undefined) own.show(params);
    else void openScreen(workspace, screen, params);
  };

  const host: UiHost = {
    kind: 'obsidian',
    get connection() {
      const { adapter } = vault;
      return {
        url: service.url,
        ...(readFile === null && adapter instanceof FileSystemAdapter && { vault: adapter.getBasePath() }),
      };
    },
    ...(readFile === null ? actionsHere(deps) : actionsElsewhere(deps, readFile, go)),
    ingestFile: (name, file) => service.ingestFile(name, file),
    sendPart: (ask, part) => service.sendPart(ask, part),
    go,
    copy: (text) => activeWindow.navigator.clipboard.writeText(text),
    // A layer is rendered outside the tree of its screen, so it needs the context again.
    openLayer: (title, content, onClose) =>
      openModal(deps, title, <UiProvider value={{ client, host }}>{content}</UiProvider>, onClose),
    preferences: {
      get: (key) => device.get(`screens.${key}`),
      set: (key, value) => device.set(`screens.${key}`, value),
    },
    session: {
      get: (key) => deps.session.get(key) ?? null,
      set: (key, value) => void deps.session.set(key, value),
    },
    now: () => new Date(),
  };
  return host;
}
