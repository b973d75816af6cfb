import { generateKeyPairSync } from 'node:crypto';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { TokenFile } from '../../../src/adapters/host/token-file';
import { brainCommand } from '../../support/command-line';
import { type LiveServer, startLiveServer } from '../../support/live-server';
import { withTempFolder } from '../../support/temp-folder';

const MTU = 'wiki/net/facts/mtu.md';
let server: LiveServer;
beforeAll(async () => {
  server = await startLiveServer({
    [MTU]: '# MTU\n\nIt is 1420.\n',
    'wiki/net/facts/empty-words.md': '# Words\n',
    'raw/2026-11-19-drop.md': '---\norigin: watcher\nwritten_by: watcher via passthrough\n---\n# Drop\n',
    'raw/2026-11-20-half.md': '---\nwing: net\norigin: http\nwritten_by: watcher-bot\n---\n# Half\n',
  });
});
afterAll(() => server.stop());

/** Made for nobody; only what it says of its key is looked at. */
const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBbDCCAROgAwIBAgIUKuub16mreWAriBgerm5FKaCTNHswCgYIKoZIzj0EAwIw
DDEKMAgGA1UEAwwBeDAeFw0yNjExMjMyMjQ0MjVaFw0yNjEyMjMyMjQ0MjVaMAwx
CjAIBgNVBAMMAXgwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAASRS1gkBv7YMzNe
5SYKJTK35WbXTx4UQBST/6j3Z5dSMTKNF5YWaMv6ssWFdaYoiCIJgmkvIYUx4LOe
OOViF+xho1MwUTAdBgNVHQ4EFgQU3S+fQ6pef0j3TTcoBmrUusb8TiYwHwYDVR0j
BBgwFoAU3S+fQ6pef0j3TTcoBmrUusb8TiYwDwYDVR0TAQH/BAUwAwEB/zAKBggq
hkjOPQQDAgNHADBEAiBKmLN+nOvEQE2l5yQOuEw1H0uVvR8CIWLdEuXHHPeEZgIg
RXkYe64YxzC2vUljYzHFgNBtBVyDSrKFwSAk10rH4bY=
-----END CERTIFICATE-----
`;

const brain = (
  args: readonly string[],
  { input = '', env = {} }: { input?: string; env?: Record<string, string> } = {},
) =>
  brainCommand(args, {
    // A server takes no token that is as short as that of the fake service.
    env: { BRAIN_URL: server.url, ...(args[0] !== 'serve' && { BRAIN_TOKEN: 'owner' }), ...env },
    input,
  });

describe('with --json', () => {
  it("is the service's own answer on standard output, and the sentence on standard error", async () => {
    const { code, out, err } = await brain(
      ['update', MTU, '--reason', 'x', '--expected-hash', '0'.repeat(64), '--json'],
      {
        input: 'It is 1380.',
      },
    );
    expect(code).toBe(1);
    expect(JSON.parse(out)).toEqual({
      error: {
        code: 'hash_mismatch',
        message: expect.any(String),
        details: expect.objectContaining({ content_hash: expect.stringMatching(/^[0-9a-f]{64}$/) }),
        request_id: expect.any(String),
      },
    });
    expect(err).toMatch(/^brain: .+ \(hash_mismatch\)\n$/);
    expect((await brain(['--json', 'get', 'wiki/none.md'])).out).toContain('"note_not_found"');
  });

  it.each<[string, string[], Record<string, string>, number, string]>([
    ['wrong usage', ['get'], {}, 2, 'usage'],
    ['an option that does not exist', ['query', 'x', '--wings', 'y'], {}, 2, 'usage'],
    ['a command that does not exist', ['qery'], {}, 2, 'usage'],
    ['a missing argument', ['write', 'net'], {}, 2, 'usage'],
    ['no command at all', [], {}, 2, 'usage'],
    ['an address that is none', ['pending'], { BRAIN_URL: 'nonsense' }, 2, 'usage'],
    ['a server that does not run', ['pending'], { BRAIN_URL: 'http://127.0.0.1:1' }, 1, 'unreachable'],
    ['a file that does not exist', ['write', 'net', 'facts', 'x', '--file', '/none'], {}, 1, 'failed'],
    ['a vault without an audit log', ['audit', 'verify', '--vault', '/none'], {}, 1, 'failed'],
    ['a setting that cannot be used', ['serve'], { BRAIN_PORT: 'abc' }, 1, 'failed'],
    ['a token that is not known', ['pending'], { BRAIN_TOKEN: 'wrong' }, 1, 'unauthorized'],
  ])('is one object for %s', async (_, args, env, expected, code) => {
    for (const asked of [
      [...args, '--json'],
      ['--json', ...args],
    ]) {
      const { out, err, ...ended } = await brain(asked, { env });
      expect(ended.code).toBe(expected);
      expect(JSON.parse(out)).toMatchObject({ error: { code, message: expect.stringMatching(/\w/) } });
      expect(out.trimEnd()).not.toContain('\n');
      expect(err).toMatch(/\w/);
    }
    expect((await brain(args, { env })).out).toBe('');
  });

  it('is one object of an answer that tells of failures', async () => {
    const { code, out, err } = await brain(['promote', '--suggested', 'raw/none.md', '--json']);
    expect([code, JSON.parse(out)]).toMatchObject([1, { failed: [{ path: 'raw/none.md' }] }]);
    expect(err).toBe('brain: 1 note could not be promoted.\n');
  });

  it('is JSON of commands that ask no service too', () =>
    withTempFolder(async (root) => {
      const env = { BRAIN_CONFIG_DIR: path.join(root, 'config'), BRAIN_VAULT: path.join(root, 'vault') };
      const json = async (...args: string[]): Promise<unknown> =>
        JSON.parse((await brain([...args, '--json'], { env })).out);
      await brain(['token', 'add', 'intern'], { env });
      expect(await json('token', 'revoke', 'intern')).toEqual({ name: 'intern', revoked: true });
      expect(await json('token', 'show')).toEqual({ token: 'owner' });
      mkdirSync(path.join(root, 'vault/.brain/audit'), { recursive: true });
      writeFileSync(path.join(root, 'vault/.brain/audit/2026-11.ab12cd34.jsonl'), 'torn\n');
      const [{ problem }] = [{ problem: expect.any(String) }];
      expect(await json('audit', 'verify')).toEqual({
        files: ['audit/2026-11.ab12cd34.jsonl'],
        lines: 1,
        problem_count: 1,
        problems: [{ file: 'audit/2026-11.ab12cd34.jsonl', line: 1, problem }],
      });
    }));
});

describe('exit codes', () => {
  it.each<[string, string[], RegExp]>([
    ['a vault without a name', ['--vault='], /^brain: The folder in --vault is empty\. Name the folder/],
    ['a port that is no number', ['--port', 'abc'], /^brain: --port is "abc"\. Use a whole number/],
    ['a port below all', ['--port', '-1'], /^brain: --port is "-1"\./],
    ['a port above all', ['--port', '70000'], /^brain: --port is "70000"\./],
    ['a certificate without its key', ['--tls-cert', 'x.pem'], /^brain: HTTPS needs both/],
    ['a key without its certificate', ['--tls-key', 'x.pem'], /^brain: HTTPS needs both/],
  ])('2 of serve for %s', (_, args, message) =>
    withTempFolder(async (root) => {
      const vault = path.join(root, 'vault');
      const { code, out, err } = await brain(['serve', '--vault', vault, ...args]);
      expect([code, out, err]).toEqual([2, '', expect.stringMatching(message)]);
      expect(existsSync(vault)).toBe(false);
    }),
  );

  it('1 of serve for a variable that cannot be used, and for a certificate that cannot be read', () =>
    withTempFolder(async (root) => {
      const serve = ['serve', '--create', '--vault', path.join(root, 'vault'), '--port', '0'];
      expect(await brain(serve, { env: { BRAIN_HOST: '0.0.0.0', BRAIN_AUTH: 'off' } })).toMatchObject({
        code: 1,
      });
      expect(await brain(serve.slice(0, 4), { env: { BRAIN_PORT: 'abc' } })).toMatchObject({ code: 1 });
      const pem = path.join(root, 'x.pem');
      expect(await brain([...serve, '--tls-cert', pem, '--tls-key', pem])).toEqual({
        code: 1,
        out: '',
        err: `brain: ${pem} cannot be read: there is no such file.\n`,
      });
    }));

  it('2 of audit verify for a vault without a name', async () => {
    expect(await brain(['audit', 'verify', '--vault', ''])).toMatchObject({ code: 2, out: '' });
  });

  it('1 of serve for a certificate or a key that is none, naming file and flag', () =>
    withTempFolder(async (root) => {
      const at = (name: string) => path.join(root, name);
      const { privateKey } = generateKeyPairSync('ed25519', {
        publicKeyEncoding: { type: 'spki', format: 'pem' },
        privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
      });
      writeFileSync(at('note.md'), '# No PEM\n');
      writeFileSync(at('cert.pem'), CERTIFICATE);
      writeFileSync(at('key.pem'), privateKey);
      const vault = at('vault');
      const tried = async (cert: string, key: string) =>
        brain(['serve', '--vault', vault, '--port', '0', '--tls-cert', at(cert), '--tls-key', at(key)]);
      expect(await tried('note.md', 'key.pem')).toEqual({
        ...{ code: 1, out: '' },
        err: `brain: ${at('note.md')} (--tls-cert) holds no certificate in PEM.\n`,
      });
      expect((await tried('cert.pem', 'note.md')).err).toBe(
        `brain: ${at('note.md')} (--tls-key) holds no private key in PEM that can be read without a passphrase.\n`,
      );
      expect((await tried('cert.pem', 'key.pem')).err).toBe(
        `brain: ${at('key.pem')} (--tls-key) is not the key of the certificate in ${at('cert.pem')} (--tls-cert).\n`,
      );
      expect(existsSync(vault)).toBe(false);
    }));

  it('1 where a file stands in the way of the tokens or of the database, naming the variable', () =>
    withTempFolder(async (root) => {
      const file = path.join(root, 'note.md');
      writeFileSync(file, '# In the way\n');
      const config = { BRAIN_CONFIG_DIR: path.join(file, 'config') };
      for (const args of [
        ['token', 'list'],
        ['serve', '--create', '--vault', path.join(root, 'vault'), '--port', '0'],
      ]) {
        const { code, err } = await brain(args, { env: config });
        expect([code, err]).toEqual([
          1,
          expect.stringMatching(/a file stands .* Set BRAIN_CONFIG_DIR to .*\.\n$/),
        ]);
      }
    }));

  it('1 where this user may not have the folder of the tokens', () =>
    withTempFolder(async (root) => {
      const denied = Object.assign(new Error('EACCES: permission denied, open'), { code: 'EACCES' });
      const spy = jest.spyOn(TokenFile, 'open').mockRejectedValue(denied);
      const { code, err } = await brain(['token', 'list'], { env: { BRAIN_CONFIG_DIR: root } });
      spy.mockRestore();
      expect([code, err]).toEqual([
        1,
        `brain: ${root}, where tokens are kept, cannot be read and written. Set BRAIN_CONFIG_DIR to a folder of yours.\n`,
      ]);
    }));

  it.each([
    ['/no/such', 'there is no such file.'],
    ['/', 'it is a folder.'],
  ])('1 of write for the file %s, in plain words', async (file, why) => {
    const { code, err } = await brain(['write', 'net', 'facts', 'x', '--file', file]);
    expect([code, err]).toEqual([1, `brain: ${file} cannot be read: ${why}\n`]);
  });
});

describe('the words', () => {
  it('name options where the service names fields', async () => {
    const { err } = await brain(['write', 'net', 'facts', 'mtu'], { input: 'It is 1380.' });
    expect(err).toContain('or set --overwrite to replace it. (note_exists)');
    const plan = ['undo', '--by', 'nobody', '--since', '1h', '--apply', '--plan', '0'.repeat(64)];
    expect((await brain(plan)).err).toMatch(
      /Look again without --apply, and give the --plan of that list\. \(hash_mismatch\)\n$/,
    );
  });

  it.each<[string[], RegExp]>([
    [['query', 'x', '--hall', 'rumours'], /^brain: --hall must be one of: facts, /],
    [['write', 'net', 'rumours', 'x'], /^brain: <hall> must be one of: facts, /],
    [['query', 'x', '--limit', '0'], /^brain: --limit must be at least 1/],
    [['query', ' '], /empty_query/],
    [['history', 'raw/../../x'], /path_not_allowed/],
    [['write', 'net', 'facts', 'x', '--applies', 'local'], /--claim-provenance/],
    [['update', MTU, '--reason', ' '], /^brain: --reason/],
  ])('name flags and arguments: %j', async (args, message) => {
    const { err } = await brain(args, { input: 'text' });
    expect(err).toMatch(message);
    expect(err.replace(/\(\w+\)\n$/, '')).not.toMatch(/"\w+" (?:must|is)|claim_provenance/);
  });

  it('name flags in JSON too, where the rest is as the service gave it', async () => {
    const { out } = await brain(['query', 'x', '--hall', 'rumours', '--json']);
    expect(JSON.parse(out)).toEqual({
      error: {
        code: 'invalid_hall',
        message: expect.stringMatching(/^--hall must be one of: facts, /),
        details: { field: 'hall', allowed: expect.arrayContaining(['facts']) },
        request_id: expect.any(String),
      },
    });
  });

  it('keep names that a person has given', async () => {
    const { err } = await brain(['list', 'status']);
    expect(err).toContain('There is no wing "status".');
  });

  it('of the review queue say only what is known, and once', async () => {
    const { out } = await brain(['pending']);
    expect(out).toMatch(/\n {2}\d+ d old · by watcher via passthrough\n/);
    expect(out).toContain('  suggested: slug drop\n');
    expect(out).toMatch(/\n {2}\d+ d old · by watcher-bot via http\n/);
    expect(out).toContain('  suggested: wing net, slug half\n');
  });

  it('of a result without an excerpt or facts are no empty lines', async () => {
    const { out } = await brain(['query', 'words']);
    expect(out.split('\n').filter((line) => line.trim() === '')).toEqual(['']);
    expect(out).toContain('wiki/net/facts/empty-words.md');
  });
});
