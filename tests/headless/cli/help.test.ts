import { readFileSync } from 'node:fs';
import { ENVIRONMENT } from '../../../src/core/config/config';
import { brainCommand } from '../../support/command-line';

async function helpOf(...command: string[]): Promise<string> {
  const program = ['/usr/bin/node', '/opt/brain-server/dist/brain.mjs'];
  const { code, out } = await brainCommand([...command, '--help'], { program });
  expect(code).toBe(0);
  return out;
}

it.each([
  [[]],
  [['serve']],
  [['write']],
  [['update']],
  [['query']],
  [['answer']],
  [['show']],
  [['history']],
  [['list']],
  [['status']],
  [['capture']],
  [['pass-rate']],
  [['pending']],
  [['promote']],
  [['reject']],
  [['snooze']],
  [['rules']],
  [['rules', 'try']],
  [['rules', 'on']],
  [['decisions']],
  [['restore']],
  [['unpromote']],
  [['index']],
  [['tunnels']],
  [['token']],
  [['token', 'add']],
  [['token', 'revoke']],
  [['mcp']],
  [['service']],
  [['service', 'install']],
  [['audit', 'verify']],
  [['undo']],
  [['undo', 'back']],
  [['backfill-embeddings']],
  [['embed', 'setup']],
  [['doctor']],
  [['completion']],
  [['man']],
  [['ingest']],
  [['job']],
  [['backfill-refs']],
])('brain %j --help', async (command) => {
  expect(await helpOf(...command)).toMatchSnapshot();
});

it('and the page of settings name every variable that sets something', async () => {
  const named = (text: string) => new Set(text.match(/\b(?:BRAIN|CONVERTER)_[A-Z_]+\b/g));
  const others = [
    'BRAIN_VAULT',
    'BRAIN_STORE',
    'BRAIN_TOKEN',
    'BRAIN_URL',
    'BRAIN_CONFIG_DIR',
    'BRAIN_DEVICE',
    'BRAIN_LOG_LEVEL',
  ];
  const all = [...Object.keys(ENVIRONMENT), ...others].sort();
  expect([...named((await helpOf()) + (await helpOf('serve')))].sort()).toEqual(all);
  const settings = readFileSync('docs/settings.md', 'utf8');
  expect([...named(settings)].sort()).toEqual(all);
});
