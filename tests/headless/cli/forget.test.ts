import { readFile, readdir } from 'node:fs/promises';
import path from 'node:path';
import { brainCommand } from '../../support/command-line';
import { type LiveServer, startLiveServer } from '../../support/live-server';

const NOTE = 'wiki/net/facts/xylograph.md';
const STAMPS = '---\norigin: mcp\nwritten_by: intern\n---\n';

let server: LiveServer;
beforeEach(async () => {
  server = await startLiveServer({
    [NOTE]: `${STAMPS}# The xylograph\n\nIt burns.\n`,
    'wiki/net/facts/other.md': `${STAMPS}# Other\n\nSee [[wiki/net/facts/xylograph|that one]].\n`,
  });
});
afterEach(() => server.stop());

const forget = (args: readonly string[], typed?: string) =>
  brainCommand(['forget', ...args], {
    env: { BRAIN_URL: server.url, BRAIN_TOKEN: 'owner' },
    ...(typed !== undefined && { typed }),
  });

/** The files of the vault, of the service and of the notes, that have the word in their names or their texts. */
async function filesWith(word: string): Promise<string[]> {
  const entries = await readdir(server.root, { recursive: true, withFileTypes: true });
  const found: string[] = [];
  for (const entry of entries) {
    if (!entry.isFile()) continue;
    const file = path.join(entry.parentPath, entry.name);
    if (`${entry.name}\n${await readFile(file, 'latin1')}`.includes(word))
      found.push(path.relative(server.root, file));
  }
  return found.sort();
}

it('prints the preview and ends with 1 where nobody can be asked', async () => {
  const { code, out, err } = await forget([NOTE, '--reason', 'asked for']);
  expect(code).toBe(1);
  expect(out).toContain('Would forget "The xylograph"');
  expect(out).toContain('its link becomes text: wiki/net/facts/other.md');
  expect(err).toContain('--yes --plan');
  expect(await filesWith('burns')).toContain(NOTE);
});

it('forgets what was looked at, and leaves no trace of it', async () => {
  const agent = await server.mcp('laptop');
  await agent.callTool({ name: 'brain_get', arguments: { path: NOTE } });
  await agent.callTool({ name: 'brain_query', arguments: { query: 'what burns' } });
  const { resources } = await agent.listResources();
  const uri = resources.find((each) => each.uri.includes('xylograph'))?.uri;
  if (uri !== undefined) await agent.readResource({ uri });
  const { code, out } = await forget([NOTE, '--dry-run', '--json']);
  expect(code).toBe(0);
  const { plan } = JSON.parse(out) as { plan: string };
  const wrong = await forget([NOTE, '--reason', 'asked for', '--yes', '--plan', '0'.repeat(64)]);
  expect(wrong).toMatchObject({ code: 1, err: expect.stringContaining('hash_mismatch') });
  const done = await forget([NOTE, '--reason', 'asked for', '--yes', '--plan', plan]);
  expect(done).toMatchObject({ code: 0, out: expect.stringContaining('Forgot "The xylograph"') });
  expect(await filesWith('burns')).toEqual([]);
  const { body } = await server.http('GET', '/audit/verify', undefined, 'owner');
  expect(body).toMatchObject({ problem_count: 0, redacted: uri === undefined ? 2 : 3 });
  // The other note had a link to it.
  expect((await filesWith('xylograph')).filter((file) => !file.startsWith('.brain/history/'))).toEqual([]);
  expect(await readFile(path.join(server.root, 'wiki/net/facts/other.md'), 'utf8')).toContain(
    'See that one.',
  );
});

it('asks for the title on a terminal', async () => {
  const refused = await forget([NOTE, '--reason', 'asked for'], 'yes');
  expect(refused).toMatchObject({ code: 1, err: expect.stringContaining('not the title') });
  expect(await filesWith('burns')).toContain(NOTE);
  const done = await forget([NOTE, '--reason', 'asked for'], 'The xylograph');
  expect(done).toMatchObject({ code: 0, out: expect.stringContaining('Forgot "The xylograph"') });
  expect(await filesWith('burns')).toEqual([]);
});

it.each([
  [[NOTE], 2, 'Say why'],
  [[NOTE, '--reason', 'x', '--yes'], 2, '--plan'],
  [['wiki/net/facts/none.md', '--dry-run'], 1, 'note_not_found'],
  [['../x.md', '--dry-run'], 1, 'path_not_allowed'],
  [['wiki/net/_index.md', '--dry-run'], 1, 'path_not_allowed'],
  [['0'.repeat(64), '--hash', '--dry-run'], 1, 'note_not_found'],
  [['abc', '--hash', '--dry-run'], 1, 'invalid_field'],
])('refuses %j, and changes nothing', async (args, code, words) => {
  const before = await server.snapshot();
  expect(await forget(args)).toMatchObject({ code, err: expect.stringContaining(words) });
  expect(await server.snapshot()).toEqual(before);
});

it('is for the owner and persons', async () => {
  const refused = await server.http('POST', '/forget', { path: NOTE, dry_run: true }, 'curator');
  expect(refused.body).toMatchObject({ error: { code: 'forbidden_scope' } });
});
