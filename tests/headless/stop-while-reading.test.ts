import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Sandbox } from './brain-process';

/** Notes that take many seconds to be read, though they are few. */
const NOTES = 60;
const device = 'test';

/** 1 MiB of words that are nearly all different, which is what costs a search index most. */
function largeNote(seed: number): string {
  const words: string[] = [];
  let state = seed + 1;
  for (let length = 0; length < 1_000_000;) {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    const word = state.toString(36);
    words.push(word, words.length % 12 === 0 ? '\n' : '');
    length += word.length + 1;
  }
  return `# Note ${seed}\n\n${words.join(' ')}\n`;
}

let sandbox: Sandbox;
beforeEach(() => {
  sandbox = new Sandbox();
});
afterEach(() => sandbox.remove());

it('ends soon after SIGTERM while the vault is being read, and gives back lock and port', async () => {
  const folder = path.join(sandbox.vault, 'wiki/net/facts');
  mkdirSync(folder, { recursive: true });
  for (let index = 0; index < NOTES; index += 1)
    writeFileSync(path.join(folder, `n${index}.md`), largeNote(index));
  const env = { BRAIN_DEVICE: device };
  const server = await sandbox.serve([], env);
  const { port } = new URL(server.url);
  const reply = await sandbox.run(['doctor', '--json'], { env: { BRAIN_URL: server.url } });
  const { index } = JSON.parse(reply.stdout);
  expect(index).toMatchObject({ state: 'building', reading: { total: NOTES } });

  const asked = Date.now();
  const { code, stderr } = await server.stop();
  const took = Date.now() - asked;
  expect([code, stderr.includes('catalog.load')]).toEqual([0, false]);
  // Reading what was left takes several times as long; the grace time of open connections is 3 s.
  expect(took).toBeLessThan(10_000);
  expect(readdirSync(path.join(sandbox.vault, `.brain/local.${device}`))).not.toContain('lock');

  const next = await sandbox.serve(['--port', port], env);
  expect(new URL(next.url).port).toBe(port);
  await next.stop();
}, 120_000);
