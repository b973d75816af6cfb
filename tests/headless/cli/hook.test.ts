import { execFileSync } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { brainCommand } from '../../support/command-line';
import { type LiveServer, startLiveServer } from '../../support/live-server';

const FILES = {
  'AGENTS.md': '# Guide\n\nSearch first.\n',
  'wiki/homelab/decisions/raid.md': '# RAID\n\nWe take raidz2.\n',
  'wiki/kitchen/facts/oven.md': '# Oven\n\nThe oven is small.\n',
};

let server: LiveServer;
beforeAll(async () => {
  server = await startLiveServer(FILES);
});
const homes: string[] = [];
afterAll(async () => {
  for (const folder of homes) rmSync(folder, { recursive: true, force: true });
  await server.stop();
});

/** A fake home with a repository of the given name. */
async function home(repository = 'homelab') {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'brain-hook-')));
  homes.push(folder);
  const repo = path.join(folder, repository);
  mkdirSync(repo);
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', repo, '-c', 'user.name=x', '-c', 'user.email=x@example.org', ...args]);
  git('init', '-q');
  git('commit', '-q', '--allow-empty', '-m', 'first');
  const env = {
    HOME: folder,
    BRAIN_CONFIG_DIR: path.join(folder, 'config'),
    BRAIN_URL: server.url,
    BRAIN_TOKEN: 'laptop',
  };
  return {
    folder,
    repo,
    git,
    env,
    run: (args: readonly string[], event: unknown = '', more: Record<string, string> = {}) =>
      brainCommand(['hook', ...args], {
        input: typeof event === 'string' ? event : JSON.stringify(event),
        env: { ...env, ...more },
        program: ['/usr/bin/node', '/opt/my brain/dist/brain.mjs'],
      }),
  };
}

const start = (cwd: string, source = 'startup') => ({
  session_id: 's1',
  transcript_path: '/nowhere.jsonl',
  cwd,
  hook_event_name: 'SessionStart',
  source,
});
const stop = (cwd: string, active = false) => ({
  session_id: 's1',
  transcript_path: '/nowhere.jsonl',
  cwd,
  hook_event_name: 'Stop',
  stop_hook_active: active,
});
const cursor = (cwd: string, event: string, more: object = {}) => ({
  conversation_id: 'c1',
  generation_id: 'g1',
  hook_event_name: event,
  workspace_roots: [cwd],
  ...more,
});

describe('at the start of a session', () => {
  it.each(['claude-code', 'codex'])('%s gets what is known of the wing of the repository', async (client) => {
    const { repo, run } = await home();
    for (const source of ['startup', 'resume', 'clear', 'compact']) {
      const { code, out, err } = await run([client], start(repo, source));
      expect([code, err]).toEqual([0, '']);
      const { hookSpecificOutput, ...rest } = JSON.parse(out);
      expect(rest).toEqual({});
      expect(hookSpecificOutput).toEqual({
        hookEventName: 'SessionStart',
        additionalContext: expect.any(String),
      });
      expect(hookSpecificOutput.additionalContext).toContain('Context in homelab.');
      expect(hookSpecificOutput.additionalContext).toContain('raidz2');
      expect(hookSpecificOutput.additionalContext).not.toContain('oven');
    }
  });

  it('Cursor gets it in its own form', async () => {
    const { repo, run } = await home();
    const { code, out } = await run(['cursor'], cursor(repo, 'sessionStart'));
    expect([code, JSON.parse(out)]).toEqual([0, { additional_context: expect.stringContaining('raidz2') }]);
  });

  it.each([
    ['a repository without a wing', 'other', []],
    ['a repository whose name is no wing', '...', []],
    ['a wing that is given', 'other', ['--wing', 'kitchen', '--max-tokens', '300']],
  ])('%s is answered too', async (_, name, options) => {
    const { repo, run } = await home(name);
    const { code, out } = await run(['claude-code', ...options], start(repo));
    expect(code).toBe(0);
    expect(out).toContain('The oven is small');
    expect(out.includes('raidz2')).toBe(options.length === 0);
  });
});

describe('at the end of a session', () => {
  it('the agent is asked once when files changed and nothing was stored', async () => {
    const { repo, run } = await home();
    await run(['claude-code'], start(repo));
    expect(await run(['claude-code'], stop(repo))).toEqual({ code: 0, out: '', err: '' });
    writeFileSync(path.join(repo, 'new.ts'), 'x');
    expect((await run(['claude-code'], stop(repo, true))).out).toBe('');
    const { code, out } = await run(['claude-code'], stop(repo));
    expect([code, JSON.parse(out)]).toEqual([
      0,
      {
        decision: 'block',
        reason: expect.stringMatching(/^Files changed in this session and nothing was stored/),
      },
    ]);
    expect((await run(['claude-code'], stop(repo))).out).toBe('');
    // A compaction is no new beginning.
    await run(['claude-code'], start(repo, 'compact'));
    expect((await run(['claude-code'], stop(repo))).out).toBe('');
  });

  it('a commit counts as a change, and what the token stored since as an answer', async () => {
    const { repo, git, run } = await home();
    await run(['codex'], start(repo));
    git('commit', '-q', '--allow-empty', '-m', 'second');
    const note = { wing: 'homelab', hall: 'facts', slug: `n${Date.now()}`, content: '# N\n\nThe NAS is up.' };
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    expect((await server.http('POST', '/write', note, 'laptop')).status).toBe(200);
    expect((await run(['codex'], stop(repo))).out).toBe('');
    // What another token stores is no answer.
    await run(['codex'], { ...start(repo), session_id: 's2' });
    git('commit', '-q', '--allow-empty', '-m', 'third');
    await server.http(
      'POST',
      '/write',
      { ...note, slug: 'theirs', content: '# T\n\nOther words.' },
      'curator',
    );
    expect((await run(['codex'], { ...stop(repo), session_id: 's2' })).out).toContain('"decision":"block"');
  });

  it('Cursor sends it as a message, unless the agent was cut or was asked before', async () => {
    const { repo, run } = await home();
    await run(['cursor'], cursor(repo, 'sessionStart'));
    writeFileSync(path.join(repo, 'new.ts'), 'x');
    expect((await run(['cursor'], cursor(repo, 'stop', { status: 'aborted', loop_count: 0 }))).out).toBe('');
    expect((await run(['cursor'], cursor(repo, 'stop', { status: 'completed', loop_count: 1 }))).out).toBe(
      '',
    );
    const { out } = await run(['cursor'], cursor(repo, 'stop', { status: 'completed', loop_count: 0 }));
    expect(JSON.parse(out)).toEqual({ followup_message: expect.stringMatching(/^Files changed/) });
  });

  it('nobody is asked outside a repository, or in a session whose beginning is not known', async () => {
    const { folder, repo, run } = await home();
    writeFileSync(path.join(repo, 'new.ts'), 'x');
    expect((await run(['claude-code'], stop(repo))).out).toBe('');
    await run(['claude-code'], start(folder));
    writeFileSync(path.join(folder, 'new.ts'), 'x');
    expect((await run(['claude-code'], stop(folder))).out).toBe('');
  });
});

describe('whatever happens, a session goes on', () => {
  it.each([
    ['no JSON', 'nothing'],
    ['another event', { session_id: 's', cwd: '/', hook_event_name: 'PreToolUse' }],
    ['an event without a session', { hook_event_name: 'SessionStart' }],
    ['a list', '[]'],
    ['nothing', ''],
  ])('%s is answered with nothing', async (_, event) => {
    const { run } = await home();
    expect(await run(['claude-code'], event)).toEqual({ code: 0, out: '', err: '' });
  });

  it.each(['slow', 'dead', 'strange'])('a %s server costs no more than two seconds', async (kind) => {
    const { repo, run } = await home();
    const other = createServer((_, res) => void (kind === 'strange' && res.end('hello')));
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as AddressInfo;
    if (kind === 'dead') await new Promise((resolve) => other.close(resolve));
    const before = performance.now();
    const printed = await run(['claude-code'], start(repo), { BRAIN_URL: `http://127.0.0.1:${port}` });
    expect(printed).toEqual({ code: 0, out: '', err: '' });
    expect(performance.now() - before).toBeLessThan(kind === 'slow' ? 4_000 : 2_000);
    other.closeAllConnections();
    other.close();
  });

  it('a token that the server does not know is answered with nothing', async () => {
    const { repo, run } = await home();
    expect(await run(['claude-code'], start(repo), { BRAIN_TOKEN: 'unknown' })).toEqual({
      code: 0,
      out: '',
      err: '',
    });
  });
});

it('an unknown client is wrong usage, which names those that there are', async () => {
  const { run } = await home();
  const { code, err } = await run(['foo']);
  expect([code, err]).toEqual([2, expect.stringContaining('claude-code, codex, cursor')]);
});

it.each([
  ['claude-code', '--nope'],
  ['claude-code', '--max-tokens', 'many'],
  ['codex', '--wing'],
  ['cursor', 'more'],
  ['--wing', 'homelab', 'claude-code', '--nope'],
])('%s is not stopped by wrong usage (%s), which is said', async (...args) => {
  const { repo, run } = await home();
  const { code, out, err } = await run(args, stop(repo));
  expect([code, out]).toEqual([0, '']);
  expect(err).toMatch(/^error: /);
});

it.each([
  ['install', 'claude-code', '--nope'],
  ['remove', 'claude-code', '--nope'],
])('%s is refused with wrong usage', async (...args) => {
  const { run } = await home();
  expect(await run(args)).toMatchObject({ code: 2, err: expect.stringContaining('--nope') });
});

describe('the set-up', () => {
  const FILE = {
    'claude-code': '.claude/settings.json',
    codex: '.codex/hooks.json',
    cursor: '.cursor/hooks.json',
  };
  const COMMAND = "/usr/bin/node '/opt/my brain/dist/brain.mjs' hook";
  const clients = Object.keys(FILE) as (keyof typeof FILE)[];
  const theirs = (client: keyof typeof FILE): string => {
    const entry =
      client === 'cursor'
        ? { command: 'mine' }
        : { matcher: 'x', hooks: [{ type: 'command', command: 'mine' }] };
    const name = client === 'cursor' ? 'stop' : 'Stop';
    return `${JSON.stringify({ version: 1, other: { a: [1] }, hooks: { [name]: [entry], more: [] } }, null, '\t')}\n`;
  };

  it.each(clients)(
    'of %s shows the file, writes it after a yes, and is undone by one command',
    async (client) => {
      const { folder, run } = await home();
      const file = path.join(folder, FILE[client]);
      const preview = await run(['install', client]);
      expect(preview).toMatchObject({ code: 1, out: expect.stringContaining(`${file} becomes:`) });
      expect(existsSync(file)).toBe(false);
      expect(await run(['install', client, '--yes', '--wing', 'homelab'])).toMatchObject({ code: 0 });
      const written = readFileSync(file, 'utf8');
      const hook = { command: `${COMMAND} ${client} --wing homelab`, timeout: 5 };
      const entry = client === 'cursor' ? hook : { hooks: [{ type: 'command', ...hook }] };
      expect(JSON.parse(written)).toEqual(
        client === 'cursor'
          ? { version: 1, hooks: { sessionStart: [entry], stop: [entry] } }
          : { hooks: { SessionStart: [entry], Stop: [entry] } },
      );
      expect((await run(['install', client, '--yes', '--wing', 'homelab'])).out).toContain(
        'nothing to change',
      );
      await run(['install', client, '--yes']);
      expect(readFileSync(file, 'utf8')).toBe(written.replaceAll(' --wing homelab', ''));
      expect(await run(['remove', client])).toMatchObject({ code: 0 });
      expect(existsSync(file)).toBe(false);
      expect((await run(['remove', client])).out).toContain('nothing to change');
    },
  );

  it.each(clients)('of %s keeps what else is in the file, byte for byte', async (client) => {
    const { folder, run } = await home();
    const file = path.join(folder, FILE[client]);
    mkdirSync(path.dirname(file));
    const real = path.join(folder, 'dotfile.json');
    writeFileSync(real, theirs(client), { mode: 0o600 });
    symlinkSync(real, file);
    await run(['install', client, '--yes']);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ other: { a: [1] }, hooks: { more: [] } });
    expect(readFileSync(file, 'utf8')).toContain('mine');
    expect(lstatSync(file).isSymbolicLink()).toBe(true);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    await run(['remove', client]);
    expect(readFileSync(real, 'utf8')).toBe(theirs(client));
  });

  it.each(['{"a": 1, // mine\n}', '[]', '{"hooks": []}', '{"hooks": {"Stop": {}}}'])(
    'refuses a file with %s, and changes nothing',
    async (text) => {
      const { folder, run } = await home();
      const file = path.join(folder, FILE['claude-code']);
      mkdirSync(path.dirname(file));
      writeFileSync(file, text);
      for (const args of [
        ['install', 'claude-code', '--yes'],
        ['remove', 'claude-code'],
      ])
        expect(await run(args)).toMatchObject({
          code: 1,
          err: expect.stringContaining('Nothing was changed'),
        });
      expect(readFileSync(file, 'utf8')).toBe(text);
    },
  );

  it('asks on a terminal', async () => {
    const { folder, env } = await home();
    for (const [typed, code] of [
      ['n', 1],
      ['y', 0],
    ] as const) {
      const printed = await brainCommand(['hook', 'install', 'claude-code'], { env, typed, tty: true });
      expect([printed.code, existsSync(path.join(folder, FILE['claude-code']))]).toEqual([code, code === 0]);
    }
  });
});
