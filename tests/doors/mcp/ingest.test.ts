import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { nodeSourceFiles } from '../../../src/adapters/vault/sources';
import { parseAuditLine } from '../../../src/core/audit/line';
import { openAudit } from '../../../src/core/audit/log';
import type { Scope } from '../../../src/core/access/tokens';
import type { Settings } from '../../../src/core/config/config';
import { createApp } from '../../../src/doors/http/app';
import { startServer } from '../../../src/doors/http/listen';
import { createMcpDoor } from '../../../src/doors/mcp/server';
import { fakeDocuments } from '../../support/fake-documents';
import { fixedClock } from '../../support/fixed-clock';
import { type ManualSleep, manualSleep } from '../../support/manual-sleep';
import { withTempFolder } from '../../support/temp-folder';
import { openTestBrain, type TestBrain } from '../../support/test-brain';
import { shownText, shownValue } from '../../support/mcp-answer';

const SCOPES_OF: Readonly<Record<string, readonly Scope[]>> = {
  laptop: ['read', 'write'],
  proposer: ['propose'],
  reader: ['read'],
};

interface World extends TestBrain {
  readonly documents: ReturnType<typeof fakeDocuments>;
  readonly time: ManualSleep;
  readonly connect: (token?: string) => Promise<Client>;
  /** Makes a file in the inbox. */
  readonly put: (name: string, text?: string) => Promise<void>;
}

/** The real doors and the SDK's own client; time passes when the test says so. */
function withWorld(work: (world: World) => Promise<void>, settings: Settings = {}) {
  return withTempFolder(async (root) => {
    await mkdir(path.join(root, 'inbox'));
    const sources = nodeSourceFiles({ root, watchDir: 'inbox', allowed: [], secret: [] });
    const documents = fakeDocuments();
    const time = manualSleep(fixedClock());
    const opened = await openTestBrain({}, settings, undefined, { sources, documents, sleep: time.sleep });
    const { brain, state, clock } = opened;
    const audit = await openAudit({ state, clock, device: 'testtest' });
    const mcp = createMcpDoor({ brain, audit, sessionKey: 'key', version: '1' });
    const tokens = {
      verify: async (name: string) => ({ name, scopes: new Set(SCOPES_OF[name] ?? []), page: false }),
    };
    const app = createApp({ brain, tokens, version: '1', mcp });
    const server = await startServer(app, { host: '127.0.0.1', port: 0 });
    const clients: Client[] = [];
    try {
      await work({
        ...opened,
        documents,
        time,
        async connect(token = 'laptop') {
          const client = new Client({ name: 'claude-code', version: '2.1.300' });
          const requestInit = { headers: { Authorization: `Bearer ${token}` } };
          await client.connect(
            new StreamableHTTPClientTransport(new URL('/mcp', server.url), { requestInit }),
          );
          clients.push(client);
          return client;
        },
        async put(name, text = `# ${name}\n\nWords of ${name}.\n`) {
          await mkdir(path.dirname(path.join(root, 'inbox', name)), { recursive: true });
          await writeFile(path.join(root, 'inbox', name), text);
        },
      });
    } finally {
      for (const client of clients) await client.close();
      await server.stop();
      await opened.close();
    }
  });
}

/** What the model is shown. */
async function ingest(
  client: Client,
  args: Record<string, unknown>,
  options: Parameters<Client['callTool']>[2] = {},
) {
  const result = await client.callTool({ name: 'brain_ingest', arguments: args }, undefined, options);
  return { answer: shownValue(result), isError: result.isError === true, text: shownText(result) };
}

/** A document that is read only when the test says so. */
function held(world: World, name: string) {
  let reached = (): void => undefined;
  let finish = (): void => undefined;
  const isReached = new Promise<void>((resolve) => (reached = resolve));
  const isFinished = new Promise<void>((resolve) => (finish = resolve));
  world.documents.script(name, async () => {
    reached();
    await isFinished;
    return { markdown: `# ${name}\n\nRead at last.`, converted: false, warnings: [] };
  });
  return { isReached, finish };
}

function auditLines({ state }: World) {
  const text = [...state.files].filter(([at]) => at.startsWith('audit')).map(([, lines]) => lines);
  return text
    .join('')
    .split('\n')
    .flatMap((line) => parseAuditLine(line) ?? []);
}

const raw = ({ files }: World) => [...files.keys()].filter((at) => at.startsWith('raw/'));

it('takes a text, which then awaits review, and leaves one line in the audit log that names the pages', () =>
  withWorld(async (world) => {
    const { answer, text } = await ingest(await world.connect(), {
      text: '# Tunnel\n\nIt needs 1412 bytes.',
      source: 'https://example.org/mtu',
      wing: 'homelab',
    });
    expect(answer).toMatchObject({ extraction: 'passthrough', destination: 'raw', counts: { written: 1 } });
    expect(JSON.parse(text)).toEqual(answer);
    expect(raw(world)).toHaveLength(1);
    expect(world.files.get(raw(world)[0] ?? '')).toContain('origin: mcp\n');
    expect(auditLines(world)).toMatchObject([
      { tool: 'brain_ingest', actor: 'laptop', ok: true, paths: raw(world) },
    ]);
  }));

it('takes a file and a folder of the inbox, and of a folder tells only what a model has use for', () =>
  withWorld(async (world) => {
    for (const name of ['a.md', 'b.md', 'c.exe', 'd.docx']) await world.put(name);
    await world.put('empty.md', '');
    const client = await world.connect();
    expect((await ingest(client, { path: 'inbox/a.md' })).answer).toMatchObject({ file: 'inbox/a.md' });
    const { answer } = await ingest(client, { path: 'inbox' });
    expect(answer).toEqual({
      path: 'inbox',
      counts: { files: 5, ingested: 1, unchanged: 1, skipped: 2, failed: 1 },
      files: [{ file: 'inbox/b.md', pages: [{ title: 'b.md', status: 'written', path: raw(world)[1] }] }],
      errors: [{ path: 'inbox/empty.md', code: 'no_text', message: expect.any(String) }],
      warnings: [
        'Only a converter reads these, and none that does is set (CONVERTER_URL; local: is the built-in one, for Office files): inbox/d.docx.',
        'These are of kinds that are not read; save them as text or PDF: inbox/c.exe.',
      ],
    });
    expect(auditLines(world).map(({ paths }) => paths)).toEqual([[raw(world)[0]], ['inbox', raw(world)[1]]]);
  }));

it('asks for a job as often as it likes: that is no change', () =>
  withWorld(
    async (world) => {
      const client = await world.connect();
      for (let n = 0; n < 5; n += 1) expect((await ingest(client, { job: 'x' })).text).toContain('not_found');
      expect(await ingest(client, { text: 'It is 1420.' })).toMatchObject({ isError: false });
      expect((await ingest(client, { text: 'It is 1380.' })).text).toContain('rate_limited');
      expect((await ingest(client, { job: 'x' })).text).toContain('not_found');
    },
    { rateLimit: 1 },
  ));

it('lists no more than fifty files of a folder', () =>
  withWorld(async (world) => {
    for (let number = 10; number < 63; number += 1) await world.put(`${number}.md`);
    const { answer } = await ingest(await world.connect(), { path: 'inbox' });
    expect(answer).toMatchObject({ counts: { files: 53, ingested: 53 }, more: 3 });
    expect(answer.files).toHaveLength(50);
  }));

it('tells a client that asked for it how far a folder is', () =>
  withWorld(async (world) => {
    for (const name of ['a.md', 'b.md', 'c.md']) await world.put(name);
    const slow = held(world, 'c.md');
    const told: unknown[] = [];
    const onprogress = (progress: unknown) => {
      told.push(progress);
      if (told.length === 2) slow.finish();
    };
    await ingest(await world.connect(), { path: 'inbox' }, { onprogress });
    // Three files are read and then written.
    expect(told).toEqual([1, 2, 3, 4, 5, 6].map((progress) => ({ progress, total: 6 })));
  }));

describe('what takes longer than 45 seconds', () => {
  it('is answered with a job, which goes on and can be asked for', () =>
    withWorld(async (world) => {
      for (const name of ['a.md', 'b.md']) await world.put(name);
      const slow = held(world, 'b.md');
      const client = await world.connect();
      let isAnswered = false;
      const calling = ingest(client, { path: 'inbox' }).finally(() => (isAnswered = true));
      await slow.isReached;
      await world.time.pass(44_999);
      expect(isAnswered).toBe(false);
      await world.time.pass(1);
      const { answer } = await calling;
      expect(answer).toMatchObject({ job: expect.any(String), status: 'running', done: 1, total: 2 });
      const { job } = answer;

      const asking = ingest(client, { job });
      slow.finish();
      expect((await asking).answer).toMatchObject({ path: 'inbox', counts: { ingested: 2 } });
      // Its outcome is kept, and stays its caller's.
      expect((await ingest(client, { job })).answer).toMatchObject({ counts: { ingested: 2 } });
      const other = await ingest(await world.connect('proposer'), { job });
      expect([other.isError, other.text]).toEqual([true, expect.stringContaining('not_found')]);
    }));

  it('is answered so again when it is asked for and still runs', () =>
    withWorld(async (world) => {
      await world.put('a.md');
      const slow = held(world, 'a.md');
      const client = await world.connect();
      const calling = ingest(client, { path: 'inbox/a.md' });
      await slow.isReached;
      await world.time.pass(45_000);
      const { job } = (await calling).answer;
      const asking = ingest(client, { job });
      // The question has to have arrived before its time can pass.
      while (auditLines(world).length < 1) await world.time.pass(1);
      await world.time.pass(1);
      let answered: unknown;
      void asking.then(({ answer }) => (answered = answer));
      while (answered === undefined) await world.time.pass(45_000);
      expect(answered).toMatchObject({ job, status: 'running' });
      slow.finish();
      expect((await ingest(client, { job })).answer).toMatchObject({
        file: 'inbox/a.md',
        counts: { written: 1 },
      });
    }));
});

it('stops when its client leaves, and makes nothing of a folder that it has not read whole', () =>
  withWorld(async (world) => {
    for (const name of ['a.md', 'b.md', 'c.md']) await world.put(name);
    const slow = held(world, 'b.md');
    const leaving = new AbortController();
    const client = await world.connect();
    const calling = ingest(client, { path: 'inbox' }, { signal: leaving.signal }).catch(() => 'left');
    await slow.isReached;
    leaving.abort();
    expect(await calling).toBe('left');
    while (auditLines(world).length === 0) await new Promise((resolve) => setImmediate(resolve));
    slow.finish();
    await world.brain.jobs.close();
    expect(raw(world)).toEqual([]);
    expect(world.documents.asked).toEqual(['a.md', 'b.md']);
  }));

it('does not stop for a client that leaves while it only asks', () =>
  withWorld(async (world) => {
    await world.put('a.md');
    const slow = held(world, 'a.md');
    const client = await world.connect();
    const calling = ingest(client, { path: 'inbox/a.md' });
    await slow.isReached;
    await world.time.pass(45_000);
    const { job } = (await calling).answer;
    const leaving = new AbortController();
    const waiting = jest.spyOn(world.brain.jobs, 'wait');
    const asking = ingest(client, { job }, { signal: leaving.signal }).catch(() => 'left');
    while (waiting.mock.calls.length === 0) await new Promise((resolve) => setImmediate(resolve));
    leaving.abort();
    expect(await asking).toBe('left');
    while (auditLines(world).length < 2) await new Promise((resolve) => setImmediate(resolve));
    slow.finish();
    expect((await ingest(client, { job })).answer).toMatchObject({ counts: { written: 1 } });
  }));

it('keeps a token that may only propose to the queue', () =>
  withWorld(async (world) => {
    const args = { text: 'A thought.', wing: 'homelab', hall: 'facts', destination: 'wiki' };
    expect((await ingest(await world.connect('proposer'), args)).answer).toMatchObject({
      destination: 'raw',
    });
    const { tools } = await (await world.connect('reader')).listTools();
    expect(tools.map(({ name }) => name)).not.toContain('brain_ingest');
    const refused = await ingest(await world.connect('reader'), args);
    expect([refused.isError, refused.text]).toEqual([true, expect.stringContaining('forbidden_scope')]);
  }));

it.each<[string, Record<string, unknown>, string]>([
  ['nothing', {}, 'exactly one'],
  ['two things', { text: 'a', path: 'inbox/a.md' }, 'exactly one'],
  ['a job with a text', { text: 'a', job: 'b' }, 'exactly one'],
  ['a title of a file', { path: 'inbox/a.md', title: 'A' }, '"title" goes with'],
  ['a place of a job', { job: 'a', wing: 'b' }, '"wing" goes with'],
  ['pages', { pages: [] }, 'unknown_field'],
  ['a dry run', { text: 'a', dry_run: true }, 'unknown_field'],
  ['front matter', { text: 'a', frontmatter: {} }, 'unknown_field'],
  ['an empty text', { text: ' ' }, 'empty_content'],
  ['a path outside', { path: '/etc/passwd' }, 'path_not_allowed'],
  ['a path that leads nowhere', { path: 'inbox/absent.md' }, 'source_missing'],
  ['a job that is not there', { job: 'a' }, 'not_found'],
])('refuses %s in words that a model can act on', (_, args, words) =>
  withWorld(async (world) => {
    const { isError, text } = await ingest(await world.connect(), args);
    const { error } = JSON.parse(text);
    expect([isError, `${error.code}: ${error.message}`]).toEqual([true, expect.stringContaining(words)]);
    expect(world.files.size).toBe(0);
  }),
);

it('tells how far 300 chapters are, by a bounded number of notifications; without a token by none', () =>
  withWorld(async (world) => {
    for (let at = 0; at < 300; at += 1) await world.put(`book/chapter-${at}.md`);
    const client = await world.connect();
    const told: { progress: number }[] = [];
    const onprogress = (progress: { progress: number }) => told.push(progress);
    const { answer } = await ingest(client, { path: 'inbox/book' }, { onprogress });
    expect(answer).toMatchObject({ counts: { files: 300, ingested: 300 } });
    expect(told.at(-1)).toEqual({ progress: 600, total: 600 });
    expect(told.length).toBeGreaterThan(50);
    expect(told.length).toBeLessThanOrEqual(102);
    const before = told.length;
    await ingest(client, { text: 'One text.' }, { onprogress });
    expect(told.slice(before)).toEqual([{ progress: 1, total: 1 }]);
    await ingest(client, { text: 'Another text.' });
    expect(told).toHaveLength(before + 1);
  }));
