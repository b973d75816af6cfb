import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { call, serve } from '../../../bench/support';
import { withTempFolder } from '../../support/temp-folder';

/**
 * One note that takes memory or time out of all proportion to its length: the server lives with a small heap, starts again on a
 * vault that holds such notes, and answers. What is measured is memory, so a slow machine only takes longer.
 */
const TOKEN = 'attack-token-attack-token-attack-token';
/** The server takes 60 MB of it for itself (MB). */
const HEAP = 256;

const definitions = `# n\n\n${'[a]:'.repeat(62_000)}`;
const longDefinition = `[a]: x${'x'.repeat(60_000)}\n\n${'[a] '.repeat(22_000)}`;
const tags = `$= ${'<code>'.repeat(665)}\n\n`.repeat(225);

/** Starts the built server with a small heap on a vault of these files. */
async function served(
  files: Readonly<Record<string, string>>,
  work: (ask: (method: string, path: string, body?: unknown) => ReturnType<typeof call>) => Promise<void>,
): Promise<void> {
  await withTempFolder(async (folder) => {
    const vault = join(folder, 'vault');
    await mkdir(vault);
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(vault, path)), { recursive: true });
      await writeFile(join(vault, path), text);
    }
    const heap = { NODE_OPTIONS: `--max-old-space-size=${HEAP}` };
    const server = await serve(vault, join(folder, 'config'), TOKEN, heap);
    try {
      await work((method, path, body) => call(server, TOKEN, method, path, body));
    } finally {
      await server.stop();
    }
  });
}

it.each([
  ['definitions that are uses', definitions],
  ['one long definition', longDefinition],
  ['tags in sections', tags],
])('lives through four callers at once who write %s', async (_name, content) => {
  await served({}, async (ask) => {
    const write = { wing: 'net', hall: 'facts', content, dry_run: true };
    const answers = await Promise.all(
      [1, 2, 3, 4].map((n) => ask('POST', '/write', { ...write, slug: `n-${n}` })),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  });
});

it('starts on a vault whose inbox, queue and wiki hold such notes, and answers', async () => {
  const files = {
    'inbox/a.md': longDefinition,
    'raw/2026-01-02-a.md': longDefinition,
    'raw/2026-01-02-b.md': tags,
    'wiki/net/facts/a.md': definitions,
    'Own/a.md': longDefinition,
  };
  await served(files, async (ask) => {
    let pending = await ask('GET', '/pending');
    while ('reading' in pending.body) pending = await ask('GET', '/pending');
    expect(pending).toMatchObject({ status: 200, body: { total: 2 } });
    expect((await ask('GET', '/note?path=wiki/net/facts/a.md')).status).toBe(200);
    expect((await ask('GET', '/health')).status).toBe(200);
  });
});

it('finds a block of a note of tens of thousands for thousands of links', async () => {
  const target = `# T\n\n${Array.from({ length: 25_000 }, (_, n) => `a ^b${n}\n\n`).join('')}`;
  await served({ 'wiki/net/facts/t.md': target }, async (ask) => {
    const content = Array.from({ length: 8_000 }, (_, n) => `[[t#^b${24_999 - n}]]`).join(' ');
    const answer = await ask('POST', '/write', { wing: 'net', hall: 'facts', slug: 'u', content });
    expect(answer.body).toMatchObject({ unlinked: [], warnings: [] });
  });
});
