import type { BrainClient } from '../client';
import type { UiHost } from '../host';
import type { Check } from './report';

/** Something that the screen can do about a check by itself. */
export interface Offer {
  readonly label: string;
  /** What the button says meanwhile. */
  readonly working: string;
  readonly run: () => Promise<void>;
}

/** What can be done here about a check; null when it has no action or this host cannot do it. */
export function offerFor(
  { action }: Check,
  host: Pick<UiHost, 'go' | 'restartServer' | 'makeFolders' | 'openSettings'>,
  client: Pick<BrainClient, 'call'>,
): Offer | null {
  const { restartServer, makeFolders, openSettings } = host;
  const go = (label: string, run: () => void): Offer => ({ label, working: label, run: async () => run() });
  switch (action) {
    case undefined:
      return null;
    case 'restart-server':
      return restartServer === undefined
        ? null
        : { label: 'Restart the server', working: 'Restarting', run: () => restartServer() };
    case 'make-folders':
      return makeFolders === undefined
        ? null
        : { label: 'Make the folders', working: 'Making them', run: () => makeFolders() };
    case 'rebuild-index':
      return {
        label: 'Rebuild the maps',
        working: 'Rebuilding',
        run: async () => void (await client.call('index', {})),
      };
    case 'open-settings':
      return openSettings === undefined ? null : go('Open the settings', () => openSettings());
    case 'open-connect':
      return go('Connect an agent', () => host.go('connect'));
    case 'open-audit':
      return go('Open the audit log', () => host.go('audit'));
  }
}
