// Packs the bridge for desktop clients that install a bundle: dist/brain-server.mcpb. `npm ci --prefix tests/others` brings the
// packer, which checks the manifest too.
//   node scripts/mcpb.mjs [--out <folder>]
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';

const PACKER = path.resolve('tests/others/node_modules/@anthropic-ai/mcpb/dist/cli/cli.js');
const DEFAULT_URL = 'http://127.0.0.1:27246';

const read = async (file) => JSON.parse(await readFile(file, 'utf8'));

/** What a client shows before it installs the bundle, and how it starts it. */
async function manifest() {
  const { version, description, license, engines } = await read('package.json');
  const { name, author } = await read('manifest.json');
  return {
    manifest_version: '0.3',
    name: 'brain-server',
    display_name: name,
    version,
    description,
    long_description:
      'Connects this client to a Brain Server that runs on this machine: the plugin inside Obsidian, or "brain serve". It passes messages on and keeps nothing.',
    author: { name: author },
    license,
    server: {
      type: 'node',
      entry_point: 'server/index.mjs',
      mcp_config: {
        command: 'node',
        args: ['${__dirname}/server/index.mjs'],
        env: { BRAIN_URL: '${user_config.url}', BRAIN_TOKEN: '${user_config.token}' },
      },
    },
    // Which tools there are depends on the token.
    tools_generated: true,
    compatibility: { platforms: ['darwin', 'linux', 'win32'], runtimes: { node: engines.node } },
    user_config: {
      url: {
        type: 'string',
        title: 'Address',
        description: 'Where the server listens.',
        default: DEFAULT_URL,
        required: true,
      },
      token: {
        type: 'string',
        title: 'Token',
        description:
          'A token for this client, from "Connect an agent" or "brain token add". Empty: the token that "brain serve" made on this machine for bridges.',
        sensitive: true,
        default: '',
        required: false,
      },
    },
  };
}

process.chdir(path.join(import.meta.dirname, '..'));
const { values } = parseArgs({ options: { out: { type: 'string', default: 'dist' } } });
if (!existsSync(PACKER)) throw new Error('The packer is missing: run "npm ci --prefix tests/others" first.');
const folder = await mkdtemp(path.join(tmpdir(), 'brain-mcpb-'));
try {
  const entry = path.join(folder, 'server', 'index.mjs');
  await build({
    entryPoints: ['src/headless/bridge/main.ts'],
    outfile: entry,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    minify: true,
    legalComments: 'none',
    define: { 'process.env.NODE_ENV': '"production"' },
    logLevel: 'warning',
  });
  await writeFile(path.join(folder, 'manifest.json'), JSON.stringify(await manifest(), null, 2));
  await writeFile(path.join(folder, 'LICENSE'), await readFile('LICENSE', 'utf8'));
  const target = path.resolve(values.out, 'brain-server.mcpb');
  await mkdir(path.dirname(target), { recursive: true });
  const { status, stdout, stderr } = spawnSync(process.execPath, [PACKER, 'pack', folder, target], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`The packer refused the bundle.\n${stdout}${stderr}`);
  process.stdout.write(`${target} ${((await stat(target)).size / 1e3).toFixed(1)} kB\n`);
} finally {
  await rm(folder, { recursive: true, force: true });
}
