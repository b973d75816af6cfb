import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { announcement, exposureOf } from '../../../src/headless/server/serve';
import { portableCommand, commandFor, absoluteCommand } from '../../../src/headless/terminal/program';

const announced = {
  url: 'http://127.0.0.1:27246',
  vault: '/home/ada/brain',
  command: 'brain',
  program: ['/usr/bin/node', '/opt/brain/dist/brain.mjs'],
  configFolder: null,
  auth: true,
  pageToken: null,
  exposure: null,
  reads: 'Every note of the vault is read, except Private. Yours are never changed.',
};

it('can be pasted, and holds no secret', () => {
  expect(announcement(announced)).toMatchInlineSnapshot(`
   "Brain Server 0.1.0 on http://127.0.0.1:27246
   Vault: /home/ada/brain
   Every note of the vault is read, except Private. Yours are never changed.

   Try it:
     curl -s http://127.0.0.1:27246/query -H "Authorization: Bearer $(brain token show)" \\
       -H 'Content-Type: application/json' -d '{"query":"backup"}'

   Connect an agent over HTTP, with a token of its own:
     AGENT_TOKEN=$(brain token add claude) &&
       claude mcp add --transport http brain http://127.0.0.1:27246/mcp --header "Authorization: Bearer $AGENT_TOKEN"

   For clients that start a program instead:
     {"command":"/usr/bin/node","args":["/opt/brain/dist/brain.mjs","mcp"],"env":{"BRAIN_URL":"http://127.0.0.1:27246"}}
     It writes as "bridge"; BRAIN_TOKEN in its "env" gives it a token of its own.

   Your page: http://127.0.0.1:27246/ asks for the token that "brain token show" prints.
   "
  `);
});

it('links the page with its token on a terminal', () => {
  expect(announcement({ ...announced, pageToken: 'PAGE' })).toMatch(
    /your own acts:\n {2}Open http:\/\/127\.0\.0\.1:27246\/#token=PAGE\n$/,
  );
});

it('says loudly that authentication is off, and sends no token then', () => {
  const text = announcement({ ...announced, auth: false, pageToken: 'PAGE' });
  expect(text).toContain('BRAIN_AUTH is off');
  expect(text).not.toMatch(/Bearer|PAGE/);
  expect(text).toMatch(/\n {2}Open http:\/\/127\.0\.0\.1:27246\/\n$/);
});

it.each(['/opt/brain/dist/brain.mjs', '/my "tools"/brain.mjs', 'C:\\Program Files\\brain.mjs'])(
  'gives a client what it has to start, at %s',
  (script) => {
    const text = announcement({
      ...announced,
      url: 'http://127.0.0.1:8080',
      program: ['/usr/bin/node', script],
    });
    expect(JSON.parse(/^ {2}\{.*\}$/m.exec(text)?.[0] ?? '')).toEqual({
      command: '/usr/bin/node',
      args: [script, 'mcp'],
      env: { BRAIN_URL: 'http://127.0.0.1:8080' },
    });
  },
);

it('says where the token of the bridge is kept, unless a client would look there or needs none', () => {
  const entryOf = (more: { configFolder: string; auth?: boolean }): unknown =>
    JSON.parse(/^ {2}\{.*\}$/m.exec(announcement({ ...announced, ...more }))?.[0] ?? '').env;
  const configFolder = '/home/ada/my settings';
  const url = { BRAIN_URL: announced.url };
  expect(entryOf({ configFolder })).toEqual({ ...url, BRAIN_CONFIG_DIR: configFolder });
  expect(entryOf({ configFolder, auth: false })).toEqual(url);
});

describe.each(shellsHere())('what is pasted into %s', (shell) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'brain-banner-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  it.each([
    ['a new token', 'echo made-now', ['Bearer made-now\n']],
    ['a token that there is already', 'echo "There is one." >&2; exit 1', []],
  ])('configures an agent with a token or not at all: %s', (_, brain, headers) => {
    const seen = path.join(folder, 'seen');
    writeFileSync(seen, '');
    const program = (name: string, body: string) =>
      writeFileSync(path.join(folder, name), `#!/bin/sh\n${body}\n`, { mode: 0o755 });
    program('brain', brain);
    program('claude', `for last; do :; done; echo "$last" >> '${seen}'`);
    const pasted = /(?<=with a token of its own:\n)[^]*?(?=\n\n)/.exec(announcement(announced))?.[0] ?? '';
    const env = { PATH: `${folder}:${process.env.PATH ?? ''}` };
    spawnSync(shell, [], { input: `${pasted}\n`, env });
    const told = readFileSync(seen, 'utf8');
    expect(told).toBe(headers.map((token) => `Authorization: ${token}`).join(''));
  });
});

/** Shells that a command may be pasted into, as far as this machine has them. */
function shellsHere(): string[] {
  return ['sh', 'bash', 'zsh'].filter((shell) => spawnSync(shell, ['-c', ':']).status === 0);
}

describe('who else can reach the server', () => {
  const card = { netmask: '255.255.255.0', mac: '00:00:00:00:00:00', cidr: null };
  const four = (address: string, internal = false) => ({
    ...card,
    address,
    internal,
    family: 'IPv4' as const,
  });
  const six = (address: string) => ({
    ...card,
    address,
    internal: false,
    family: 'IPv6' as const,
    scopeid: 0,
  });
  const interfaces = {
    lo: [four('127.0.0.1', true)],
    eth0: [six('fe80::1'), six('2001:db8::5'), four('192.168.1.5')],
  };
  const server = { port: 27246, tls: false };
  const said = (host: string, allowedHosts: string[], tls = false): string =>
    announcement({
      ...announced,
      exposure: exposureOf({ host, allowedHosts }, { ...server, tls }, interfaces),
    });

  it.each(['127.0.0.1', 'localhost', '::1', '127.3.2.1'])('is nobody for %s', (host) => {
    expect(exposureOf({ host, allowedHosts: ['nas'] }, server, interfaces)).toBeNull();
    expect(said(host, ['nas'])).toBe(announcement(announced));
  });

  it('finds it under the names that are answered, and travels in plain text', () => {
    expect(said('0.0.0.0', ['nas.home.arpa', 'brain.lan:8443'])).toMatchInlineSnapshot(`
     "Brain Server 0.1.0 on http://127.0.0.1:27246
     Vault: /home/ada/brain
     Every note of the vault is read, except Private. Yours are never changed.
     From other machines: http://nas.home.arpa:27246, http://brain.lan:8443

     Anyone in the network who has a token can read and change this vault, and tokens and notes cross it in plain text. Give --tls-cert and --tls-key, or listen on 127.0.0.1 behind a proxy that speaks HTTPS.

     Try it:
       curl -s http://127.0.0.1:27246/query -H "Authorization: Bearer $(brain token show)" \\
         -H 'Content-Type: application/json' -d '{"query":"backup"}'

     Connect an agent over HTTP, with a token of its own:
       AGENT_TOKEN=$(brain token add claude) &&
         claude mcp add --transport http brain http://127.0.0.1:27246/mcp --header "Authorization: Bearer $AGENT_TOKEN"

     For clients that start a program instead:
       {"command":"/usr/bin/node","args":["/opt/brain/dist/brain.mjs","mcp"],"env":{"BRAIN_URL":"http://127.0.0.1:27246"}}
       It writes as "bridge"; BRAIN_TOKEN in its "env" gives it a token of its own.

     Your page: http://127.0.0.1:27246/ asks for the token that "brain token show" prints.
     "
    `);
  });

  it.each([
    ['0.0.0.0', '192.168.1.5'],
    ['::', '192.168.1.5'],
    ['10.0.0.7', '10.0.0.7'],
    ['2001:db8::7', '[2001:db8::7]'],
  ])('is refused on %s until a name is listed, such as its own', (host, own) => {
    expect(said(host, [])).toContain(
      `\nFrom other machines: refused so far. Set BRAIN_ALLOWED_HOSTS=${own} to be called by that address.\n`,
    );
  });

  it('does not know a name of a machine without a network', () => {
    const exposure = exposureOf({ host: '0.0.0.0', allowedHosts: [] }, server, {});
    expect(announcement({ ...announced, exposure })).toContain(
      'From other machines: refused so far. Name the address by which they call it in BRAIN_ALLOWED_HOSTS.',
    );
  });

  it('is not said to read along when it speaks HTTPS', () => {
    const text = said('0.0.0.0', ['nas'], true);
    expect(text).toContain('From other machines: https://nas:27246\n');
    expect(text).toContain('\nAnyone in the network who has a token can read and change this vault.\n');
    expect(text).not.toContain('plain text');
  });
});

it.each([
  ['/usr/local/bin/brain', 'brain'],
  ['/usr/local/bin/brain-server', 'brain-server'],
  ['/home/a/.npm/_npx/1f2e/node_modules/.bin/brain-server', 'npx brain-server'],
  ['/home/a/node_modules/.bin/brain', 'npx brain-server'],
  [`${process.cwd()}/dist/brain.mjs`, 'node dist/brain.mjs'],
  ['/opt/brain-server/dist/brain.mjs', 'node /opt/brain-server/dist/brain.mjs'],
  [`${process.cwd()}/my tools/brain.mjs`, "node 'my tools/brain.mjs'"],
])('says how to start %s again', (script, command) => {
  expect(commandFor(script)).toBe(command);
});

it.each([
  ['/usr/local/bin/brain', 'brain'],
  ['/usr/local/bin/brain-server', 'brain-server'],
  ['/home/a/node_modules/.bin/brain', '/usr/bin/node /home/a/node_modules/.bin/brain'],
  ['dist/brain.mjs', `/usr/bin/node ${process.cwd()}/dist/brain.mjs`],
  ['/my tools/brain.mjs', "/usr/bin/node '/my tools/brain.mjs'"],
])('says how others start %s, wherever they are', (script, command) => {
  const program = absoluteCommand(script, '/usr/bin/node');
  expect(program).toEqual(['/usr/bin/node', path.resolve(script)]);
  expect(portableCommand({ command: commandFor(script), program }, 'linux')).toBe(command);
});

it('says it so that the shells of Windows take it', () => {
  const program = ['C:\\Program Files\\nodejs\\node.exe', 'C:\\my tools\\brain.mjs'];
  expect(portableCommand({ command: 'node brain.mjs', program }, 'win32')).toBe(
    'node "C:\\my tools\\brain.mjs"',
  );
});
