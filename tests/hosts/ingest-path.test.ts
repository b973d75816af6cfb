import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { byDay } from '../support/by-night';
import { buildSimulator, headless, plugins, present, type RunningHost } from './host';
import { shownValue } from '../support/mcp-answer';

/** The doors of ingestion, the same in the server and in the built plugin. */
const HOSTS = present([headless, ...byDay(1, plugins)]);

buildSimulator();

describe.each(HOSTS)('$name', (host) => {
  let folder: string;
  let running: RunningHost;

  beforeAll(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'brain-host-'));
    const inbox = path.join(folder, 'vault/inbox');
    mkdirSync(inbox, { recursive: true });
    for (const name of ['a', 'b', 'c'])
      writeFileSync(path.join(inbox, `${name}.md`), `# ${name}\n\nWords.\n`);
    writeFileSync(path.join(folder, 'secret.md'), 'secret');
    symlinkSync(path.join(folder, 'secret.md'), path.join(inbox, 'link.md'));
    execFileSync('mkfifo', [path.join(inbox, 'pipe.pdf')]);
    running = await host.start(path.join(folder, 'vault'), folder, { BRAIN_WATCH: 'off' });
  }, 60_000);
  afterAll(async () => {
    await running.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  async function call(method: string, at: string, body?: unknown) {
    const answer = await fetch(running.url + at, {
      method,
      headers: {
        authorization: `Bearer ${running.token}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const parsed: Record<string, unknown> = JSON.parse(await answer.text());
    return { status: answer.status, body: parsed };
  }

  it.each([
    ['inbox/link.md', 'path_not_allowed'],
    ['inbox/pipe.pdf', 'unsupported_type'],
    ['/proc/self/environ', 'path_not_allowed'],
    ['.obsidian/app.json', 'path_not_allowed'],
    ['.brain/state.json', 'path_not_allowed'],
  ])('refuses %s with %s', async (at, code) => {
    const { status, body } = await call('POST', '/ingest-path', { path: at });
    expect([status, Object(body.error).code]).toEqual([400, code]);
  });

  it('takes a file in a job', async () => {
    const begun = await call('POST', '/ingest-path', { path: 'inbox/a.md', background: true });
    let answer = begun;
    while ('job' in answer.body) answer = await call('GET', `/job?id=${String(begun.body.job)}`);
    expect([answer.status, answer.body]).toMatchObject([200, { file: 'inbox/a.md', counts: { written: 1 } }]);
  });

  it('takes a folder over MCP, and tells how far it is', async () => {
    const client = new Client({ name: 'host test', version: '1' });
    const requestInit = { headers: { authorization: `Bearer ${running.token}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', running.url), { requestInit }));
    const told: { progress: number; total: number | undefined }[] = [];
    const answer = await client.callTool({ name: 'brain_ingest', arguments: { path: 'inbox' } }, undefined, {
      onprogress: ({ progress, total }) => told.push({ progress, total }),
    });
    await client.close();
    expect(shownValue(answer)).toMatchObject({ counts: { files: 3, ingested: 2, unchanged: 1 } });
    // Three files are read, then written.
    expect(told.at(-1)).toEqual({ progress: 6, total: 6 });
  });
});
