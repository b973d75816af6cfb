import { existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import path from 'node:path';
import { notOn } from '../support/systems';
import { Sandbox } from './brain-process';

let sandbox: Sandbox;
beforeEach(() => (sandbox = new Sandbox()));
afterEach(() => sandbox.remove());

it('refuses a vault in which another device writes what it does not understand, and changes nothing there', async () => {
  await (await sandbox.serve()).stop();
  const segment = path.join(sandbox.vault, '.brain/past/other.a1.1.jsonl');
  mkdirSync(path.dirname(segment), { recursive: true });
  writeFileSync(segment, '\n{"v":99,"min_reader":99}\n');
  const { code, stderr } = await sandbox.run(['serve', '--vault', sandbox.vault, '--port', '0']);
  expect([code, stderr]).toEqual([
    1,
    expect.stringContaining('The device other writes the past of this vault'),
  ]);
  expect(stderr).toContain('Update Brain Server on this device');
  rmSync(segment);
  expect((await (await sandbox.serve()).stop()).code).toBe(0);
});

describe('a port that is taken', () => {
  const other = () => path.join(sandbox.folder, 'other');
  /** Starts a second server on the port, with a vault and a configuration folder of its own. */
  const second = (port: string, env: Record<string, string> = {}) =>
    sandbox.run(['serve', '--create', '--vault', other(), '--port', port], { env });

  it('leaves no folder and no file behind, and names the vault of the server there', async () => {
    const first = await sandbox.serve();
    const { port } = new URL(first.url);
    const { code, stdout, stderr } = await second(port);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(
      new RegExp(
        `^brain: Port ${port} on 127\\.0\\.0\\.1 is in use by a Brain Server that serves the vault ${sandbox.vault}\\. Stop it, or choose a free port`,
      ),
    );
    expect(existsSync(other())).toBe(false);
    expect((await (await sandbox.serve(['--vault', other()])).stop()).code).toBe(0);
  });

  it('is told from a vault that is served already', async () => {
    const first = await sandbox.serve();
    const { port } = new URL(first.url);
    const { stderr } = await sandbox.run(['serve', '--create', '--vault', sandbox.vault, '--port', port]);
    expect(stderr).toBe(
      `brain: Port ${port} on 127.0.0.1 is in use by a Brain Server that serves this vault already. Use it at ${first.url}, or stop it first.\n`,
    );
  });

  it('makes no token for a user whom the server there does not know, and keeps its vault to itself', async () => {
    const first = await sandbox.serve();
    const config = path.join(sandbox.folder, 'nobody');
    const { code, stderr } = await second(new URL(first.url).port, { BRAIN_CONFIG_DIR: config });
    expect([code, stderr]).toEqual([1, expect.stringContaining('does not tell this user which vault')]);
    expect(stderr).not.toContain(sandbox.vault);
    expect([existsSync(config), existsSync(other())]).toEqual([false, false]);
  });

  it.each<[string, RequestListener]>([
    ['answers otherwise', (_, res) => void res.end('hello')],
    [
      'claims to be one and is not',
      (_, res) => void res.writeHead(200, { 'X-Brain-API': '1' }).end('no JSON'),
    ],
    ['hangs up', (_, res) => void res.destroy()],
  ])('is another program that %s', async (_, listener) => {
    const web = createServer(listener);
    await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve));
    const address = web.address();
    const port = typeof address === 'object' && address !== null ? String(address.port) : '';
    const { code, stderr } = await second(port);
    await new Promise((resolve) => web.close(resolve));
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining(`Port ${port} on 127.0.0.1 is in use by another program`),
    ]);
    expect(existsSync(other())).toBe(false);
  });
});

describe('a folder that is no place for a vault', () => {
  const inPosix = notOn(['win32'], 'the folders of Windows have other names');

  inPosix.it.each([
    ['/', 'the top of the file system'],
    ['/proc', 'a folder of the system'],
    ['/proc/self/brain', 'a folder of the system'],
    ['/sys/kernel', 'a folder of the system'],
    ['/dev/brain', 'a folder of the system'],
    ['/etc/brain', 'a folder of the system'],
    ['/usr', 'a folder that programs and people share'],
    ['/tmp', 'a folder that programs and people share'],
    ['/tmp/../proc', 'a folder of the system'],
  ])('is refused: %s', async (vault, what) => {
    const { code, stdout, stderr } = await sandbox.run([
      'serve',
      '--create',
      '--vault',
      vault,
      '--port',
      '0',
    ]);
    expect([code, stdout, stderr]).toEqual([
      2,
      '',
      expect.stringContaining(`is ${what}, which is no place for a vault.`),
    ]);
    expect(existsSync(path.join(sandbox.folder, 'config'))).toBe(false);
  });

  inPosix.it('is refused behind a link', async () => {
    const link = path.join(sandbox.folder, 'link');
    symlinkSync('/proc', link);
    const { code, stderr } = await sandbox.run([
      'serve',
      '--vault',
      path.join(link, 'x'),
      '--port',
      '0',
      '--json',
    ]);
    expect([code, stderr]).toEqual([2, expect.stringContaining('a folder of the system')]);
  });

  it('is told of the home folder, which is served all the same', async () => {
    const server = await sandbox.serve([], { HOME: sandbox.vault, USERPROFILE: sandbox.vault });
    expect(server.printed()).toContain('This is your whole home folder.');
    expect((await server.stop()).code).toBe(0);
  });
});

describe('a token that is shown', () => {
  it('is made by a server only: showing it makes no file and no folder', async () => {
    const { code, stdout, stderr } = await sandbox.run(['token', 'show']);
    expect([code, stdout, stderr]).toEqual([1, '', expect.stringContaining('There is no token yet')]);
    expect(existsSync(path.join(sandbox.folder, 'config'))).toBe(false);
    await (await sandbox.serve()).stop();
    expect((await sandbox.run(['token', 'show'])).stdout).toMatch(/^[\w-]{43}\n$/);
  });
});
