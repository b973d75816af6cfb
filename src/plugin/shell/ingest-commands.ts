import { type Command, Notice, type Plugin } from 'obsidian';
import type { BrainClient } from '../../core/registry/client';
import type { ScreenName } from '../../ui/client/screens';
import type { ServerControl } from '../server/control';
import { attempt } from '../server/failure';

// The rule of the service is not loaded this early, so it is repeated here. A test compares the two.

/** The folders of the service, and those of ingested files. */
const OWN = ['wiki', 'knowledge', 'raw', 'sessions'];
const HANDLED = ['inbox/processed', 'inbox/quarantine'];

/**
 * Returns true for a file or folder that can be ingested: outside of the service's own folders, not handled before, not
 * hidden, and not the whole vault.
 */
export function isIngestible(path: string): boolean {
  const folded = `${path.toLowerCase().replace(/^\/+/, '')}/`;
  if (folded === '/' || folded.startsWith('.') || folded.includes('/.')) return false;
  return ![...OWN, ...HANDLED].some((folder) => folded.startsWith(`${folder}/`));
}

interface Deps {
  readonly app: Plugin['app'];
  readonly control: Pick<ServerControl, 'client' | 'isElsewhere'>;
  readonly open: (screen: ScreenName) => void;
}

/** Returns the commands that ingest. They are offered while the vault is open, and for a file that can be ingested. */
export function ingestCommands(deps: Deps): Command[] {
  const { app, control } = deps;
  const withClient = (id: string, name: string, act: (client: BrainClient) => Promise<void>): Command => ({
    id,
    name,
    checkCallback: (isChecking) => {
      const { client } = control;
      if (client !== null && !isChecking) void attempt(() => act(client));
      return client !== null;
    },
  });
  return [
    {
      id: 'ingest-file',
      name: 'Ingest this file',
      checkCallback: (isChecking) => {
        const file = app.workspace.getActiveFile();
        if (file === null || control.client === null || control.isElsewhere || !isIngestible(file.path))
          return false;
        if (!isChecking) ingestPath(deps, file.path);
        return true;
      },
    },
    withClient('ingest-clipboard', 'Ingest from clipboard', (client) => ingestClipboard(deps, client)),
    withClient('ingest-inbox', 'Ingest files in inbox', ingestInbox),
    withClient('backfill-refs', 'Backfill source references', async (client) => {
      const { backfillReferences } = await import('./ingest-modals');
      await backfillReferences(app, client);
    }),
  ];
}

/** Ingests a file or folder of the vault, and opens the queue, which shows the progress and the outcome. */
export function ingestPath(
  { control, open }: { readonly control: Pick<ServerControl, 'client'>; readonly open: Deps['open'] },
  path: string,
): void {
  const { client } = control;
  if (client === null) return;
  void attempt(async () => {
    const { intakeOf, pathRequest } = await import('../../ui/intake/sources');
    intakeOf(client).add([pathRequest(path)]);
    open('queue');
  });
}

async function ingestClipboard({ app, open }: Deps, client: BrainClient): Promise<void> {
  const text = await activeWindow.navigator.clipboard.readText();
  if (text.trim() === '') {
    new Notice('There is no text on the clipboard.');
    return;
  }
  const { ClipboardModal } = await import('./ingest-modals');
  const { intakeOf, textRequest } = await import('../../ui/intake/sources');
  new ClipboardModal(app, text, (title) => {
    intakeOf(client).add([textRequest(text, title)]);
    open('queue');
  }).open();
}

/** Ingests the waiting files of the inbox, and shows their number. */
async function ingestInbox(client: BrainClient): Promise<void> {
  const { watcher } = await client.call('status', {});
  if (watcher.state === 'starting') {
    new Notice('The inbox is still being looked through. Try again in a moment.');
    return;
  }
  const { queued } = await client.call('ingestInbox', {});
  new Notice(
    queued === 0
      ? 'No file waits in the inbox.'
      : `${queued.toLocaleString('en')} ${queued === 1 ? 'file' : 'files'} of the inbox ${queued === 1 ? 'is' : 'are'} being ingested.`,
  );
}
