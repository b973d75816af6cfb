import type { StateHere } from '../../../src/plugin/server/control';
import { hostChecks } from '../../../src/plugin/server/host-checks';
import { closeWorlds, openWorld } from '../plugin-world';

afterEach(closeWorlds);

const url = 'http://127.0.0.1:27246';
const emptyVault = { getFiles: () => [] };
const portCheck = (state: StateHere) => hostChecks({ state, url }, emptyVault)[0];

it('says whether agents reach the vault, and what to do when not', () => {
  expect(portCheck({ kind: 'running', url })).toEqual({
    name: 'port',
    state: 'ok',
    message: `Listening on ${url}.`,
  });
  expect(portCheck({ kind: 'failed', message: 'Port 27246 is in use.' })).toMatchObject({
    state: 'failed',
    message: 'Port 27246 is in use.',
    fix: expect.stringContaining('another port'),
  });
  expect(portCheck({ kind: 'off' })).toMatchObject({ state: 'warning', fix: 'Start the server.' });
  expect(portCheck({ kind: 'starting' })).toMatchObject({ state: 'warning' });
});

it('reaches the doctor, with the conflict copies that listings pass over', async () => {
  const world = await openWorld({
    files: {
      'wiki/net/facts/dns.sync-conflict-20261114-091200-ABC.md': 'old',
      'wiki/net/facts/dns.md': 'new',
    },
  });
  await world.start();
  await world.host.app.workspace.getLeaf('tab').setViewState({ type: 'brain-server-doctor', active: true });
  await world.until('the checks', () =>
    world.document.body.textContent.includes('Listening on http://127.0.0.1:'),
  );
  expect(world.document.body.textContent).toContain('dns.sync-conflict-20261114-091200-ABC.md');
});
