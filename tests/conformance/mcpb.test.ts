import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import * as z from 'zod';
import { TOOLS } from '../../src/doors/mcp/tools';
import { Sandbox, type ServerProcess } from '../headless/brain-process';
import { describeWithTheirs, runTheirs, theirs } from './others';
import { StdioHost } from './stdio-host';

const MCPB = theirs('@anthropic-ai', 'mcpb', 'dist', 'cli', 'cli.js');
const TOKEN = 'a-token-of-the-owner-0123456789-0123456789';

const manifestSchema = z.object({
  version: z.string(),
  server: z.object({
    mcp_config: z.object({
      command: z.literal('node'),
      args: z.array(z.string()),
      env: z.record(z.string(), z.string()),
    }),
  }),
  user_config: z.record(z.string(), z.object({ default: z.string() })),
});

/** The bundle for desktop clients, with the tools of those who read such bundles. */
describeWithTheirs('the .mcpb bundle', () => {
  const sandbox = new Sandbox();
  const unpacked = path.join(sandbox.folder, 'unpacked');
  let server: ServerProcess;
  let manifest: z.output<typeof manifestSchema>;

  beforeAll(async () => {
    execFileSync(process.execPath, ['scripts/mcpb.mjs', '--out', sandbox.folder]);
    const bundle = path.join(sandbox.folder, 'brain-server.mcpb');
    expect(await runTheirs([MCPB, 'unpack', bundle, unpacked], sandbox.folder)).toMatchObject({ code: 0 });
    manifest = manifestSchema.parse(JSON.parse(readFileSync(path.join(unpacked, 'manifest.json'), 'utf8')));
    server = await sandbox.serve([], { BRAIN_TOKEN: TOKEN });
  }, 60_000);
  afterAll(async () => {
    await server.stop();
    await sandbox.remove();
  });

  /** The program as a client starts it: what the person has filled in stands where the manifest says. */
  function installed(given: Readonly<Record<string, string>>): StdioHost {
    const { command, args, env } = manifest.server.mcp_config;
    const fill = (text: string) =>
      text
        .replaceAll('${__dirname}', unpacked)
        .replace(
          /\$\{user_config\.(\w+)\}/g,
          (_, key: string) => given[key] ?? manifest.user_config[key]?.default ?? '',
        );
    const filled = Object.fromEntries(Object.entries(env).map(([name, value]) => [name, fill(value)]));
    return new StdioHost(command === 'node' ? process.execPath : command, args.map(fill), {
      ...sandbox.env,
      ...filled,
    });
  }

  it('is valid, names the version of the project, and holds three files', async () => {
    const { code, stdout, stderr } = await runTheirs(
      [MCPB, 'validate', path.join(unpacked, 'manifest.json')],
      sandbox.folder,
    );
    expect({ code, said: stdout + stderr }).toEqual({
      code: 0,
      said: expect.stringMatching(/validat.* passes/i),
    });
    const { version }: { version: string } = JSON.parse(readFileSync('package.json', 'utf8'));
    expect(manifest.version).toBe(version);
    expect(readdirSync(unpacked).sort()).toEqual(['LICENSE', 'manifest.json', 'server']);
    expect(readdirSync(path.join(unpacked, 'server'))).toEqual(['index.mjs']);
  });

  it('connects a client with the token that it was given', async () => {
    const host = installed({ url: server.url, token: TOKEN });
    await host.connect('claude-ai');
    const { tools } = await host.ask('tools/list', {});
    expect((tools as { name: string }[]).map(({ name }) => name)).toEqual(TOOLS.map(({ name }) => name));
    const args = { wing: 'bundle', hall: 'facts', slug: 'kept', content: '# Kept\n\nBy a bundle.\n' };
    await host.ask('tools/call', { name: 'brain_write', arguments: args });
    const note = readFileSync(path.join(sandbox.vault, 'wiki/bundle/facts/kept.md'), 'utf8');
    expect(note).toContain('written_by: owner (claude-ai 1.0)\n');
    await host.close();
  });

  it('connects without one where a server of this machine has made a token for bridges, which may not review', async () => {
    const host = installed({ url: server.url });
    await host.connect('claude-ai');
    const { tools } = await host.ask('tools/list', {});
    const names = (tools as { name: string }[]).map(({ name }) => name);
    expect(names).toContain('brain_write');
    expect(names).not.toContain('brain_promote');
    await host.close();
  });

  it('says what to do when no server runs', async () => {
    const host = installed({ url: 'http://127.0.0.1:1', token: TOKEN });
    await expect(host.connect('claude-ai')).rejects.toThrow(
      'No Brain server is running at http://127.0.0.1:1',
    );
    await host.close();
  });
});
