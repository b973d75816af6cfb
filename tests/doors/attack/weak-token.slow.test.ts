import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { RESERVED_TOKEN_NAMES } from '../../../src/core/access/token-name';
import { Sandbox } from '../../headless/brain-process';

/** Tokens that can be guessed, and names of tokens that pass for somebody else. */
let sandbox: Sandbox;
beforeEach(() => (sandbox = new Sandbox()));
afterEach(() => sandbox.remove());

const STRONG = 'aB3-._~+/aB3-._~+/aB3-._~+/aB3-=';

it.each<[string, Record<string, string>, string[]]>([
  ['one letter', { BRAIN_TOKEN: 'x' }, []],
  ['31 characters', { BRAIN_TOKEN: 'x'.repeat(31) }, []],
  ['31 characters and a line feed', { BRAIN_TOKEN: `${'x'.repeat(31)}\n` }, []],
  ['31 characters among blanks', { BRAIN_TOKEN: `  ${'x'.repeat(31)}  ` }, []],
  ['blanks alone', { BRAIN_TOKEN: ' \n' }, []],
  ['a short one on loopback', { BRAIN_TOKEN: 'secret' }, ['--host', '127.0.0.1']],
  ['a short one without authentication', { BRAIN_TOKEN: 'secret', BRAIN_AUTH: 'off' }, []],
])('serve refuses a BRAIN_TOKEN of %s and makes nothing', async (_, env, args) => {
  const { code, stderr } = await sandbox.run(
    ['serve', '--create', '--vault', sandbox.vault, '--port', '0', ...args],
    {
      env,
    },
  );
  expect([code, stderr]).toEqual([2, expect.stringMatching(/at least 32\. Make one with `openssl rand/)]);
  expect(stderr).not.toContain('secret');
  expect(() => readFileSync(sandbox.vault)).toThrow(/ENOENT/);
});

it('serve takes 32 characters, also from a file that ends with a line feed', async () => {
  const server = await sandbox.serve([], { BRAIN_TOKEN: `${STRONG}\n` });
  const ask = (token: string) =>
    fetch(`${server.url}/pending`, { headers: { authorization: `Bearer ${token}` } });
  expect((await ask(STRONG)).status).toBe(200);
  expect((await ask('x')).status).toBe(401);
  await server.stop();
});

it('a client may send what it likes', async () => {
  const server = await sandbox.serve();
  const { code, stderr } = await sandbox.run(['pending'], {
    env: { BRAIN_URL: server.url, BRAIN_TOKEN: 'x' },
  });
  expect([code, stderr]).toEqual([1, expect.stringContaining('unauthorized')]);
  await server.stop();
});

it.each([...RESERVED_TOKEN_NAMES, 'local'])('no token gets the name "%s"', async (name) => {
  const { code, stderr } = await sandbox.run(['token', 'add', name]);
  expect([code, stderr]).toEqual([2, expect.stringContaining('taken by the service')]);
});

it("a person's token with the name of the server's person works, and the doctor tells of it", async () => {
  await sandbox.run(['token', 'add', 'me', '--human']);
  await sandbox.run(['token', 'add', 'ada', '--human']);
  const server = await sandbox.serve();
  const { stdout } = await sandbox.run(['doctor', '--json'], { env: { BRAIN_URL: server.url } });
  expect(stdout).toMatch(/"names of persons".*"warning".*human:me/s);
  const { stderr } = await server.stop();
  expect(stderr).toContain('"event":"tokens.name"');
});

it('a token that has such a name from before goes on working, and the doctor tells of it', async () => {
  const added = await sandbox.run(['token', 'add', 'laptop']);
  const file = path.join(sandbox.folder, 'config', 'tokens.json');
  writeFileSync(file, readFileSync(file, 'utf8').replace('"laptop"', '"local"'));
  const server = await sandbox.serve();
  const token = added.stdout.trim();
  const answer = await fetch(`${server.url}/wings`, { headers: { authorization: `Bearer ${token}` } });
  expect(answer.status).toBe(200);
  const { stdout } = await sandbox.run(['doctor', '--json'], { env: { BRAIN_URL: server.url } });
  expect(stdout).toMatch(/"token names".*"warning".*local/s);
  const { stderr } = await server.stop();
  expect(stderr).toContain('"event":"tokens.name"');
});
