import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { BRAIN, Sandbox, type ServerProcess } from './brain-process';
import { notOn } from '../support/systems';

jest.setTimeout(120_000); // A test starts up to twelve programs.

const fullDisk = notOn(['win32', 'darwin'], 'there is no /dev/full');

const sandbox = new Sandbox();
let server: ServerProcess;
let env: Record<string, string>;

beforeAll(async () => {
  server = await sandbox.serve();
  env = { BRAIN_URL: server.url };
});
afterAll(() => sandbox.remove());

const brain = (args: readonly string[], input?: string | Buffer) =>
  sandbox.run(args, { env, ...(input !== undefined && { input }) });
const onDisk = (at: string) => readFileSync(path.join(sandbox.vault, at), 'utf8');

describe('the life of a note', () => {
  it('is written from standard input, with its frontmatter', async () => {
    const { code, stdout, stderr } = await brain(
      ['write', 'homelab', 'facts', 'mtu', '--half-life', 'durable', '--claim-provenance', 'asserted'],
      '# WireGuard MTU\n\nThe tunnel needs 1412 bytes. See [[nowhere]].\n',
    );
    expect(stderr).toBe('');
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^Wrote wiki\/homelab\/facts\/mtu\.md\n {2}hash: [0-9a-f]{64}\n {2}unlinked: nowhere \(no such note\)\n$/,
    );
    const text = onDisk('wiki/homelab/facts/mtu.md');
    expect(text).toMatch(
      /^---\nwing: homelab\nhall: facts\ncreated_at: \S+Z\nsource_type: internal\nhalf_life: durable\n/,
    );
    expect(text).toMatch(/\norigin: http\nwritten_by: owner \(brain-cli\/0\.1\.0\)\n/);
  });

  it('is written from a file', async () => {
    const file = path.join(sandbox.folder, 'decision.md');
    writeFileSync(file, '# Backups with restic\n\nEvery night.\n');
    const { code, stdout } = await brain(['write', 'homelab', 'decisions', 'backup', '--file', file]);
    expect([code, stdout]).toEqual([0, expect.stringContaining('Wrote wiki/homelab/decisions/backup.md')]);
  });

  it('is not written by a dry run', async () => {
    const { code, stdout } = await brain(['write', 'homelab', 'facts', 'dry', '--dry-run'], 'text');
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(/^Would write wiki\/homelab\/facts\/dry\.md\n/),
    ]);
    expect(readdirSync(path.join(sandbox.vault, 'wiki/homelab/facts'))).toEqual(['mtu.md']);
  });

  it('is found', async () => {
    const { stdout } = await brain(['query', 'tunnel', 'mtu', '--wing', 'homelab']);
    expect(stdout).toMatch(
      /^1\. WireGuard MTU\n {3}wiki\/homelab\/facts\/mtu\.md\n {3}The tunnel needs 1412 bytes/,
    );
    expect(stdout).toContain('facts in homelab · by owner (brain-cli/0.1.0) via http');
    expect((await brain(['query', 'zeppelin'])).stdout).toBe(
      'No notes match. 2 notes were searched.\nNo note holds "zeppelin".\n',
    );
  });

  it('is read, by path and by hash, as a whole and as a body', async () => {
    const { stdout } = await brain(['get', 'wiki/homelab/facts/mtu.md']);
    const hash = /hash: ([0-9a-f]{64})/.exec(stdout)?.[1] ?? '';
    expect(stdout).toMatch(/^wiki\/homelab\/facts\/mtu\.md {2}WireGuard MTU\n {2}wiki · by owner/);
    const body = '# WireGuard MTU\n\nThe tunnel needs 1412 bytes. See nowhere.\n';
    expect((await brain(['get', 'wiki/homelab/facts/mtu.md', '--body'])).stdout).toBe(body);
    expect((await brain(['get', '--hash', hash, '--body'])).stdout).toBe(body);
  });

  it('is updated with a reason', async () => {
    const { code, stdout } = await brain(
      ['update', 'wiki/homelab/facts/mtu.md', '--reason', 'measured'],
      '# MTU\n\n1420.\n',
    );
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^Updated wiki\/homelab\/facts\/mtu\.md\n {2}hash: \S{64}\n {2}supersedes: \S{64}\n$/,
    );
    expect(onDisk('wiki/homelab/facts/mtu.md')).toContain('supersede_reason: measured\n');
  });

  it('shows in the map of its wing', async () => {
    expect((await brain(['index', 'homelab'])).stdout).toBe('wiki/homelab/_index.md  2 notes, up to date\n');
  });
});

describe('the review queue', () => {
  const drop = (name: string, text: string) => {
    mkdirSync(path.join(sandbox.vault, 'raw'), { recursive: true });
    writeFileSync(path.join(sandbox.vault, 'raw', name), text);
  };
  /** A file that was dropped by hand is seen when the system reports it. */
  const seen = async (name: string) => {
    for (;;) {
      const { stdout } = await brain(['pending']);
      if (stdout.includes(name)) return stdout;
    }
  };

  it('is empty, then lists what was dropped there', async () => {
    expect((await brain(['pending'])).stdout).toBe('Nothing awaits review.\n');
    drop('2026-11-16-router.md', '---\nwing: homelab\nhall: facts\n---\n# Router\n\nFirmware 7.21.\n');
    const stdout = await seen('router');
    expect(stdout).toMatch(/^1 note to review\nraw\/2026-11-16-router\.md {2}Router\n/);
    expect(stdout).toContain('  Firmware 7.21.\n  suggested: homelab/facts/router\n');
  });

  it('lets a note be promoted', async () => {
    const args = ['promote', 'raw/2026-11-16-router.md', '--wing', 'homelab', '--hall', 'facts'];
    expect((await brain([...args, '--dry-run'])).stdout).toContain('Would promote raw/2026-11-16-router.md');
    const { code, stdout } = await brain(args);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Promoted raw\/2026-11-16-router\.md to wiki\/homelab\/facts\/router\.md\n/);
    expect((await brain(args)).code).toBe(1);
  });

  it('lets a note be rejected', async () => {
    drop('2026-11-17-rumour.md', '# Rumour\n\nSomeone said so.\n');
    await seen('rumour');
    const outdated = ['raw/2026-11-17-rumour.md', '--expected-hash', '0'.repeat(64)];
    for (const decision of [
      ['reject', ...outdated],
      ['promote', ...outdated, '--wing', 'homelab', '--hall', 'facts'],
    ]) {
      expect(await brain(decision)).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/\(hash_mismatch\)\n$/),
      });
    }
    const { code, stdout } = await brain(['reject', 'raw/2026-11-17-rumour.md', '--reason', 'no source']);
    expect([code, stdout]).toEqual([
      0,
      'Rejected raw/2026-11-17-rumour.md\n  kept as: raw/rejected/2026-11-17-rumour.md\n',
    ]);
    expect(onDisk('raw/rejected/2026-11-17-rumour.md')).toContain('reject_reason: no source\n');
  });
});

describe('tunnels', () => {
  it('join notes of other wings, as a dry run says beforehand', async () => {
    await brain(['write', 'office', 'facts', 'router'], '# The router of the office\n');
    const dug = 'wiki/homelab/facts/router.md\n  tunnel: wiki/office/facts/router.md (room)\n';
    const dry = await brain(['tunnels', '--wing', 'homelab', '--dry-run']);
    expect([dry.code, dry.stdout]).toEqual([0, `1 note, 1 would change\n${dug}`]);
    expect(onDisk('wiki/homelab/facts/router.md')).not.toContain('tunnels:');
    expect((await brain(['tunnels'])).stdout).toBe(`1 note, 1 changed\n${dug}`);
    expect(onDisk('wiki/homelab/facts/router.md')).toContain('[[wiki/office/facts/router|');
    expect((await brain(['tunnels'])).stdout).toBe('1 note, 0 changed\n');
    expect((await brain(['tunnels', '--wing', 'nowhere'])).stderr).toMatch(/\(invalid_wing\)\n$/);
  });
});

describe('output', () => {
  it("is the service's own JSON with --json, before or after the command", async () => {
    const after = JSON.parse((await brain(['query', 'mtu', '--json'])).stdout);
    expect(after).toMatchObject({ query: 'mtu', mode: 'bm25', degraded: false, count: 1 });
    expect(JSON.parse((await brain(['--json', 'query', 'mtu'])).stdout)).toEqual(after);
  });

  it('says that there is no pass rate without data, and keeps the null in JSON', async () => {
    const { stdout } = await brain(['pass-rate', '--window', '24h']);
    expect(stdout).toBe('all skills, last 24h: no data\n  0 pass, 0 fail, 0 skip, 0 unknown\n');
    expect(JSON.parse((await brain(['pass-rate', '--json'])).stdout)).toMatchObject({
      pass_rate: null,
      window: '7d',
    });
  });

  it('holds no control characters of a note when a person reads it', async () => {
    await brain(['write', 'homelab', 'facts', 'escape'], '# Red\n\nA \u001b[31mred\u001b[0m zebra.\n');
    const { stdout } = await brain(['query', 'zebra']);
    expect(stdout).toContain('zebra');
    expect(stdout).not.toContain('\u001b');
  });
});

describe('exit codes', () => {
  const note = 'wiki/homelab/facts/mtu.md';
  it.each<[string, string[], number, RegExp]>([
    ['the version', ['--version'], 0, /^$/],
    ['help', ['help', 'write'], 0, /^$/],
    ['an address that is taken', ['write', 'homelab', 'facts', 'mtu'], 1, /^brain: .+ \(note_exists\)\n$/s],
    ['a hall that does not exist', ['write', 'homelab', 'rumours', 'x'], 1, /facts.+\(invalid_hall\)\n$/s],
    ['a wing that is a path', ['write', '../up', 'facts', 'x'], 1, /\(invalid_wing\)\n$/],
    [
      'half an envelope',
      ['write', 'homelab', 'facts', 'x', '--applies', 'local'],
      1,
      /\(invalid_envelope\)\n$/,
    ],
    ['a note that does not exist', ['get', 'wiki/none.md'], 1, /\(note_not_found\)\n$/],
    ['an update of nothing', ['update', 'wiki/none.md', '--reason', 'x'], 1, /\(note_not_found\)\n$/],
    [
      'an outdated hash',
      ['update', note, '--reason', 'x', '--expected-hash', '0'.repeat(64)],
      1,
      /\(hash_mismatch\)\n$/,
    ],
    [
      'a promotion of nothing',
      ['promote', 'raw/none.md', '--wing', 'a', '--hall', 'facts'],
      1,
      /\(source_missing\)\n$/,
    ],
    ['a window that is none', ['pass-rate', '--window', '7w'], 1, /\(invalid_window\)\n$/],
    ['a wing without notes', ['index', 'nowhere'], 1, /\(invalid_wing\)\n$/],
    ['no command', [], 2, /^Usage: brain/],
    ['a command that does not exist', ['qery', 'x'], 2, /unknown command 'qery'\n\(Did you mean query\?\)\n/],
    [
      'an option that does not exist',
      ['query', 'x', '--wings', 'y'],
      2,
      /unknown option '--wings'\n\(Did you mean --wing\?\)\n/,
    ],
    ['a missing argument', ['write', 'homelab', 'facts'], 2, /missing required argument 'slug'/],
    ['an argument too many', ['pending', 'now'], 2, /too many arguments/],
    ['a limit that is no number', ['query', 'x', '--limit', 'few'], 2, /It must be a whole number/],
    ['neither path nor hash', ['get'], 2, /^brain: Give either a path or --hash\.\n$/],
    ['path and hash', ['get', note, '--hash', '0'.repeat(64)], 2, /either a path or --hash/],
    ['an update without a reason', ['update', note], 2, /required option '--reason/],
    [
      'a file that cannot be read',
      ['write', 'a', 'facts', 'b', '--file', '/none'],
      1,
      /^brain: \/none cannot be read: there is no such file\.\n$/,
    ],
    ['a scope that does not exist', ['token', 'add', 'x', '--scopes', 'all'], 2, /Scopes are read, propose/],
    ['a token name that is taken', ['token', 'add', 'owner'], 2, /taken by the service/],
  ])('for %s', async (_, args, expected, message) => {
    const { code, stderr, stdout } = await brain(args, 'text\n');
    expect(stderr).toMatch(message);
    expect(code).toBe(expected);
    if (expected !== 0) expect(stdout).toBe('');
  });

  it('for bytes that are not UTF-8', async () => {
    const { code, stderr } = await brain(['write', 'a', 'facts', 'b'], Buffer.from([0xff, 0xfe, 0x41]));
    expect([code, stderr]).toEqual([2, 'brain: Standard input is not UTF-8 text.\n']);
  });

  it('for an address that is none', async () => {
    const { code, stderr } = await sandbox.run(['pending'], { env: { BRAIN_URL: 'localhost:27246' } });
    expect(code).toBe(2);
    expect(stderr).toContain('BRAIN_URL is "localhost:27246"');
  });

  it('for a server that does not run', async () => {
    const { code, stderr } = await sandbox.run(['pending'], { env: { BRAIN_URL: 'http://127.0.0.1:1' } });
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /^brain: No server at http:\/\/127\.0\.0\.1:1\. Start it with: .*serve --vault <dir>\n$/,
    );
  });

  it('for a token that the server does not know', async () => {
    const { code, stderr } = await sandbox.run(['pending'], { env: { ...env, BRAIN_TOKEN: 'wrong' } });
    expect(code).toBe(1);
    expect(stderr).toMatch(/The server does not know the token that was sent.* \(unauthorized\)\n$/s);
  });

  it('for no token at all', async () => {
    const nobody = { ...env, BRAIN_CONFIG_DIR: path.join(sandbox.folder, 'nobody') };
    const { code, stderr } = await sandbox.run(['pending'], { env: nobody });
    expect(code).toBe(1);
    expect(stderr).toContain('No token was found here: set BRAIN_TOKEN.');
  });
});

describe('tokens', () => {
  it('act on the running server at once', async () => {
    const added = await brain(['token', 'add', 'reader', '--scopes', 'read']);
    expect(added.stdout).toMatch(/^[\w-]{43}\n$/);
    expect(added.stderr).toContain('Token "reader" may: read. It is shown only now.');
    const reader = { env: { ...env, BRAIN_TOKEN: added.stdout.trim() }, input: 'text' };
    expect((await sandbox.run(['query', 'mtu'], reader)).code).toBe(0);
    const write = await sandbox.run(['write', 'a', 'facts', 'b'], reader);
    expect(write.code).toBe(1);
    expect(write.stderr).toContain('(forbidden_scope)');
    expect((await brain(['token', 'revoke', 'reader'])).code).toBe(0);
    expect((await brain(['token', 'revoke', 'reader'])).code).toBe(1);
  });

  it('in quarantine may read and propose, and what they write waits in raw/', async () => {
    const added = await brain(['token', 'add', 'intern', '--quarantine']);
    expect(added.stderr).toContain('Token "intern" may: read, propose.');
    const intern = { env: { ...env, BRAIN_TOKEN: added.stdout.trim() }, input: '# Quarantined\n\ntext' };
    const written = await sandbox.run(['write', 'a', 'facts', 'quarantined', '--json'], intern);
    expect(JSON.parse(written.stdout)).toMatchObject({ path: expect.stringMatching(/^raw\//), wing: 'a' });
    const both = await brain(['token', 'add', 'x', '--quarantine', '--scopes', 'write']);
    expect(both.code).toBe(2);

    const seen = await brain(['undo', '--by', 'intern', '--since', '1h']);
    expect(seen.stdout).toContain('Nothing to undo of intern');
    expect(seen.stdout).toContain('waits in the review queue already');
    expect((await brain(['token', 'revoke', 'intern'])).code).toBe(0);
    expect((await brain(['reject', JSON.parse(written.stdout).path])).code).toBe(0);
  });

  it('of a person decide under the name of that person', async () => {
    const added = await brain(['token', 'add', 'ada', '--human']);
    expect(added.stderr).toBe(
      'Token "ada" may: read, write, review. What is done with it is signed "human:ada", except over MCP. It is shown only now.\n',
    );
    const ada = { env: { ...env, BRAIN_TOKEN: added.stdout.trim() }, input: '# By Ada\n\ntext' };
    const { path } = JSON.parse((await sandbox.run(['capture', '--json'], ada)).stdout);
    expect(await sandbox.run(['confirm', path], ada)).toMatchObject({ code: 0, stderr: '' });
    const { decisions } = JSON.parse((await brain(['decisions', '--json'])).stdout);
    expect(decisions[0]).toMatchObject({ kind: 'confirmed', by: 'human:ada' });
    expect((await brain(['token', 'list'])).stdout).toMatch(/^ada +human:ada +read write review +all +all /m);
    expect((await brain(['token', 'add', 'x', '--human', '--quarantine'])).code).toBe(2);
    expect((await brain(['token', 'revoke', 'ada'])).code).toBe(0);
  });

  it('see what they are given, and write where they may', async () => {
    const add = ['token', 'add', 'guest', '--read', 'wiki/a, knowledge', '--write-wings', 'A'];
    const added = await brain(add);
    expect(added.stderr).toContain(
      'Token "guest" may: read, write. It reads only wiki/a, knowledge. It writes only into a. It is shown only now.',
    );
    const guest = { env: { ...env, BRAIN_TOKEN: added.stdout.trim() }, input: '# Guest\n\nA guest writes.' };
    expect((await sandbox.run(['write', 'a', 'facts', 'guest'], guest)).code).toBe(0);
    const refused = await sandbox.run(['write', 'b', 'facts', 'guest'], guest);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toMatch(
      /may not write into the wing "b".*the wings a and no other.*forbidden_scope/s,
    );
    const found = JSON.parse((await sandbox.run(['query', 'guest', '--json'], guest)).stdout);
    expect(found.results.map(({ path }: { path: string }) => path)).toEqual(['wiki/a/facts/guest.md']);
    expect((await brain(['token', 'list'])).stdout).toMatch(
      /^guest +guest +read write +wiki\/a,knowledge +a +\S+Z /m,
    );
    const { tokens } = JSON.parse((await brain(['token', 'list', '--json'])).stdout);
    expect(tokens.find(({ name }: { name: string }) => name === 'guest')).toMatchObject({
      read: ['wiki/a', 'knowledge'],
      write_wings: ['a'],
    });
    expect((await brain(['token', 'revoke', 'guest'])).code).toBe(0);
    for (const [flag, value, problem] of [
      ['--read', '../x', /"\.\.\/x" cannot be read/],
      ['--read', ',', /Name at least one folder or file/],
      ['--write-wings', 'wiki/a', /is no wing/],
    ] as const) {
      const { code, stderr } = await brain(['token', 'add', 'x', flag, value]);
      expect([code, stderr]).toEqual([2, expect.stringMatching(problem)]);
    }
  });

  it('are listed without their text', async () => {
    const { stdout } = await brain(['token', 'list']);
    const owner = (await brain(['token', 'show'])).stdout.trim();
    expect(stdout).toMatch(
      /^NAME {4}WRITES AS +SCOPES +READS +WRITES INTO +MADE +LAST USED\nbridge +bridge +read write +all +all +\S+Z +/,
    );
    expect(stdout).not.toContain(owner);
    const { tokens } = JSON.parse((await brain(['token', 'list', '--json'])).stdout);
    expect(tokens.map((token: { name: string }) => token.name)).toEqual(['bridge', 'owner']);
  });

  it('shown is the one that the command line sends', async () => {
    const { stdout } = await sandbox.run(['token', 'show'], { env: { BRAIN_TOKEN: 'mine' } });
    expect(stdout).toBe('mine\n');
  });
});

describe('undo', () => {
  it('says what would happen, does it when told, lists it and takes it back', async () => {
    const { stdout: token } = await brain(['token', 'add', 'rogue']);
    const rogue = { env: { ...env, BRAIN_TOKEN: token.trim() }, input: '# Rogue\n\nPay.' };
    expect((await sandbox.run(['write', 'net', 'facts', 'rogue'], rogue)).code).toBe(0);
    const ask = ['undo', '--by', 'rogue', '--since', '1h'];
    const seen = await brain(ask);
    expect(seen.stdout).toMatch(
      /^Would undo 1 note of rogue since .*:\n {2}wiki\/net\/facts\/rogue\.md -> raw\//,
    );
    const plan = /--apply --plan ([0-9a-f]{64})/.exec(seen.stdout)?.[1] ?? '';
    expect((await brain([...ask, '--apply', '--plan', '0'.repeat(64)])).stderr).toContain('(hash_mismatch)');
    const done = await brain([...ask, '--apply', '--plan', plan]);
    const name = /Take it back with: node \S*brain\.mjs undo back (\S+)\n$/.exec(done.stdout)?.[1] ?? '';
    expect((await brain(['get', 'wiki/net/facts/rogue.md'])).code).toBe(1);
    expect((await brain(['undo', 'list'])).stdout).toMatch(new RegExp(`^${name} .*rogue since .*by owner`));
    const back = await brain(['undo', 'back', name]);
    expect(back.stdout).toContain('1 note as before the undo');
    expect((await brain(['get', 'wiki/net/facts/rogue.md'])).code).toBe(0);
    const again = await brain([...ask, '--apply', '--json']);
    expect(JSON.parse(again.stdout)).toMatchObject({ count: 1, items: [{ action: 'queue' }] });
    expect((await brain(['undo', '--by', 'rogue'])).code).toBe(2);
    expect((await brain(['undo', '--by', 'rogue', '--since', 'then'])).code).toBe(1);
  });
});

describe('the audit chain', () => {
  it('is checked without a server', async () => {
    const { code, stdout } = await sandbox.run(['audit', 'verify', '--vault', sandbox.vault]);
    expect([code, stdout]).toEqual([0, '0 lines in 1 file\n']);
  });

  it('is refused for a folder without one', async () => {
    const { code, stderr } = await sandbox.run(['audit', 'verify']);
    expect(code).toBe(1);
    expect(stderr).toContain('holds no audit files');
  });
});

fullDisk.describe('output that cannot be written', () => {
  /** Runs the program with its standard output on a disk without any room. */
  const onFullDisk = async (args: readonly string[]) => {
    const full = openSync('/dev/full', 'w');
    const child = spawn(process.execPath, [BRAIN, ...args], {
      env: { ...sandbox.env, ...env },
      stdio: ['ignore', full, 'pipe'],
    });
    closeSync(full);
    let stderr = '';
    child.stderr?.setEncoding('utf8').on('data', (chunk: string) => (stderr += chunk));
    const code = await new Promise((resolve) => child.once('close', resolve));
    return { code, stderr };
  };

  it.each([[['--help']], [['pending']], [['pending', '--json']], [['token', 'list']]])(
    'is one sentence and exit code 1 (%j)',
    async (args) => {
      expect(await onFullDisk(args)).toEqual({
        code: 1,
        stderr: 'brain: The output could not be written: no space left on device.\n',
      });
    },
  );
});
