import type {
  CliFlags,
  CliHandler,
  Command,
  MarkdownPostProcessorContext,
  ObsidianProtocolHandler,
  OpenViewState,
  PaneType,
  PluginSettingTab,
  App as RealApp,
  Plugin as RealPlugin,
  RequestUrlParam,
  ViewCreator,
} from 'obsidian';
import type { DomWindow } from '../dom/define';
import type { Storage } from '../storage/storage';
import type { Menu } from '../ui/menu';
import type { FilesPort, VaultHook } from '../vault/files-port';
import type { Device } from './device';
import { PathQueue } from './path-queue';
import { Scheduler } from './scheduler';
import { DEFAULT_SETTINGS, type HostSettings } from './settings';

export interface RibbonIcon {
  readonly icon: string;
  readonly title: string;
  readonly el: HTMLElement;
  readonly callback: (evt: MouseEvent) => unknown;
}

export interface NoticeRecord {
  text: string;
  /** Milliseconds as asked for; undefined for the usual time, 0 until it is clicked. */
  readonly duration: number | undefined;
  open: boolean;
}

export interface OpenedLink {
  readonly linktext: string;
  readonly sourcePath: string;
  readonly newLeaf: PaneType | boolean;
  readonly state: OpenViewState | undefined;
  /** The file that was opened, and whether the link made it. */
  readonly path: string;
  readonly made: boolean;
}

export interface CliCommand {
  readonly description: string;
  readonly flags: CliFlags | null;
  readonly handler: CliHandler;
}

/** An answer that the test gives to `requestUrl`. */
export interface FakeResponse {
  readonly status: number;
  readonly headers?: Record<string, string>;
  readonly body?: string | ArrayBuffer;
}
export type RequestHandler = (request: RequestUrlParam) => FakeResponse | Promise<FakeResponse>;

export type CodeBlockHandler = (
  source: string,
  el: HTMLElement,
  ctx: MarkdownPostProcessorContext,
) => Promise<unknown> | void;

export interface HostParts {
  readonly storage: Storage;
  readonly vaultName: string;
  readonly document: Document | null;
  readonly device: Device;
  readonly requests: RequestHandler;
  readonly openWindow: (() => Window) | null;
  readonly settings: Partial<HostSettings>;
}

/** Everything that one window of the app keeps: what plugins registered and what the fake recorded. */
export class HostState implements FilesPort {
  readonly storage: Storage;
  readonly vaultName: string;
  readonly device: Device;
  readonly requestHandler: RequestHandler;
  readonly openWindow: (() => Window) | null;
  readonly settings: HostSettings;
  readonly scheduler = new Scheduler();
  readonly queue: PathQueue;
  readonly systemTrash: string[] = [];
  readonly vaultHooks = new Set<VaultHook>();

  readonly plugins = new Map<string, RealPlugin>();
  readonly commands = new Map<string, Command>();
  readonly ribbon: RibbonIcon[] = [];
  readonly statusBar: HTMLElement[] = [];
  readonly settingTabs = new Map<string, PluginSettingTab>();
  readonly views = new Map<string, ViewCreator>();
  readonly extensions = new Map<string, string>();
  readonly protocolHandlers = new Map<string, ObsidianProtocolHandler>();
  readonly cliCommands = new Map<string, CliCommand>();
  readonly codeBlocks = new Map<string, CodeBlockHandler>();

  readonly notices: NoticeRecord[] = [];
  readonly openedLinks: OpenedLink[] = [];
  /** Files that no view is for: the app hands them to another program. */
  readonly openedOutside: string[] = [];
  readonly menus: Menu[] = [];
  readonly requests: RequestUrlParam[] = [];
  readonly rendered: { readonly markdown: string; readonly sourcePath: string }[] = [];

  /** What the layout does when a type of view is registered, and when it is no longer. */
  viewKnown: (type: string) => void = () => undefined;
  viewGone: (type: string) => void = () => undefined;
  /** Called when the focus goes to a window, and when a popout opens. */
  focusWindow: (win: Window) => void = () => undefined;
  watchWindow: (win: DomWindow) => void = () => undefined;
  /** What the host does with a key that nothing in the page took. */
  handleKey: (event: KeyboardEvent) => void = () => undefined;
  /** What the host does when a path has changed behind the vault's back. */
  look: (path: string) => void | Promise<void> = () => undefined;
  readonly #document: Document | null;
  #app: RealApp | null = null;

  constructor(parts: HostParts) {
    this.storage = parts.storage;
    this.vaultName = parts.vaultName;
    this.device = parts.device;
    this.requestHandler = parts.requests;
    this.openWindow = parts.openWindow;
    this.settings = { ...DEFAULT_SETTINGS, ...parts.settings };
    this.#document = parts.document;
    this.queue = new PathQueue((path) => (parts.storage.caseInsensitive ? path.toLowerCase() : path));
  }

  get hasDocument(): boolean {
    return this.#document !== null;
  }

  /** The document of the main window. */
  get document(): Document {
    if (this.#document === null) {
      throw new Error(
        'This host was made without a document: pass one to createHost (openJsdom makes one in Node).',
      );
    }
    return this.#document;
  }

  get app(): RealApp {
    if (this.#app === null) throw new Error('The host is still being made.');
    return this.#app;
  }

  adopt(app: RealApp): void {
    this.#app = app;
    states.set(app, this);
  }

  /** Work that nobody awaits, such as the closing of a view: settling the host waits for it. */
  pending(work: Promise<unknown>): void {
    this.scheduler.track(work);
  }

  noticeLater(path: string): void {
    this.scheduler.later(this.settings.outsideDelay, () => this.look(path));
  }
}

const states = new WeakMap<object, HostState>();
let current: HostState | null = null;

/** The host that an app belongs to. */
export function stateOf(app: object): HostState {
  const state = states.get(app);
  if (state === undefined) throw new Error('This app does not come from createHost.');
  return state;
}

/**
 * The host whose window runs: notices, menus and requests name no app. It is the one made last, unless a test says otherwise.
 */
export function currentHost(): HostState {
  if (current === null) throw new Error('There is no host yet: call createHost first.');
  return current;
}

export function setCurrentHost(state: HostState | null): void {
  current = state;
}
