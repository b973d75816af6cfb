import {
  type App,
  type Command,
  FuzzySuggestModal,
  Modal,
  Notice,
  type Plugin,
  Setting,
  type TFile,
} from 'obsidian';
import type { BrainClient } from '../../core/registry/client';
import type { ScreenName, ScreenParams } from '../../ui/client/screens';
import type { ServerControl } from '../server/control';
import { attempt } from '../server/failure';
import type { Backfill } from './backfill';
import { ingestCommands } from './ingest-commands';

/** A modal to write down a thought. It stays open with the text until the note is written. */
class CaptureModal extends Modal {
  readonly #capture: (text: string) => Promise<string>;

  /** `capture` writes the note and resolves with its path. It rejects with a message for the person. */
  constructor(app: App, capture: (text: string) => Promise<string>) {
    super(app);
    this.#capture = capture;
  }

  override onOpen(): void {
    this.setTitle('Capture');
    const { contentEl } = this;
    const label = 'What to remember, in Markdown';
    const area = contentEl.createEl('textarea', {
      cls: 'brain-capture',
      attr: { rows: '8', 'aria-label': label, placeholder: label },
    });
    const problem = contentEl.createEl('p', { cls: 'mod-warning', attr: { role: 'alert' } });
    problem.hide();
    let isBusy = false;
    const save = async (): Promise<void> => {
      if (isBusy) return;
      isBusy = true;
      try {
        const path = await this.#capture(area.value);
        this.close();
        new Notice(`Captured as ${path}.`);
      } catch (error) {
        problem.setText(error instanceof Error ? error.message : String(error));
        problem.show();
        area.focus();
      } finally {
        isBusy = false;
      }
    };
    this.scope.register(['Mod'], 'Enter', (event) => {
      event.preventDefault();
      void save();
    });
    new Setting(contentEl).addButton((button) =>
      button
        .setButtonText('Capture')
        .setCta()
        .onClick(() => void save()),
    );
    area.focus();
  }

  override onClose(): void {
    this.contentEl.empty();
  }
}

/** A modal to choose one of several texts by fuzzy search. */
class ChooseModal extends FuzzySuggestModal<string> {
  readonly #items: readonly string[];
  readonly #choose: (item: string) => void;

  constructor(app: App, prompt: string, items: readonly string[], choose: (item: string) => void) {
    super(app);
    this.#items = items;
    this.#choose = choose;
    this.setPlaceholder(prompt);
  }

  override getItems(): string[] {
    return [...this.#items];
  }

  override getItemText(item: string): string {
    return item;
  }

  override onChooseItem(item: string): void {
    this.#choose(item);
  }
}

// The rules of the service are not loaded this early, so they are repeated here. A test compares them.

/** Returns true for a note that awaits review: anywhere below the queue folder, except the rejected notes. */
export function isQueued(path: string): boolean {
  return isNoteIn('raw/', path) && !isNoteIn('raw/rejected/', path);
}

/** Returns true for a rejected note, which can be restored. */
export function isRejected(path: string): boolean {
  return isNoteIn('raw/rejected/', path);
}

/** Returns true for a note of the wiki, which may have been promoted or adopted. */
export function isInWiki(path: string): boolean {
  return path.startsWith('wiki/') && isNote(path) && !path.includes('/.') && !/\/_index\.md$/i.test(path);
}

/** Returns true for a file whose versions the service may have. */
export function isNote(path: string): boolean {
  return /\.md$/i.test(path);
}

/** The first folder is matched exactly; the folders below it in any case, as on most disks. */
function isNoteIn(folder: string, path: string): boolean {
  const isBelow = path.startsWith('raw/') && path.toLowerCase().startsWith(folder);
  return isBelow && isNote(path) && !path.includes('/.') && !/\/_index\.md$/i.test(path);
}

/** The number of notes that a notice names. It disappears soon. */
const MAX_NAMED = 3;

interface CommandDeps {
  readonly app: Plugin['app'];
  readonly control: ServerControl;
  readonly backfill: Backfill;
  readonly open: (screen: ScreenName, params?: ScreenParams) => void;
  /** Opens the quick search. */
  readonly search: () => void;
  /** Shows the folders of the service. */
  readonly showFolders: () => void;
  /** Opens the form that adopts a note of the owner. */
  readonly adopt: (path: string) => void;
  /** Opens the set-up of search by meaning. */
  readonly setUpMeaning: () => void;
  /** Opens the form that chooses a server elsewhere. */
  readonly useServer: () => void;
}

/** Returns the builders of the kinds of commands. Each offers its command only while that can run. */
function commandBuilders({ app, control, open }: CommandDeps) {
  /** A command that opens a screen. */
  const screen = (id: string, name: string, target: ScreenName): Command => ({
    id,
    name,
    callback: () => open(target),
  });
  /** A command that needs the open vault. */
  const withClient = (id: string, name: string, act: (client: BrainClient) => unknown): Command => ({
    id,
    name,
    checkCallback: (isChecking) => {
      const { client } = control;
      if (client !== null && !isChecking) void attempt(async () => void (await act(client)));
      return client !== null;
    },
  });
  /** A command on the active note. */
  const withNote = (
    id: string,
    name: string,
    fits: (path: string) => boolean,
    act: (file: TFile) => void,
  ): Command => ({
    id,
    name,
    checkCallback: (isChecking) => {
      const file = app.workspace.getActiveFile();
      // A note of this vault is none of a server elsewhere, whatever its path.
      if (file === null || control.client === null || control.isElsewhere || !fits(file.path)) return false;
      if (!isChecking) act(file);
      return true;
    },
  });
  /** A command with a condition of its own. */
  const when = (id: string, name: string, fits: () => boolean, act: () => Promise<void>): Command => ({
    id,
    name,
    checkCallback: (isChecking) => {
      if (!fits()) return false;
      if (!isChecking) void act();
      return true;
    },
  });
  return { screen, withClient, withNote, when };
}

/** Returns every command of the plugin. */
export function commandsOf(deps: CommandDeps): Command[] {
  const { app, control, backfill, open } = deps;
  const { screen, withClient, withNote, when } = commandBuilders(deps);
  return [
    screen('open-queue', 'Open review queue', 'queue'),
    withClient('search', 'Search', () => deps.search()),
    screen('open-search', 'Open search', 'search'),
    withNote('promote-note', 'Promote current note', isQueued, ({ path }) =>
      open('queue', { path, act: 'promote' }),
    ),
    withNote('reject-note', 'Reject current note', isQueued, ({ path }) =>
      open('queue', { path, act: 'reject' }),
    ),
    withNote(
      'adopt-note',
      'Adopt current note into the wiki',
      (path) => control.service?.isOwners(path) === true,
      ({ path }) => deps.adopt(path),
    ),
    withNote(
      'give-back-note',
      'Take back the promotion or adoption of current note',
      isInWiki,
      ({ path }) => void attempt(() => giveBack(control, path)),
    ),
    withClient('capture', 'Capture', (client) =>
      new CaptureModal(app, async (text) => (await client.call('capture', { text })).path).open(),
    ),
    withNote('note-history', 'Show history of current note', isNote, ({ path }) => open('history', { path })),
    withClient('restore-rejected', 'Restore a rejected note', (client) =>
      chooseRejected(app, client, control.isElsewhere),
    ),
    withClient('reindex-wing', 'Reindex a wing', (client) => chooseWing(app, client)),
    withClient('reindex-all', 'Reindex all wings', reindexAll),
    withClient('rebuild-tunnels', 'Rebuild tunnels', rebuildTunnels),
    when(
      'set-up-meaning',
      'Set up search by meaning',
      () => control.client !== null && !control.isElsewhere,
      async () => deps.setUpMeaning(),
    ),
    when(
      'backfill-embeddings',
      'Backfill embeddings',
      () => control.client !== null && backfill.progress === null,
      () => attempt(() => backfill.run()),
    ),
    when(
      'cancel-backfill',
      'Cancel the backfill of embeddings',
      () => backfill.progress !== null,
      () => attempt(() => backfill.cancel()),
    ),
    ...ingestCommands(deps),
    screen('open-home', 'Open home', 'home'),
    screen('import-notes', 'Import notes from elsewhere', 'imports'),
    screen('open-rules', 'Open rules of the queue', 'rules'),
    screen('open-neighbours', 'Open neighbours of current note', 'neighbours'),
    screen('open-stale-claims', 'Open stale claims', 'stale'),
    screen('open-audit', 'Open audit', 'audit'),
    screen('open-pass-rates', 'Open pass rates', 'pass-rates'),
    screen('connect-agent', 'Connect an agent and copy its configuration', 'connect'),
    screen('open-doctor', 'Open doctor', 'doctor'),
    ...serverCommands(deps),
  ];
}

/** Returns the commands about the server itself. Those of the one inside the app are not offered while another is used. */
function serverCommands(deps: CommandDeps): Command[] {
  const { control } = deps;
  const { when } = commandBuilders(deps);
  return [
    when(
      'start-server',
      'Start server',
      () => !control.isElsewhere && ['off', 'unconfirmed', 'failed'].includes(control.state.kind),
      () => (control.state.kind === 'failed' ? control.restart() : control.start()),
    ),
    when(
      'stop-server',
      'Stop server',
      () => !control.isElsewhere && ['starting', 'running', 'failed'].includes(control.state.kind),
      () => control.stop(),
    ),
    when(
      'restart-server',
      'Restart server',
      () => ['running', 'failed'].includes(control.state.kind),
      () => control.restart(),
    ),
    when(
      'show-folders',
      'Show the folders that are used',
      () => !control.isElsewhere,
      async () => deps.showFolders(),
    ),
    { id: 'use-server', name: 'Use a server', callback: () => deps.useServer() },
  ];
}

/** Rebuilds the maps of all wings, and shows how many changed. */
export async function reindexAll(client: BrainClient): Promise<void> {
  const { count, wings, warnings = [] } = await client.call('index', {});
  const changed = wings.filter((wing) => wing.changed).length;
  const message = `Reindexed ${count} ${count === 1 ? 'wing' : 'wings'}; ${changed} ${changed === 1 ? 'map' : 'maps'} changed.`;
  new Notice(withWarnings(message, warnings));
}

/** Rebuilds the tunnels of all promoted notes, and shows how many notes changed and which were skipped. */
async function rebuildTunnels(client: BrainClient): Promise<void> {
  const { scanned, changed, warnings } = await client.call('tunnels', {});
  const message = `Rebuilt the tunnels of ${scanned} ${scanned === 1 ? 'note' : 'notes'}; ${changed} changed.`;
  new Notice(withWarnings(message, warnings));
}

function withWarnings(message: string, warnings: readonly string[]): string {
  const more = warnings.length > MAX_NAMED ? [`And ${warnings.length - MAX_NAMED} more were left.`] : [];
  return [message, ...warnings.slice(0, MAX_NAMED), ...more].join('\n');
}

/** Puts a note of the wiki back to where it was: into the queue, or to where its owner had it. Says where that is. */
async function giveBack({ client }: Pick<ServerControl, 'client'>, path: string): Promise<void> {
  if (client === null) return;
  const { path: back, warnings = [] } = await client.call('unpromote', { path });
  const message = isQueued(back) ? `Back in the queue: ${back}.` : `It is yours again: ${back}.`;
  new Notice(withWarnings(message, warnings));
}

async function chooseWing(app: CommandDeps['app'], client: BrainClient): Promise<void> {
  const { wings } = await client.call('wings', {});
  if (wings.length === 0) {
    new Notice('There is no wing yet. Promote a note to make one.');
    return;
  }
  const names = wings.map(({ wing }) => wing);
  const reindex = async (wing: string): Promise<void> => {
    const { wings: done } = await client.call('index', { wing });
    new Notice(
      done.some(({ changed }) => changed) ? `Reindexed ${wing}.` : `The map of ${wing} was right already.`,
    );
  };
  new ChooseModal(app, 'Wing to reindex', names, (wing) => void attempt(() => reindex(wing))).open();
}

/** The number of rejected notes of a server elsewhere that can be chosen, the last ones. */
const MAX_DECISIONS = 200;

/** Returns the paths of the rejected notes: the files of the app, or what a server elsewhere has recorded. */
async function rejectedNotes(
  { vault }: CommandDeps['app'],
  client: BrainClient,
  isElsewhere: boolean,
): Promise<readonly string[]> {
  if (!isElsewhere) return vault.getMarkdownFiles().flatMap(({ path }) => (isRejected(path) ? path : []));
  const { decisions } = await client.call('decisions', { kind: 'rejected', limit: MAX_DECISIONS });
  return decisions.flatMap(({ path, restorable }) => (restorable ? path : []));
}

async function chooseRejected(
  app: CommandDeps['app'],
  client: BrainClient,
  isElsewhere: boolean,
): Promise<void> {
  const rejected = [...(await rejectedNotes(app, client, isElsewhere))].sort();
  if (rejected.length === 0) {
    new Notice('No note has been rejected.');
    return;
  }
  const restore = async (path: string): Promise<void> => {
    const restored = await client.call('restore', { path });
    new Notice(`Back in the queue: ${restored.path}.`);
  };
  new ChooseModal(app, 'Note to restore', rejected, (path) => void attempt(() => restore(path))).open();
}
