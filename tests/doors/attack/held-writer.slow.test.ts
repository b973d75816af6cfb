import { setTimeout as wait } from 'node:timers/promises';
import { StopController } from '../../../src/core/base/concurrency';
import { backfillRefs } from '../../../src/core/ingest/backfill-refs';
import { ingestPages, ingestText } from '../../../src/core/ingest/operations';
import { updateNote } from '../../../src/core/notes/update';
import { writeNote } from '../../../src/core/notes/write';
import { type Operation, perform } from '../../../src/core/operation/operation';
import { promoteNote } from '../../../src/core/review/promote';
import { rejectNote } from '../../../src/core/review/reject';
import { rebuildTunnels } from '../../../src/core/review/tunnels';
import { undoWriter } from '../../../src/core/undo/undo';
import { indexWings } from '../../../src/core/wings/operations';
import { type LiveServer, startLiveServer } from '../../support/live-server';
import { agent, openTestBrain } from '../../support/test-brain';
import { codeIn, rawClient } from './raw-client';

/** Nobody keeps the others from writing: not by pages that hang on each other, not by asking, not by leaving. */
let server: LiveServer | undefined;
afterEach(async () => {
  await server?.stop();
  server = undefined;
});

const PAIRS = 100;
type Page = { title: string; content: string; aliases?: string[] };

/** Pages of which each says what another one says once the one before it is known to be there. */
const CHAINS: Readonly<Record<string, (k: number) => Page[]>> = {
  'by slug': (k) => [
    { title: `Alpha ${k}`, content: `uniq${k} Alpha ${k - 1} end` },
    { title: `Beta ${k}`, content: `uniq${k} [[beta-${k - 1}]] end` },
  ],
  'by title': (k) => [
    { title: `Alpha ${k}`, content: `uniq${k} Alpha ${k - 1} end` },
    { title: `Beta ${k}`, content: `uniq${k} [[Beta ${k - 1}]] end` },
  ],
  'by alias, in the other order': (k) => [
    { title: `Alpha ${PAIRS - k}`, content: `uniq${PAIRS - k} Alpha ${PAIRS - k - 1} end` },
    {
      title: `Beta ${PAIRS - k}`,
      aliases: [`b${PAIRS - k}`],
      content: `uniq${PAIRS - k} [[b${PAIRS - k - 1}]] end`,
    },
  ],
  'with links both ways': (k) => [
    { title: `Alpha ${k}`, content: `uniq${k} Alpha ${k - 1} and Alpha ${k + 1} end` },
    { title: `Beta ${k}`, content: `uniq${k} [[beta-${k - 1}]] and [[beta-${k + 1}]] end` },
  ],
};
const chain = (of: (k: number) => Page[]): Page[] => Array.from({ length: PAIRS }, (_, k) => of(k)).flat();
const batch = (pages: Page[]) => ({ pages, wing: 'lab', hall: 'facts', destination: 'wiki' });

async function longestWait(live: LiveServer, isOver: () => boolean): Promise<number> {
  let [longest, n] = [0, 0];
  do {
    const begun = performance.now();
    const { status } = await live.http('POST', '/capture', { text: `Thought ${(n += 1)}` }, 'laptop');
    expect(status).toBe(200);
    longest = Math.max(longest, performance.now() - begun);
  } while (!isOver());
  return longest;
}

describe.each(Object.entries(CHAINS))('a batch whose pages hang on each other, %s', (_, of) => {
  it('is done in a few rounds, with no link that leads nowhere, and nothing twice when it comes again', async () => {
    const { run, files, brain } = await openTestBrain();
    const pages = chain(of);
    let gates = 0;
    const { run: paced } = brain.pace;
    brain.pace.run = (work) => {
      gates += 1;
      return paced.call(brain.pace, work) as ReturnType<typeof paced<ReturnType<typeof work>>>;
    };
    const first = await run(ingestPages, batch(pages));
    // A few pieces of work for each page and round.
    expect(gates).toBeLessThan(30 * pages.length);
    expect(first.pages).toHaveLength(pages.length);
    for (const note of brain.catalog.notes('wiki')) {
      for (const { target } of note.links) expect(brain.catalog.has(target)).not.toBeNull();
    }
    const written = [...files.keys()].filter((path) => path.startsWith('wiki/')).sort();
    const again = await run(ingestPages, batch(pages));
    expect(again.pages.filter(({ status }) => status === 'written')).toEqual([]);
    expect([...files.keys()].filter((path) => path.startsWith('wiki/')).sort()).toEqual(written);
  });
});

it('lets another token write beside a chain and beside a dry run of it', async () => {
  server = await startLiveServer({}, { rateLimit: 0 });
  const live = server;
  for (const dry of [true, false]) {
    let over = false;
    const begun = performance.now();
    const ingest = live
      .http('POST', '/ingest-raw', { ...batch(chain(CHAINS['by slug'] ?? (() => []))), dry_run: dry })
      .finally(() => (over = true));
    const longest = await longestWait(live, () => over);
    expect((await ingest).status).toBe(200);
    // The others wait for the commit at most, which a slow machine may take long for, never for the whole.
    expect(longest).toBeLessThan(Math.max(5_000, 0.75 * (performance.now() - begun)));
  }
}, 120_000);

it('writes nothing for a client that has left before its change began', async () => {
  server = await startLiveServer({ 'wiki/lab/facts/one.md': '# One\n\nIt.\n' }, { rateLimit: 0 });
  const before = await server.snapshot();
  const body = JSON.stringify(batch(chain(CHAINS['by slug'] ?? (() => []))));
  const client = rawClient(Number(new URL(server.url).port));
  client.send(
    [
      'POST /ingest-raw HTTP/1.1',
      `Host: ${new URL(server.url).host}`,
      'Authorization: Bearer owner',
      'Content-Type: application/json',
      `Content-Length: ${Buffer.byteLength(body)}`,
    ].join('\r\n') + `\r\n\r\n${body}`,
  );
  await wait(20);
  client.socket.destroy();
  // Whatever is done for it is over when later work is.
  await wait(500);
  expect((await server.http('POST', '/capture', { text: 'Later' })).status).toBe(200);
  const after = Object.keys(await server.snapshot()).filter((path) => !(path in before));
  expect(after.filter((path) => /alpha|beta/.test(path))).toEqual([]);
});

describe('with the writer held by somebody', () => {
  const FILES = {
    'wiki/lab/facts/one.md':
      '---\npromoted_at: 2026-11-02T00:00:00Z\n---\n# One\n\nIt.\n\nSource: https://e.org/one\n',
    'raw/2026-11-19-two.md': '# Two\n\nWaits.\n',
  };
  const place = { wing: 'lab', hall: 'facts' };
  const asked: readonly (readonly [Operation, Record<string, unknown>])[] = [
    [ingestPages, batch([{ title: 'New', content: 'Text.' }])],
    [ingestText, { text: 'Some text.' }],
    [writeNote, { ...place, slug: 'new', content: '# New\n\nIt.\n' }],
    [updateNote, { path: 'wiki/lab/facts/one.md', content: '# One\n\nNew.\n', reason: 'better' }],
    [promoteNote, { path: 'raw/2026-11-19-two.md', ...place }],
    [rejectNote, { path: 'raw/2026-11-19-two.md' }],
    [backfillRefs, {}],
    [rebuildTunnels, {}],
    [indexWings, {}],
    [undoWriter, { by: 'laptop', since: '1d' }],
  ];

  it.each(asked)('a dry run does not wait (%#)', async (operation, input) => {
    const { brain } = await openTestBrain(FILES);
    let free: () => void = () => undefined;
    void brain.writer.run(() => new Promise<void>((resolve) => (free = resolve)));
    await perform(brain, operation, { ...input, dry_run: true }, agent);
    free();
  });

  it.each(asked.slice(0, 6))(
    'a change whose caller leaves meanwhile is not made (%#)',
    async (operation, input) => {
      const { brain, files } = await openTestBrain(FILES);
      const before = [...files];
      let free: () => void = () => undefined;
      void brain.writer.run(() => new Promise<void>((resolve) => (free = resolve)));
      const signal = new StopController();
      const call = perform(brain, operation, input, agent, { signal });
      const outcome = call.then(
        () => 'made',
        (error: unknown) => error,
      );
      for (let n = 0; n < 200; n += 1) await Promise.resolve();
      signal.stop();
      free();
      expect(await outcome).toMatchObject({ code: 'busy' });
      expect([...files]).toEqual(before);
    },
  );
});

describe('bytes', () => {
  const text = 'word '.repeat(400);

  it('count for each token, also of refused calls and dry runs, at the HTTP door', async () => {
    server = await startLiveServer({}, { rateLimit: 0, rateBytes: 10_000 });
    const answers = [];
    const bodies = [
      { text },
      { text, dry_run: true },
      { text, unknown: 1 },
      `{"text": "${text}`,
      { text: `${text} more` },
      { text: 'short' },
    ];
    for (const body of bodies) answers.push(await server.http('POST', '/capture', body, 'laptop'));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 400, 400, 429, 429]);
    expect(answers.at(-1)?.body).toMatchObject({ error: { code: 'rate_limited' } });
    const after = Number(answers.at(-1)?.headers.get('retry-after'));
    expect(after).toBeGreaterThanOrEqual(1);
    expect(after).toBeLessThanOrEqual(60);
    // Reads are not counted, and every token has its own.
    expect((await server.http('POST', '/query', { query: text.slice(0, 1000) }, 'laptop')).status).toBe(200);
    expect((await server.http('POST', '/capture', { text }, 'writer')).status).toBe(200);
  });

  it('count of a body that does not say how long it is', async () => {
    server = await startLiveServer({}, { rateLimit: 0, rateBytes: 3000 });
    const client = rawClient(Number(new URL(server.url).port));
    const body = JSON.stringify({ text: text.repeat(2) });
    const lines = [
      'POST /capture HTTP/1.1',
      `Host: ${new URL(server.url).host}`,
      'Authorization: Bearer owner',
      'Content-Type: application/json',
      'Transfer-Encoding: chunked',
    ];
    client.send(`${lines.join('\r\n')}\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`);
    const [answer] = await client.until(1);
    client.leave();
    expect([answer?.status, answer && codeIn(answer)]).toEqual([429, 'rate_limited']);
  });

  it('count at the MCP door', async () => {
    server = await startLiveServer({}, { rateLimit: 0, rateBytes: 6000 });
    const client = await server.mcp('laptop');
    const call = (n: number) =>
      client.callTool({
        name: 'brain_write',
        arguments: { wing: 'lab', hall: 'facts', slug: `note-${n}`, content: `# ${n}\n\n${text}` },
      });
    expect(await call(1)).not.toMatchObject({ isError: true });
    expect((await call(2)).isError).not.toBe(true);
    const refused = await call(3);
    expect(refused.isError).toBe(true);
    expect(JSON.stringify(refused)).toContain('rate_limited');
    const found = await client.callTool({ name: 'brain_query', arguments: { query: 'word' } });
    expect(found.isError).not.toBe(true);
  });
});
