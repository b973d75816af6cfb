import type { OperationName } from '../../../src/core/operation/descriptors';
import type { Answer, Ask, BrainClient } from '../../../src/core/registry/client';
import { CHECK_ACTIONS } from '../../../src/core/vocabulary/check';
import type { UiHost } from '../../../src/ui/client/host';
import { offerFor } from '../../../src/ui/doctor/remedy';
import { type Check, groupChecks, reportText, summaryOf, titleOf } from '../../../src/ui/doctor/report';
import { watcher } from '../intake/watcher';

const CHECKS: readonly Check[] = [
  { name: 'recovery', state: 'ok', message: 'Nothing was left half done.' },
  { name: 'tokens', state: 'warning', message: 'Authentication is off.', fix: 'Unset BRAIN_AUTH.' },
  { name: 'audit', state: 'failed', message: 'The chain is broken.', fix: 'Look at the file.' },
  { name: 'other devices', state: 'ok', message: 'None.' },
];

it('sorts the checks by what they need', () => {
  const { failed, warnings, fine } = groupChecks(CHECKS);
  expect([failed, warnings, fine].map((some) => some.map(titleOf))).toEqual([
    ['Audit'],
    ['Tokens'],
    ['Recovery', 'Other devices'],
  ]);
  expect(summaryOf(groupChecks(CHECKS))).toBe('1 problem, 1 warning, 2 fine');
  expect(summaryOf(groupChecks([]))).toBe('0 fine');
});

it('writes them down for somebody who helps, the worst first', () => {
  const status = {
    version: '1.2.3',
    notes: 4,
    index: { state: 'ready' as const, notes: 4, waiting: 0 },
    hybrid: { configured: false, state: 'off' as const },
    watcher: watcher(),
    queue: { count: 2 },
    quarantine: [],
    checks: [...CHECKS],
  };
  expect(reportText(status, new Date('2026-11-20T12:34:00Z'))).toMatchInlineSnapshot(`
   "Brain Server 1.2.3, checked 20 Nov 2026, 12:34: 1 problem, 1 warning, 2 fine
   4 notes, 2 in the queue, index ready

   FAILED  Audit: The chain is broken.
           Fix: Look at the file.
   LOOK    Tokens: Authentication is off.
           Fix: Unset BRAIN_AUTH.
   ok      Recovery: Nothing was left half done.
   ok      Other devices: None.
   "
  `);
});

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
    'Have them searched',
    'Leave them out',
    'Have the links follow',
    'Open the settings',
    'Connect an agent',
    'Open the audit log',
  ]);
  expect(done).toEqual([
    'restart',
    'folders',
    'index {}',
    'index {}',
    'chooseAttachments {"read":true}',
    'chooseAttachments {"read":false}',
    'mendLinks {}',
    'settings',
    'go connect',
    'go audit',
  ]);
});

it('offers nothing that the page cannot do', () => {
  const { client, page, check } = stage();
  const offered = CHECK_ACTIONS.filter((action) => offerFor(check(action), page, client) !== null);
  expect(offered).toEqual([
    'rebuild-index',
    'try-texts-again',
    'read-attachments',
    'leave-attachments',
    'mend-links',
    'open-connect',
    'open-audit',
  ]);
});

it('offers nothing for a check without an action', () => {
  const { client, app } = stage();
  expect(offerFor({ name: 'x', state: 'failed', message: 'm', fix: 'f' }, app, client)).toBeNull();
});
