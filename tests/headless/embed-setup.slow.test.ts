import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type ScriptedEmbedder, scriptedEmbedder } from '../support/scripted-embedder';
import { Sandbox, type ServerProcess } from './brain-process';

const sandbox = new Sandbox();
let server: ServerProcess;
let embedder: ScriptedEmbedder;

beforeAll(async () => {
  const wing = path.join(sandbox.vault, 'wiki/net/facts');
  mkdirSync(wing, { recursive: true });
  writeFileSync(path.join(wing, 'auto.md'), '# Automobile\n\nThe automobile stands outside.\n');
  writeFileSync(path.join(wing, 'rain.md'), '# Rain\n\nIt is wet.\n');
  embedder = await scriptedEmbedder();
  server = await sandbox.serve();
});
afterAll(async () => {
  await embedder.stop();
  await sandbox.remove();
});

const setup = (...args: readonly string[]) =>
  sandbox.run(['embed', 'setup', ...args], { env: { BRAIN_URL: server.url } });

it('shows what a question finds in three ways, and how the server is started', async () => {
  const { code, stdout } = await setup('--url', embedder.url, '--model', 'm', '--try', 'vehicle');
  expect(code).toBe(0);
  expect(stdout).toContain('The embedder read all 2 notes.\n  By words  By meaning  By both\n');
  expect(stdout).toMatch(/\n {12}Automobile {2}Automobile\n/);
  expect(stdout).toContain('Nothing leaves it.');
  const variables = `BRAIN_PG_DSN=local: BRAIN_EMBED_API=ollama BRAIN_EMBED_URL=${embedder.url} BRAIN_EMBED_MODEL=m`;
  expect(stdout).toMatch(new RegExp(`\\n  ${variables} .* serve\\n$`));
});

it('speaks the interface that it is told, whatever the environment says', async () => {
  const env = { BRAIN_URL: server.url, BRAIN_EMBED_API: 'openai', BRAIN_EMBED_KEY: 'k'.repeat(20) };
  const args = ['embed', 'setup', '--api', 'ollama', '--url', embedder.url, '--try', 'vehicle'];
  const { code, stdout } = await sandbox.run(args, { env });
  expect([code, stdout]).toEqual([0, expect.stringContaining('BRAIN_EMBED_API=ollama')]);
});

it('gives the same as one object of JSON', async () => {
  const { stdout } = await setup('--url', embedder.url, '--try', 'vehicle', '--json');
  expect(JSON.parse(stdout)).toMatchObject({
    embedders: [],
    tried: { words: [], meaning: [{ path: 'wiki/net/facts/auto.md' }, {}], looked: 2, of: 2 },
    environment: { BRAIN_PG_DSN: 'local:', BRAIN_EMBED_MODEL: 'nomic-embed-text' },
  });
});

it('lists the usual servers of this machine, whether they run or not', async () => {
  const { code, stdout } = await setup();
  expect([code, stdout]).toEqual([
    0,
    expect.stringMatching(/^Embedders of this machine\n {2}Ollama .*\n {2}LM Studio /),
  ]);
});

it.each([
  [['--api', 'cohere'], 2, 'Use --api ollama or --api openai.'],
  [['--url', 'localhost:11434'], 2, '"localhost:11434" is no web address.'],
  [['--url', 'ai.lan'], 2, '"ai.lan" is no web address.'],
  [['--url', 'http://127.0.0.1:9/v1', '--api', 'openai'], 2, 'Give it with --model.'],
  [['--url', 'http://127.0.0.1:9', '--try', ' '], 2, 'The question is empty.'],
  [['--url', 'http://127.0.0.1:9', '--try', 'vehicle'], 1, 'The embedder at 127.0.0.1:9 cannot be reached'],
  [['--model', 'no-such-model-anywhere'], 1, 'No embedder of this machine has the model'],
])('refuses %j', async (args, code, words) => {
  const refused = await setup(...args);
  expect([refused.code, refused.stderr]).toEqual([code, expect.stringContaining(words)]);
  expect(refused.stdout).toBe('');
});
