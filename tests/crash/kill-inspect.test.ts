import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomFrom } from '../../bench/support';
import { sha256 } from '../../src/core/base/hash';
import { Inspector } from './kill-inspect';
import { bodyOf, type Known, type Traffic } from './kill-traffic';

const STANDING = 'wiki/home/facts/a.md';
const WAITING = 'raw/2026-11-01-b.md';
const REJECTED = 'raw/rejected/2026-11-01-c.md';
const TEXTS: Readonly<Record<string, string>> = {
  [STANDING]: bodyOf('a', 3, randomFrom(1)),
  [WAITING]: bodyOf('b', 0, randomFrom(2)),
  [REJECTED]: bodyOf('c', 0, randomFrom(3)),
};
const TRAFFIC: Traffic = {
  acknowledged: 3,
  unanswered: 0,
  byKind: { write: 1, update: 1, promote: 0, reject: 1 },
  audited: [],
  unansweredTools: 0,
  refusedTools: 0,
};

/** Looks at a sound vault through a server whose search answers as told, and otherwise says that all is well. */
async function inspected(find: (sum: string) => readonly string[]): Promise<readonly string[]> {
  const vault = await mkdtemp(join(tmpdir(), 'brain-inspect-'));
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (data: Buffer) => (body += data.toString()));
    request.on('end', () => {
      const { query = '' }: { query?: string } = body === '' ? {} : JSON.parse(body);
      const results = find(query).map((path) => ({ path }));
      response.end(JSON.stringify({ problem_count: 0, wings: [], notes: 1, results }));
    });
  });
  const inspector = new Inspector(vault);
  try {
    for (const folder of ['wiki/home/facts', 'raw/rejected', '.brain/audit'])
      await mkdir(join(vault, folder), { recursive: true });
    const notes = new Map<string, Known>();
    for (const [path, text] of Object.entries(TEXTS)) {
      await writeFile(join(vault, path), text);
      const id = /id:(\w+)/.exec(text)?.[1] ?? '';
      notes.set(id, { id, acked: { path, hash: sha256(text) }, pending: null, hashes: [] });
    }
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo; // it listens on a port
    return await inspector.inspect(notes, { url: `http://127.0.0.1:${port}` }, TRAFFIC, false);
  } finally {
    inspector.close();
    server.close();
    await rm(vault, { recursive: true, force: true });
  }
}

/** Where the version with this last line stands. */
function placesOf(sum: string): string[] {
  return Object.keys(TEXTS).filter((path) => TEXTS[path]?.includes(`sum:${sum}\n`));
}

it('has nothing to say of a search that finds what stands and waits, and nothing that was rejected', async () => {
  expect(await inspected((sum) => placesOf(sum).filter((path) => path !== REJECTED))).toEqual([]);
});

it.each([STANDING, WAITING])(
  'tells of %s when the search finds something else by its words',
  async (lost) => {
    const found = (sum: string) =>
      placesOf(sum).map((path) => (path === lost ? 'wiki/home/facts/z.md' : path));
    const problems = await inspected((sum) => found(sum).filter((path) => path !== REJECTED));
    expect(problems).toEqual([`the search does not find ${lost} by its words, but wiki/home/facts/z.md`]);
  },
);

it('tells of a note that the search still finds after its rejection', async () => {
  expect(await inspected(placesOf)).toEqual([`the search finds ${REJECTED}, which was rejected`]);
});
