import { debounce, Notice, Plugin } from 'obsidian';
import type { BrainClient } from '../../core/registry/client';
import type { Plan } from '../../core/storage/plan';
import { SCREEN_NAMES, type ScreenName, type ScreenParams } from '../../ui/client/screens';
import { LastEditor, NoteInFront, openScreen, settingsOpener, viewType } from '../screens/open';
import type { Screens } from '../screens/screens';
import { ScreenView } from '../screens/view';
import { ServerControl, type Service } from '../server/control';
import { attempt, consoleLog } from '../server/failure';
import { DeviceStore, ServerToken, SettingsStore, StartChoice } from '../server/store';
import { showFirstStart } from '../settings/first-start';
import { BrainServerSettingTab } from '../settings/tab';
import { Backfill } from './backfill';
import { commandsOf } from './commands';
import { addCliHandlers, vaultEvent, readDeepLink, rewrittenRoot } from './deep-links';
import { addFileMenu, addRibbon, addStatusItems } from './menus';

/**
 * Shows a notice that an agent changed the guidance note. It stays until it is closed, and links to the changes. Returns a
 * function that closes it.
 */
function showRootEdit(path: string, show: () => void): () => void {
  const notice: Notice = new Notice(
    createFragment((content) => {
      content.createEl('p', { text: `${path}, which guides every agent, was changed through the server.` });
      const button = content.createEl('button', { text: 'Show changes', attr: { type: 'button' } });
      button.onClickEvent(() => {
        notice.hide();
        show();
      });
    }),
    0,
  );
  return () => notice.hide();
}

/** The first Electron version with Node 20, which has web crypto among its globals. */
const MIN_ELECTRON = 30;

/**
 * Returns the reason why this installation cannot run the server, as a message for the person; null when it can. Updates
 * inside the app do not change Electron: only a new installation does.
 */
export function runtimeProblem(versions: Readonly<Record<string, string | undefined>>): string | null {
  const electron = versions.electron;
  const major = Number.parseInt(electron ?? '', 10);
  if (major >= MIN_ELECTRON) return null;
  return (
    `The server cannot run in this installation of Obsidian: it is built on Electron ${electron ?? 'of an unknown version'} and ` +
    `${MIN_ELECTRON} or newer is needed. Download the installer from obsidian.md and install it over this one; your vaults stay as they are.`
  );
}

/** The delay between the last change of a setting and the restart of the server (ms): a port is typed digit by digit. */
const RESTART_AFTER_MS = 1_000;

/**
 * The plugin. Loading registers its parts and runs nothing; heavy code is loaded when the app is ready. Everything is
 * registered with the app, so that unloading removes all of it.
 */
export class BrainServerPlugin extends Plugin {
  readonly #device = new DeviceStore(this.app);
  readonly #choice = new StartChoice(this.#device);
  readonly #store = new SettingsStore(this);
  readonly #serverToken = new ServerToken(this.app.secretStorage);
  readonly #lastEditor = new LastEditor(this);
  readonly #control = new ServerControl({
    problem: runtimeProblem(process.versions),
    choice: this.#choice,
    address: () => this.#store.serverUrl,
    load: (address) => this.#loadService(address),
    askConsent: () => this.#showFolders(),
    showMessage: (message) => {
      const notice = new Notice(message, 0);
      return () => notice.hide();
    },
  });

  readonly #inFront = new NoteInFront(this, () => this.#control.isElsewhere);

  readonly #backfill = new Backfill(
    this.#control,
    (message) => void new Notice(message),
    () => settingsOpener(this.app, this.manifest.id)?.(),
  );

  /** The close functions of the open layers of the screens. */
  readonly #layers = new Set<() => void>();
  readonly #session = new Map<string, string>();
  /** Closes the notice of the previous edit of the guidance note. A later notice links to the same changes and more. */
  #closeRootNotice = (): void => undefined;
  #isUnloaded = false;

  override onload(): void {
    const control = this.#control;
    const open = this.#open;
    const backfill = this.#backfill;
    const showFolders = () => this.#showFolders();
    this.register(() => {
      this.#isUnloaded = true;
      for (const close of [...this.#layers]) close();
      this.#closeRootNotice();
      backfill.close();
      control.unload();
    });
    this.#lastEditor.follow();
    this.#inFront.follow();
    const useServer = () => void attempt(() => this.#useServer());
    const screensFor = (client: BrainClient) => this.#screensFor(client);
    for (const screen of SCREEN_NAMES) {
      this.registerView(
        viewType(screen),
        (leaf) => new ScreenView(leaf, screen, { control, useServer, screensFor, inFront: this.#inFront }),
      );
    }
    const setUpMeaning = () => void attempt(() => this.#setUpMeaning());
    const tab = new BrainServerSettingTab({
      plugin: this,
      control,
      settings: this.#store,
      choice: this.#choice,
      device: this.#device,
      env: process.env,
      connect: () => open('connect'),
      showFolders,
      setUpMeaning,
      useServer,
      leaveServer: () => void attempt(() => this.#leaveServer()),
    });
    this.addSettingTab(tab);
    const search = () => void attempt(() => this.#show((screens) => screens.search()));
    const adopt = (path: string) => void attempt(() => this.#show((screens) => screens.adopt(path)));
    for (const command of commandsOf({
      app: this.app,
      control,
      backfill,
      open,
      search,
      showFolders,
      adopt,
      setUpMeaning,
      useServer,
    }))
      this.addCommand(command);
    addRibbon(this, control, backfill, open, (message) => void new Notice(message));
    addStatusItems(this, control, backfill, open);
    addFileMenu(this, control, open, adopt);
    addCliHandlers(this, control);
    this.registerObsidianProtocolHandler('brain-server', (link) => {
      const target = readDeepLink(link);
      if (target === null) new Notice(`There is no screen “${link.screen ?? ''}”.`);
      else open(target.screen, target.params);
    });
    // Best effort: the app may exit before the stop ends. The next start recovers an interrupted change.
    this.registerEvent(this.app.workspace.on('quit', (tasks) => tasks.addPromise(control.stop())));
    this.app.workspace.onLayoutReady(() => void attempt(() => this.#begin(tab)));
  }

  async #loadService(address: string | null): Promise<Service> {
    if (address !== null) {
      const { RemoteService } = await import('../server/remote');
      return new RemoteService(address, this.#serverToken);
    }
    const { BrainService } = await import('../server/service');
    return new BrainService({
      app: this.app,
      version: this.manifest.version,
      env: process.env,
      log: consoleLog,
      configure: async () => {
        if (this.#store.problem !== null) throw new Error(this.#store.problem);
        const { settle } = await import('../settings/rules');
        return settle(process.env, this.#store.saved, (id) => this.app.secretStorage.getSecret(id));
      },
      layout: { isDue: () => this.#choice.layoutDue, made: () => this.#choice.layoutMade() },
      committed: (plan) => logFailure('plugin.committed', () => this.#committed(plan)),
      quarantined: (file) =>
        logFailure('plugin.quarantined', () => this.app.workspace.trigger('brain:quarantined', file)),
    });
  }

  /** Reports a change by the service to other plugins, and one of the guidance note to the person. */
  #committed(plan: Plan): void {
    const event = vaultEvent(plan);
    if (event !== null) {
      const { name, ...paths } = event;
      this.app.workspace.trigger(name, paths);
    }
    const root = rewrittenRoot(plan);
    if (root !== null && !this.#isUnloaded) {
      this.#closeRootNotice();
      this.#closeRootNotice = showRootEdit(root, () => this.#open('history', { path: root }));
    }
  }

  /** Starts what needs the layout of the app, such as reading the vault. */
  async #begin(tab: BrainServerSettingTab): Promise<void> {
    if (this.#isUnloaded) return;
    await this.#store.load();
    await tab.follow();
    if (this.#isUnloaded) return;
    this.#restartWhenChanged();
    await this.#control.begin();
  }

  readonly #open = (screen: ScreenName, params?: ScreenParams): void =>
    void attempt(() => openScreen(this.app.workspace, screen, params));

  #showFolders(): void {
    void attempt(() =>
      showFirstStart({
        app: this.app,
        choice: this.#choice,
        settings: this.#store,
        env: process.env,
        control: this.#control,
      }),
    );
  }

  /** @throws Error when the vault is closed, or environment variables decide. */
  async #setUpMeaning(): Promise<void> {
    if (this.#control.client === null) throw new Error('The vault is not open. Start the server first.');
    const { meaningSettings } = await import('../settings/meaning');
    const settings = meaningSettings({
      app: this.app,
      control: this.#control,
      settings: this.#store,
      env: process.env,
    });
    await this.#show((screens) => screens.meaning(settings));
  }

  async #useServer(): Promise<void> {
    const { openUseServer } = await import('../settings/use-server');
    openUseServer({
      app: this.app,
      control: this.#control,
      settings: this.#store,
      token: this.#serverToken,
    });
  }

  /** Goes back to the vault of the app. */
  async #leaveServer(): Promise<void> {
    await this.#store.set('serverUrl', undefined);
    this.#serverToken.forget();
  }

  /** Loads the screens for the client of an open vault. @throws Error when the service is not loaded. */
  async #screensFor(client: BrainClient): Promise<Screens> {
    const { screensFor } = await import('../screens/screens');
    const { service } = this.#control;
    if (service === null) throw new Error('The vault is not open.');
    return screensFor({
      client,
      app: this.app,
      device: this.#device,
      lastEditor: this.#lastEditor,
      service,
      layers: this.#layers,
      session: this.#session,
      restart: () => this.#control.restart(),
      id: this.manifest.id,
    });
  }

  /** Shows a layer of the screens while the vault is open. */
  async #show(layer: (screens: Screens) => void): Promise<void> {
    const { client } = this.#control;
    if (client !== null) layer(await this.#screensFor(client));
  }

  /**
   * Goes to another server at once when the settings name one. Restarts a running or starting server after changes of other
   * settings, which are read when the vault is opened.
   */
  #restartWhenChanged(): void {
    const isUp = () => ['starting', 'running', 'failed'].includes(this.#control.state.kind);
    const restart = debounce(() => isUp() && void this.#control.restart(), RESTART_AFTER_MS, true);
    let { serverUrl } = this.#store;
    this.register(
      this.#store.onChange(() => {
        if (this.#store.serverUrl !== serverUrl) {
          serverUrl = this.#store.serverUrl;
          restart.cancel();
          void attempt(() => this.#control.begin());
        }
        // A starting server may have read the settings already. One that is started later reads the new ones.
        else if (!this.#control.isElsewhere && isUp()) restart();
      }),
    );
    this.register(() => restart.cancel());
  }

  /** Reloads the settings after another device changed them. */
  override async onExternalSettingsChange(): Promise<void> {
    await this.#store.load();
  }
}

/** Runs a listener of a committed change. Its failure is logged, for the change is done. */
function logFailure(event: string, act: () => void): void {
  try {
    act();
  } catch (error) {
    consoleLog.error(event, { message: String(error) });
  }
}
