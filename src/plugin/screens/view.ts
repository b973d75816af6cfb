import { ItemView, setIcon, type ViewStateResult, type WorkspaceLeaf } from 'obsidian';
import type { BrainClient } from '../../core/registry/client';
import type { Mounted } from '../../ui/app/mount';
import { type ScreenName, type ScreenParams, SCREENS } from '../../ui/client/screens';
import { type ServerControl, type ServerState, describeState } from '../server/control';
import type { OwnView } from './host';
import { type NoteInFront, parseParams, viewType } from './open';
import type { Screens } from './screens';

const BUTTONS: Readonly<Partial<Record<ServerState['kind'], string>>> = {
  unconfirmed: 'Show the folders',
  off: 'Start',
  failed: 'Try again',
  lost: 'Try again',
};

/** Renders the state of the server into an empty view, with the action that helps. */
function drawIdle(
  container: HTMLElement,
  icon: string,
  { control, useServer }: Pick<ScreenDeps, 'control' | 'useServer'>,
): void {
  const { state } = control;
  const { word, sentence } = describeState(state);
  const panel = container.createDiv({ cls: 'brain-screen' }).createDiv({ cls: 'brain-empty' });
  setIcon(panel, icon);
  panel.createEl('h2', { text: word });
  panel.createEl('p', { text: sentence, attr: { role: 'status' } });
  const text = BUTTONS[state.kind];
  if (text === undefined) return;
  const button = panel.createEl('button', { text, cls: 'mod-cta', attr: { type: 'button' } });
  const isTriedAgain = state.kind === 'failed' || state.kind === 'lost';
  button.onClickEvent(() => void (isTriedAgain ? control.restart() : control.start()));
  if (state.kind === 'lost') addServerButton(panel, useServer);
}

function addServerButton(parent: HTMLElement, useServer: () => void): void {
  const button = parent.createEl('button', { text: 'Address and token', attr: { type: 'button' } });
  button.onClickEvent(useServer);
}

/** The dependencies of a view. */
interface ScreenDeps {
  readonly control: Pick<ServerControl, 'state' | 'client' | 'onChange' | 'start' | 'restart'>;
  /** Opens the form for the address and the token of a server elsewhere. */
  readonly useServer: () => void;
  /** Loads the screens for an open vault. They are not loaded with the app. */
  readonly screensFor: (client: BrainClient) => Promise<Screens>;
  readonly inFront: Pick<NoteInFront, 'path' | 'shows' | 'onChange'>;
}

interface Shown {
  readonly client: BrainClient;
  readonly mounted: Mounted;
}

/**
 * A screen as a view of Obsidian. While the vault is closed it shows the state of the server, and while a server elsewhere is
 * away a bar above the screen. It follows its element into another window.
 */
export class ScreenView extends ItemView {
  // A note that is opened from a screen opens in another tab, so the screen stays.
  override navigation = false;
  readonly #screen: ScreenName;
  readonly #deps: ScreenDeps;
  readonly #own: OwnView;
  #params: ScreenParams = {};
  #shown: Shown | null = null;
  #lostBar: HTMLElement | null = null;
  /** The number of the last rendering: a screen that loads slowly must not replace a later one. */
  #lastDraw = 0;
  #isOpen = false;

  constructor(leaf: WorkspaceLeaf, screen: ScreenName, deps: ScreenDeps) {
    super(leaf);
    this.#screen = screen;
    this.#deps = deps;
    this.#own = { screen, show: (params) => this.#show(params) };
    this.icon = SCREENS[screen].icon;
  }

  override getViewType(): string {
    return viewType(this.#screen);
  }

  override getDisplayText(): string {
    return SCREENS[this.#screen].title;
  }

  override getState(): Record<string, unknown> {
    return { ...super.getState(), params: this.#params };
  }

  override async setState(state: unknown, result: ViewStateResult): Promise<void> {
    this.#params = parseParams(state);
    await super.setState(state, result);
    await this.#draw();
  }

  protected override async onOpen(): Promise<void> {
    this.#isOpen = true;
    this.contentEl.addClass('brain-view');
    const { control, inFront } = this.#deps;
    this.register(control.onChange(() => void this.#draw()));
    if (this.#screen === 'neighbours') this.register(inFront.onChange(() => void this.#draw()));
    // A screen's observers and listeners belong to the window that it left, so it is rendered anew.
    this.register(
      this.contentEl.onWindowMigrated(() => {
        this.#unmount();
        void this.#draw();
      }),
    );
    await this.#draw();
  }

  protected override async onClose(): Promise<void> {
    this.#isOpen = false;
    this.#lastDraw += 1;
    this.#unmount();
    this.#drawLostBar(false);
    return Promise.resolve();
  }

  /** Shows other parameters of the screen, without reveal and focus, since the person may be typing in it. */
  #show(params: ScreenParams): void {
    this.#params = params;
    this.#shown?.mounted.show(this.#screen, params);
    if (this.#screen === 'note') this.#deps.inFront.shows(params);
    void this.app.workspace.requestSaveLayout();
  }

  #unmount(): void {
    this.#shown?.mounted.unmount();
    this.#shown = null;
    this.contentEl.empty();
  }

  /** Shows above a screen that the server elsewhere is away, until it is back. */
  #drawLostBar(hasScreen: boolean): void {
    const { control, useServer } = this.#deps;
    const { state } = control;
    const message = hasScreen && state.kind === 'lost' ? state.message : null;
    if (message !== null && this.#lostBar?.textContent.startsWith(message) === true) return;
    this.#lostBar?.remove();
    this.#lostBar = null;
    if (message === null) return;
    const bar = createDiv({ cls: 'brain-lost', attr: { role: 'status' } });
    bar.createSpan({ text: message });
    addServerButton(bar, useServer);
    this.containerEl.insertBefore(bar, this.contentEl);
    this.#lostBar = bar;
  }

  async #draw(): Promise<void> {
    if (!this.#isOpen) return;
    const turn = ++this.#lastDraw;
    const { control, screensFor, inFront } = this.#deps;
    // A view beside the notes goes by what is in front of it, not by its saved state.
    if (this.#screen === 'neighbours') this.#params = { path: inFront.path ?? '' };
    const client = control.client;
    this.#drawLostBar(client !== null);
    if (client === null) {
      this.#unmount();
      drawIdle(this.contentEl, SCREENS[this.#screen].icon, this.#deps);
      return;
    }
    if (this.#shown?.client === client) {
      this.#shown.mounted.show(this.#screen, this.#params);
      return;
    }
    const screens = await screensFor(client);
    if (turn !== this.#lastDraw) return;
    this.#unmount();
    this.#shown = { client, mounted: screens.mount(this.contentEl, this.#own, this.#params) };
  }
}
