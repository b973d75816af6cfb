import { type Command, Notice, type Plugin } from 'obsidian';
import type { BrainClient } from '../ui/client';
import type { ScreenName } from '../ui/screens';
import { attempt } from './attempt';
import { isIngestible } from './ingestible';
import type { ServerControl } from './server-control';

interface Deps {
  readonly app: Plugin['app'];
  readonly control: Pick<ServerControl, 'client'>;
  readonly open: (screen: ScreenName) => void;
}

/** The commands that bring something in. They are offered while the vault is open, and for a file that can be ingested. */
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
        if (file === null || control.client === null || !isIngestible(file.path)) return false;
        if (!isChecking) ingestPath(deps, file.path);
        return true;
      },
    },
    withClient('ingest-clipboard', 'Ingest from clipboard', (client) => ingestClipboard(deps, client)),
    withClient('ingest-inbox', 'Ingest files in inbox', ingestInbox),
    withClient('backfill-refs', 'Backfill source references', async (client) => {
      const { backfillReferences } = await import('./backfill-refs-modal');
      await backfillReferences(app, client);
    }),
  ];
}

/** Ingests a file or folder of the vault, and shows the queue, where it is seen how far that is and what came of it. */
export function ingestPath({ control, open }: Pick<Deps, 'control' | 'open'>, path: string): void {
  const { client } = control;
  if (client === null) return;
  void attempt(async () => {
    const { intakeOf, wantedPath } = await import('../ui/ingest/intake-of');
    intakeOf(client).add([wantedPath(path)]);
    open('queue');
  });
}

async function ingestClipboard({ app, open }: Deps, client: BrainClient): Promise<void> {
  const text = await activeWindow.navigator.clipboard.readText();
  if (text.trim() === '') {
    new Notice('There is no text on the clipboard.');
    return;
  }
  const { ClipboardModal } = await import('./clipboard-modal');
  const { intakeOf, wantedText } = await import('../ui/ingest/intake-of');
  new ClipboardModal(app, text, (title) => {
    intakeOf(client).add([wantedText(text, title)]);
    open('queue');
  }).open();
}

/** Takes in what waits for a person, and says how much that is. */
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
