import { CHECK_ACTIONS } from '../../../src/core/vocabulary/check';
import type { Answer, Ask, BrainClient } from '../../../src/core/registry/client';
import type { OperationName } from '../../../src/core/operation/descriptors';
import { offerFor } from '../../../src/ui/doctor/remedy';
import type { UiHost } from '../../../src/ui/client/host';

type Host = Pick<UiHost, 'go' | 'restartServer' | 'makeFolders' | 'openSettings'>;

function stage() {
  const done: string[] = [];
  const client: Pick<BrainClient, 'call'> = {
    async call<Name extends OperationName>(name: Name, ask: Ask<Name>): Promise<Answer<Name>> {
      done.push(`${name} ${JSON.stringify(ask)}`);
      return {} as Answer<Name>; // Nobody looks at what a rebuild answers.
    },
  };
  const page: Host = { go: (screen) => void done.push(`go ${screen}`) };
  const app: Host = {
    ...page,
    restartServer: async () => void done.push('restart'),
    makeFolders: async () => void done.push('folders'),
    openSettings: () => void done.push('settings'),
  };
  const check = (action: (typeof CHECK_ACTIONS)[number]) =>
    ({ name: 'x', state: 'warning', message: 'm', fix: 'f', action }) as const;
  return { done, client, page, app, check };
}

it('does each action where the host can', async () => {
  const { done, client, app, check } = stage();
  const labels: unknown[] = [];
  for (const action of CHECK_ACTIONS) {
    const offer = offerFor(check(action), app, client);
    labels.push(offer?.label);
    await offer?.run();
  }
  expect(labels).toEqual([
    'Restart the server',
    'Make the folders',
    'Rebuild the maps',
    'Try again',
    'Open the settings',
    'Connect an agent',
    'Open the audit log',
  ]);
  expect(done).toEqual(['restart', 'folders', 'index {}', 'index {}', 'settings', 'go connect', 'go audit']);
});

it('offers nothing that the page cannot do', () => {
  const { client, page, check } = stage();
  const offered = CHECK_ACTIONS.filter((action) => offerFor(check(action), page, client) !== null);
  expect(offered).toEqual(['rebuild-index', 'try-texts-again', 'open-connect', 'open-audit']);
});

it('offers nothing for a check without an action', () => {
  const { client, app } = stage();
  expect(offerFor({ name: 'x', state: 'failed', message: 'm', fix: 'f' }, app, client)).toBeNull();
});
