import { sha256 } from '../../../src/core/base/hash';
import { DESCRIPTORS } from '../../../src/core/operation/descriptors';
import { TOOLS } from '../../../src/doors/mcp/tools';
import { type LiveServer, startLiveServer } from '../../support/live-server';

/**
 * Tokens without the scope `read`: what they may do must not tell them what notes say, neither by an answer nor by whether a
 * guess is refused. Every note here says words that begin with "Sesame"; paths are no secret.
 */
const PLAN = 'wiki/net/facts/plan.md';
const PLAN_TEXT =
  '---\nwing: net\nhall: facts\naliases: [Sesame alias]\npromoted_at: 2026-01-01T00:00:00Z\nsource: https://example.org/sesame\n---\n# Sesame plan\n\nThe number is 4821, Sesame.\n\n## Sesame heading\n';
const QUEUED = 'raw/2026-01-03-q.md';
const SCAN = 'inbox/quarantine/2026-01-01/scan.txt';
const FILES = {
  'AGENTS.md': '# Sesame guide\n',
  'Own/number.md': '# Sesame own\n\nThe number is 4821, [[Sesame lost]].\n',
  [PLAN]: PLAN_TEXT,
  'wiki/net/facts/other.md': '# Sesame other\n\nThe number is kept, Sesame. See [[Sesame plan]].\n',
  'wiki/net/facts/pin.md': '---\nwing: net\nhall: facts\nwritten_by: human:me\n---\n# Pin\n\n4821\n',
  [`knowledge/note-${sha256('The code is 4821.').slice(0, 8)}.md`]: 'The code is 4821.',
  'knowledge/page.md': '# Sesame page\n\nSource: https://example.org/sesame-page\n',
  [QUEUED]:
    '---\ntitle: Sesame queued\nwritten_by: human:me\n---\n# Sesame queued\n\n[[Sesame link]] ![](https://x.y/sesame.png) <script>sesame()</script>\n',
  'raw/2026-01-04-r.md': '# Sesame second\n\nSesame text.\n',
  'raw/rejected/old.md': '---\nrejected_by: human:me\n---\n# Sesame old\n',
  'inbox/page.md': '# Inbox\n\nSesame waits, [[Sesame lost]].\n',
  [SCAN]: 'Sesame scanned.\n',
  [`${SCAN}.error.json`]: '{"file":"inbox/scan.txt"}\n',
};

const WRONG = 'f'.repeat(64);
const quote = (text: string) => ({
  query: 'What?',
  answer: 'It is [1].',
  citations: [{ n: 1, path: PLAN, quote: text }],
});
/** Words of the caller's own that lead to notes, in all the ways there are. */
const PROBE =
  'The number is kept. [[wiki/net/facts/plan]] [[wiki/net/facts/plan#Sesam heading]] [[plan]] [x](wiki/net/facts/plan.md)';

/** A call of each operation, and of some several that differ in what they could tell. */
const CALLS: readonly (readonly [path: string, body: Record<string, unknown>])[] = [
  ['/answer/file', quote('The number is 4821')],
  ['/answer/file', { ...quote('The number is 4821'), dry_run: true }],
  ['/answer/file', quote('The number is 4822')],
  ['/write', { content: `# The number\n\n${PROBE}`, wing: 'net', hall: 'facts' }],
  ['/write', { content: PROBE }],
  ['/write', { content: PROBE, wing: 'net', hall: 'facts', slug: 'plan' }],
  ['/write', { content: PROBE, wing: 'net', hall: 'facts', slug: 'plan', overwrite: true, dry_run: true }],
  ['/capture', { text: PROBE, title: 'The number' }],
  ['/update', { path: PLAN, content: PROBE, reason: 'x', dry_run: true }],
  ['/update', { path: PLAN, content: PROBE, reason: 'x', expected_hash: WRONG }],
  ['/update', { path: PLAN, content: PROBE, reason: 'x' }],
  ['/edit', { path: PLAN, append: PROBE }],
  ['/edit', { path: PLAN, replace: { old: PROBE, new: 'x' } }],
  ['/index', {}],
  ['/tunnels', { dry_run: true }],
  ['/tunnels', {}],
  ['/backfill-refs', { dry_run: true }],
  ['/backfill-refs', {}],
  ['/ingest', { text: PROBE, title: 'The number', dry_run: true }],
  ['/ingest', { text: PROBE, title: 'The number' }],
  ['/ingest', { text: PROBE, title: 'The number' }],
  ['/ingest-raw', { pages: [{ title: 'The number', content: PROBE }], dry_run: true }],
  ['/ingest-raw', { pages: [{ title: 'The number', content: '# X\n\nSesame text.' }] }],
  ['/ingest-path', { path: 'inbox/page.md', dry_run: true }],
  ['/ingest-path', { path: 'inbox', dry_run: true }],
  ['/ingest-path', { path: 'inbox/page.md' }],
  ['/re-extract', { path: QUEUED }],
  ['/promote', { path: QUEUED, wing: 'net', hall: 'facts', dry_run: true }],
  ['/promote', { path: QUEUED, wing: 'net', hall: 'facts', expected_hash: WRONG }],
  ['/promote', { path: QUEUED, wing: 'net', hall: 'facts' }],
  ['/replace', { path: QUEUED, replaces: PLAN, reason: 'x', dry_run: true }],
  ['/replace', { path: QUEUED, replaces: PLAN, reason: 'x', expected_hash: WRONG }],
  ['/replace', { path: QUEUED, replaces: PLAN, reason: 'x', replaced_hash: WRONG }],
  ['/confirm', { path: PLAN, expected_hash: WRONG }],
  ['/confirm', { path: PLAN }],
  ['/move', { path: PLAN, hall: 'hypotheses', expected_hash: WRONG }],
  ['/move', { path: PLAN, hall: 'hypotheses' }],
  ['/snooze', { path: 'raw/2026-01-04-r.md', expected_hash: WRONG }],
  ['/snooze', { path: 'raw/2026-01-04-r.md' }],
  ['/mend-links', {}],
  ['/rules', { name: 'ci', by: 'owner', dry_run: true }],
  ['/rules', { name: 'ci', by: 'owner' }],
  ['/reject', { path: 'raw/2026-01-04-r.md', expected_hash: WRONG }],
  ['/reject', { path: 'raw/2026-01-04-r.md' }],
  ['/withdraw', { path: 'raw/2026-01-04-r.md' }],
  ['/restore', { path: 'raw/rejected/old.md' }],
  ['/adopt', { path: 'Own/number.md', wing: 'net', hall: 'facts', dry_run: true }],
  ['/adopt', { path: 'Own/number.md', wing: 'net', hall: 'facts', expected_hash: WRONG }],
  ['/adopt', { path: 'Own/number.md', wing: 'net', hall: 'facts' }],
  ['/unpromote', { path: 'wiki/net/facts/q.md' }],
  ['/inbox/ingest', { dry_run: true }],
  ['/inbox/ingest', {}],
  ['/quarantine/retry', { path: SCAN, dry_run: true }],
  ['/quarantine/retry', { path: SCAN }],
  ['/edit-root', { content: '# New', reason: 'x' }],
  ['/edit-root', { content: '# New', reason: 'x', expected_hash: WRONG }],
  ['/undo', { by: 'human:me', since: '2000-01-01', dry_run: true }],
  ['/undo/back', { undo: 'x' }],
  ['/forget', { path: PLAN, dry_run: true }],
  ['/forget', { path: PLAN, reason: 'x', plan: WRONG }],
  ['/ingest-file?name=number.md', { text: PROBE }],
  ['/ingest-batch', { folder: 'number' }],
  ['/ingest-batch/file?batch=x&name=number.md', { text: PROBE }],
  ['/ingest-batch/done', { batch: 'x' }],
  ['/imports', { name: 'number' }],
  ['/imports/adopt', { name: 'number' }],
  ['/imports/take-back', { name: 'number' }],
  ['/sessions', { records: [{ skill: 'deploy', status: 'pass' }] }],
  ['/backfill-embeddings', {}],
  ['/backfill-embeddings/cancel', {}],
  ['/attachments', { read: true }],
  ['/query', { query: 'number' }],
  ['/answer', { query: 'number' }],
];
const GETS: readonly string[] = [
  `/note?path=${PLAN}`,
  `/neighbours?path=${PLAN}`,
  '/context?task=number',
  '/imports?name=number',
  '/file?path=plan.png',
  `/history?path=${PLAN}`,
  '/wings',
  '/notes',
  '/notes?wing=net',
  '/overview',
  '/revision',
  '/pending',
  '/decisions',
  '/rules',
  `/gate?path=${QUEUED}`,
  `/sent?path=${QUEUED}`,
  '/job?id=x',
  '/pass-rate',
  '/undo',
  '/status',
  '/audit',
  '/audit/verify',
];

/** The hash of a note is not what it says, but guesses can be tried against it. */
const HASH_OF_NOTE = /"content_hash"/;

let live: LiveServer;
beforeEach(async () => (live = await startLiveServer(FILES, { rateLimit: 0, watch: false })));
afterEach(() => live.stop());

it('are tried with every route', () => {
  const paths = [...CALLS.map(([path]) => path), ...GETS];
  const tried = new Set(paths.map((path) => path.split('?')[0]));
  expect(Object.values(DESCRIPTORS).filter(({ path }) => !tried.has(path))).toEqual([]);
});

it('lets a token without read do what its scope is for to the notes of others, and tells nothing of them', async () => {
  const ask = { path: 'raw/2026-01-03-q.md', wing: 'net', hall: 'facts', dry_run: true };
  const promoted = await live.http('POST', '/promote', ask, 'janitor');
  expect([promoted.status, promoted.body.body]).toEqual([200, undefined]);
  expect((await live.http('POST', '/index', {}, 'writer')).status).toBe(200);
});

describe.each(['dropbox', 'writer', 'janitor'])('a token without read (%s)', (token) => {
  it('is told nothing of what notes say, over HTTP', async () => {
    const told: string[] = [];
    const look = (what: string, text: string, status: number) => {
      // What the caller itself sent comes back.
      const foreign = text
        .replaceAll('Sesam heading', '')
        .replace(/[0-9a-f]{64}|note-[0-9a-f]{8}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '');
      if (/sesame|4821/i.test(foreign) || (status >= 400 && HASH_OF_NOTE.test(text)))
        told.push(`${what}: ${text.slice(0, 600)}`);
    };
    for (const [path, body] of CALLS) {
      const { text, status } = await live.http('POST', path, body, token);
      look(`${path} ${JSON.stringify(body)}`, text, status);
      expect(status).not.toBe(500);
    }
    for (const path of GETS) {
      const { text, status } = await live.http('GET', path, undefined, token);
      look(path, text, status);
    }
    expect(told).toEqual([]);
  });

  it('cannot tell a right guess of a text from a wrong one', async () => {
    const code = async (path: string, body: unknown) => (await live.http('POST', path, body, token)).text;
    const shape = (text: string) =>
      text.replace(
        /[0-9a-f]{8}-[0-9a-f-]{27}|\d{4}-\d\d-\d\dT[\d:]{8}Z|(?:\\")?[0-9a-f]{64}(?:\\")?|(?:pin|note)-[0-9a-f]{8}(?:-\d{6})?|482\d/g,
        '*',
      );
    const pairs: [string, (guess: string) => unknown][] = [
      ['/answer/file', (guess) => quote(`The number is ${guess}`)],
      [
        '/write',
        (guess) => ({
          ...{ content: `# Pin\n\n${guess}\n`, wing: 'net', hall: 'facts', slug: 'pin' },
          dry_run: true,
        }),
      ],
      ['/write', (guess) => ({ content: `[[plan#Sesame ${guess}]]`, slug: 'probe', dry_run: true })],
      [
        '/ingest-raw',
        (guess) => ({ pages: [{ title: 'Pin', content: `# Pin\n\n${guess}\n` }], dry_run: true }),
      ],
      ['/write', (guess) => ({ content: `The code is ${guess}.`, dry_run: true })],
      ['/ingest', (guess) => ({ text: `# Pin\n\n${guess}\n`, dry_run: true })],
      ['/update', (guess) => ({ path: 'wiki/net/facts/pin.md', content: guess, reason: 'x', dry_run: true })],
    ];
    for (const [path, body] of pairs) {
      const [right, wrong] = [await code(path, body('4821')), await code(path, body('4822'))];
      expect(shape(right)).toBe(shape(wrong));
    }
    const heading = (name: string) => ({ content: `[[plan#${name}]]`, slug: 'probe', dry_run: true });
    const [there, missing] = [
      await code('/write', heading('Sesame heading')),
      await code('/write', heading('Sesame heedings')),
    ];
    expect(shape(there).replaceAll('heading', 'heedings')).toBe(shape(missing));
    for (const name of ['plan', 'Sesame plan', 'Sesame alias', 'wiki/net/facts/plan', 'raw/2026-01-03-q']) {
      const link = async (target: string) =>
        (await code('/write', { content: `[[${target}]]`, slug: 'probe', dry_run: true })).replaceAll(
          target,
          '…',
        );
      expect(shape(await link(name))).toBe(shape(await link(`${name}-no`)));
    }
  });

  it('gets a number behind a name that the service makes and another note has', async () => {
    const { body } = await live.http('POST', '/capture', { text: '# Plan\n\nWords of their own.' }, 'owner');
    const mine = await live.http('POST', '/capture', { text: '# Plan\n\nOther words.' }, token);
    expect(mine.status).toBe(200);
    expect(mine.body.path).not.toBe(body.path);
  });

  it('is told that a name is taken, and no more', async () => {
    const note = { content: '# Mine\n\nWords.', wing: 'net', hall: 'facts', slug: 'pin' };
    const { status, body } = await live.http('POST', '/write', note, token);
    if (token === 'dropbox')
      return expect([status, body.path]).toEqual([200, expect.stringMatching(/^raw\//)]);
    const said = {
      code: 'taken',
      message: 'The name wiki/net/facts/pin.md is taken. Choose another one.',
      details: { path: 'wiki/net/facts/pin.md' },
      request_id: expect.any(String),
    };
    expect([status, body.error]).toEqual([409, said]);
    const withoutId = (answer: unknown) => JSON.stringify(answer).replace(/"request_id":"[^"]*"/, '');
    for (const more of [{ overwrite: true }, { dry_run: true }, { content: '4821', overwrite: true }]) {
      const again = await live.http('POST', '/write', { ...note, ...more }, token);
      expect(withoutId(again.body.error)).toBe(withoutId(body.error));
    }
    const pages = [{ title: 'Pin', content: 'Words.', wing: 'net', hall: 'facts', slug: 'pin' }];
    expect((await live.http('POST', '/ingest-raw', { pages, destination: 'wiki' }, token)).text).toContain(
      '"taken"',
    );
  });

  it('sees no tool and no resource that reads', async () => {
    const client = await live.mcp(token);
    const { tools } = await client.listTools();
    const reading = TOOLS.filter(
      ({ operation }) => operation.scope === 'read' && operation.orScope === undefined,
    ).map(({ name }) => name);
    expect(tools.map(({ name }) => name).filter((name) => reading.includes(name))).toEqual([]);
    expect((await client.listResources()).resources).toEqual([]);
    await expect(client.readResource({ uri: `brain://note/${PLAN}` })).rejects.toThrow(/scope "read"/);
    const ref = { type: 'ref/resource' as const, uri: 'brain://note/{+path}' };
    await expect(client.complete({ ref, argument: { name: 'path', value: 'wiki/' } })).rejects.toThrow(
      /scope "read"/,
    );
    const result = await client.callTool({
      name: 'brain_write',
      arguments: {
        ...{ wing: 'net', hall: 'facts', slug: 'plan', content: PROBE },
      },
    });
    expect(JSON.stringify(result)).not.toMatch(/sesame|4821/i);
  });
});

describe('putting an answer into the queue', () => {
  it.each(['dropbox', 'writer', 'janitor'])('needs "read" beside its own scope (%s)', async (token) => {
    for (const guess of ['The number is 4821', 'The number is 4822']) {
      for (const path of [PLAN, 'wiki/net/facts/none.md', '../x']) {
        const asked = { ...quote(guess), citations: [{ n: 1, path, quote: guess }] };
        const { status, body } = await live.http('POST', '/answer/file', asked, token);
        expect([status, body.error]).toEqual([
          403,
          expect.objectContaining({ code: 'forbidden_scope', details: { scope: 'read' } }),
        ]);
      }
    }
  });

  it.each([['reader', 'propose']])('needs "propose" as before (%s)', async (token, scope) => {
    const { status, body } = await live.http('POST', '/answer/file', quote('The number is 4821'), token);
    expect([status, body.error]).toEqual([403, expect.objectContaining({ details: { scope } })]);
  });

  it.each(['proposer', 'laptop', 'owner'])('works for tokens that have both (%s)', async (token) => {
    expect((await live.http('POST', '/answer/file', quote('The number is 4821'), token)).status).toBe(200);
  });

  it('says so in the description', async () => {
    const { body } = await live.http('GET', '/openapi.json');
    expect(JSON.stringify(body)).toContain('Needs a token with the scopes \\"propose\\" and \\"read\\".');
  });
});

it('hears nothing of others who took in the same text', async () => {
  const text = '# Doc\n\nA text that several send.';
  const first = (await live.http('POST', '/ingest', { text }, 'owner')).body;
  for (const token of ['dropbox', 'writer', 'dropbox']) {
    const answer = (await live.http('POST', '/ingest', { text }, token)).body;
    expect(JSON.stringify(answer)).not.toContain(first.original);
    expect(answer).toMatchObject({ source_hash: first.source_hash, pages: [{ title: 'Doc' }] });
  }
  const again = (await live.http('POST', '/ingest', { text }, 'writer')).body;
  expect(again).toMatchObject({ extraction: 'unchanged', counts: { written: 0 } });
});

it('a token without read that repeats its own call still hears that the note stands', async () => {
  const note = { content: '# Mine\n\nWords.', wing: 'net', hall: 'facts', slug: 'mine' };
  expect((await live.http('POST', '/write', note, 'writer')).body.created).toBe(true);
  expect((await live.http('POST', '/write', note, 'writer')).body.unchanged).toBe(true);
});
