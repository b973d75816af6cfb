import { spawn } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Finished, finished, ServerProcess, type Variables } from './brain-process';

/** The package, installed in an empty folder without a network. */
const place = realpathSync(mkdtempSync(path.join(tmpdir(), 'brain-packed-')));
const home = path.join(place, 'empty');
const installed = path.join(home, 'node_modules/brain-server');
const env: Variables = {
  PATH: process.env.PATH ?? '',
  HOME: place,
  TZ: 'UTC',
  BRAIN_CONFIG_DIR: path.join(place, 'config'),
  npm_config_update_notifier: 'false',
};

function run(command: string, args: readonly string[], more: Variables = {}, input = ''): Promise<Finished> {
  const child = spawn(command, args, { cwd: home, env: { ...env, ...more } });
  child.stdin.end(input);
  return finished(child);
}

const npx = (...args: readonly string[]): Promise<Finished> => run('npx', ['--offline', ...args]);

let packing: Finished;
let installing: Finished;

beforeAll(async () => {
  mkdirSync(home);
  // The build has been made by the command that runs these tests.
  const child = spawn('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', place]);
  packing = await finished(child);
  const [archive = ''] = readdirSync(place).filter((name) => name.endsWith('.tgz'));
  installing = await run('npm', [
    'install',
    '--offline',
    '--no-audit',
    '--no-fund',
    path.join(place, archive),
  ]);
}, 120_000);

afterAll(() => rmSync(place, { recursive: true, force: true }));

function megabytes(folder: string): number {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  const sizes = files.map((entry) => statSync(path.join(entry.parentPath, entry.name)).size);
  return sizes.reduce((sum, size) => sum + size, 0) / 1e6;
}

it('holds the program, what it shows and what it reads, and nothing of the plugin or the source', () => {
  const [{ files }]: [{ files: { path: string }[] }] = JSON.parse(packing.stdout);
  const names = files.map((file) => file.path);
  expect(names).toEqual(
    expect.arrayContaining([
      ...['README.md', 'LICENSE', 'CHANGELOG.md', 'SECURITY.md', 'package.json'],
      ...['dist/brain.mjs', 'dist/cmaps/LICENSE', 'dist/cmaps/UniJIS-UCS2-H.bcmap', 'docs/interfaces.md'],
      'sample-vault/AGENTS.md',
    ]),
  );
  const others =
    /^(?:dist\/(?:brain\.mjs|brain\.1|cmaps\/[\w-]+(?:\.bcmap)?)|docs\/.+|sample-vault\/.+|[\w.]+)$/;
  expect(names.filter((name) => !others.test(name))).toEqual([]);
  expect(names.filter((name) => /^main\.|\.ts$/.test(name))).toEqual([]);
});

it('installs without a word of warning, without other packages, in a few megabytes', () => {
  expect(installing).toMatchObject({ code: 0, stderr: '' });
  expect(installing.stdout).toContain('added 1 package');
  expect(readdirSync(path.join(home, 'node_modules')).filter((name) => !name.startsWith('.'))).toEqual([
    'brain-server',
  ]);
  expect(megabytes(installed)).toBeLessThan(10);
});

it('runs under both names with npx', async () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
  expect(await npx('brain-server', '--version')).toMatchObject({ code: 0, stdout: `${version}\n` });
  expect(await npx('brain', '--version')).toMatchObject({ code: 0, stdout: `${version}\n` });
});

it('serves a vault, looks after it and answers MCP over standard input and output', async () => {
  const vault = path.join(place, 'my vault');
  mkdirSync(vault);
  writeFileSync(path.join(vault, 'Router.md'), '# Router\n\nThe router stands in the hall.\n');
  const child = spawn('npx', ['--offline', 'brain-server', 'serve', '--vault', vault, '--port', '0'], {
    cwd: home,
    env,
    // npx does not pass a signal on: the test ends the whole group.
    detached: true,
  });
  const server = await ServerProcess.listening(child);
  try {
    expect(server.printed()).toContain('npx brain-server token add claude');
    const own = { BRAIN_URL: server.url };
    const brain = path.join(home, 'node_modules/.bin/brain');
    expect(await run(brain, ['doctor'], own)).toMatchObject({ code: 0 });
    const found = await run(brain, ['query', 'router', '--json'], own);
    expect(JSON.parse(found.stdout)).toMatchObject({ results: [{ path: 'Router.md' }] });
    const messages = [
      {
        ...{ jsonrpc: '2.0', id: 1, method: 'initialize' },
        params: {
          protocolVersion: '2025-06-18',
          capabilities: {},
          clientInfo: { name: 'a-host', version: '1' },
        },
      },
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      { jsonrpc: '2.0', id: 2, method: 'tools/list' },
    ];
    const input = messages.map((message) => `${JSON.stringify(message)}\n`).join('');
    const bridge = await run(brain, ['mcp'], own, input);
    expect(bridge).toMatchObject({ code: 0, stderr: '' });
    const answers: Record<number, unknown> = Object.fromEntries(
      bridge.stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
        .map((answer) => [answer.id, answer.result]),
    );
    expect(answers[1]).toMatchObject({ serverInfo: { name: 'brain' } });
    expect(answers[2]).toMatchObject({
      tools: expect.arrayContaining([expect.objectContaining({ name: 'brain_query' })]),
    });
  } finally {
    process.kill(-Number(child.pid), 'SIGTERM');
    await server.ended;
  }
});
