import { cpSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { type Client, clientFrom } from '../../src/headless/terminal/client';
import { FIRST_GUIDANCE } from '../../src/core/notes/guidance';
import { Sandbox } from './brain-process';

const SAMPLE = 'sample-vault';
const sandbox = new Sandbox();
let client: Client;

/** Every file below a folder with its text, without the service's own state. */
function filesOf(root: string): Record<string, string> {
  const all = readdirSync(root, { recursive: true, withFileTypes: true });
  const files = all.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
  const visible = files.map((file) => path.relative(root, file)).filter((file) => !file.startsWith('.brain'));
  return Object.fromEntries(
    visible.sort().map((file) => [file, readFileSync(path.join(root, file), 'utf8')]),
  );
}

beforeAll(async () => {
  cpSync(SAMPLE, sandbox.vault, { recursive: true });
  const { url } = await sandbox.serve();
  client = await clientFrom({ env: { ...sandbox.env, BRAIN_URL: url }, command: 'brain' });
});
afterAll(() => sandbox.remove());

it('is what the service itself would have made: serving it changes nothing', async () => {
  const { wings } = (await client.call('index')).value;
  expect(wings.map(({ wing, changed }) => [wing, changed])).toEqual([
    ['homelab', false],
    ['household', false],
    ['shop-team', false],
  ]);
  expect(filesOf(sandbox.vault)).toEqual(filesOf(SAMPLE));
});

it('holds notes of every hall, readable as written, with links that lead somewhere', async () => {
  const notes = Object.keys(filesOf(SAMPLE)).filter(
    (file) => /^(?:wiki|raw)\/.*\.md$/.test(file) && !file.endsWith('_index.md'),
  );
  expect(notes.length).toBeGreaterThanOrEqual(25);
  const halls = new Set<string>();
  for (const note of notes) {
    const { value } = await client.call('note', { path: note });
    const { frontmatter, body, outgoing, title } = value;
    const links = new Set([...body.matchAll(/\[\[([^|\]]+)\|/g)].map(([, target]) => `${target}.md`));
    expect([note, [...outgoing].sort()]).toEqual([note, [...links].sort()]);
    expect(frontmatter).toMatchObject({
      created_at: expect.stringMatching(/Z$/),
      written_by: expect.any(String),
    });
    expect(body.startsWith(`# ${title}\n`)).toBe(true);
    halls.add(String(frontmatter.hall));
  }
  expect([...halls].sort()).toEqual(['decisions', 'facts', 'failures', 'hypotheses', 'sources']);
});

it('answers the questions that it is made for', async () => {
  const best = async (query: string) => (await client.call('query', { query })).value.results[0]?.path;
  expect(await best('why do large pages hang over wireguard')).toBe('wiki/homelab/facts/wireguard-mtu.md');
  expect(await best('dishwasher e24')).toBe('wiki/household/failures/dishwasher-e24.md');
  expect(await best('lost orders payment timeout')).toMatch(/^wiki\/shop-team\/(?:failures|sources)\//);
});

it('has a queue to review and sessions to count', async () => {
  const { total, pending } = (await client.call('pending')).value;
  expect(total).toBe(4);
  expect(pending[0]).toMatchObject({
    path: 'raw/2026-11-16-router-firmware.md',
    suggested: { wing: 'homelab', hall: 'facts' },
  });
  const rate = await client.call('passRate', { window: '3650d' });
  expect(rate.value).toMatchObject({
    pass: 7,
    fail: 2,
    skip: 1,
    malformed: 0,
  });
});

it('guides agents in the words of a new vault', () => {
  const guidance = readFileSync(path.join(SAMPLE, 'AGENTS.md'), 'utf8');
  const rest = FIRST_GUIDANCE.split('\n').slice(1).join('\n');
  expect(guidance.endsWith(rest)).toBe(true);
});
