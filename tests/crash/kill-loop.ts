import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomFrom, serve, type Served } from '../../bench/support';

/**
 * Kills the server in the middle of mixed writes and looks at what is left. Every acknowledged change must be there,
 * every file whole, every note in one place, and every version that was ever acknowledged readable by its hash.
 */
export interface KillLoopOptions {
  readonly rounds: number;
  readonly writesPerRound: number;
  readonly clients: number;
  readonly seed: number;
  readonly report?: (line: string) => void;
}

export interface KillLoopResult {
  readonly acknowledged: number;
  readonly inFlight: number;
  readonly problems: readonly string[];
}

const TOKEN = 'kill-loop-token';
const HALLS = ['facts', 'decisions', 'failures', 'hypotheses', 'sources'];

/** What the clients know of one note: what was acknowledged, and what was under way when the server died. */
interface Known {
  readonly id: string;
  /** Where the note was last acknowledged to be, and the hash it had there; null before its first acknowledgement. */
  acked: { path: string; hash: string } | null;
  /** Where an unanswered call may have left it instead. */
  pending: string | null;
  readonly hashes: string[];
}

export async function runKillLoop(options: KillLoopOptions): Promise<KillLoopResult> {
  const root = await mkdtemp(join(tmpdir(), 'brain-kill-'));
  const problems: string[] = [];
  let acknowledged = 0;
  let inFlight = 0;
  try {
    const random = randomFrom(options.seed);
    const notes = new Map<string, Known>();
    const vault = join(root, 'vault');
    await mkdir(join(vault, 'raw'), { recursive: true });
    for (let round = 0; round < options.rounds; round += 1) {
      await seedQueue(vault, notes, round, options.writesPerRound);
      const server = await start(vault, root);
      const killAfter = Math.floor((0.2 + random() * 0.7) * options.writesPerRound);
      const traffic = await drive(server, notes, { ...options, round, random, killAfter });
      acknowledged += traffic.acknowledged;
      inFlight += traffic.unanswered;
      const again = await start(vault, root);
      const found = await inspect(vault, notes, again);
      problems.push(...found.map((problem) => `round ${round}: ${problem}`));
      await again.stop();
      for (const problem of found) options.report?.(`  ${problem}`);
      options.report?.(
        `round ${round + 1}: killed after ${traffic.acknowledged} acknowledged, ${traffic.unanswered} in flight, ${found.length} problems`,
      );
    }
  } finally {
    await rm(root, { recursive: true, force: true });
  }
  return { acknowledged, inFlight, problems };
}

/** A body that proves itself: its last line is the hash of what stands before it. */
function bodyOf(id: string, version: number, random: () => number): string {
  const words = Array.from({ length: 50 + Math.floor(random() * 400) }, () =>
    Math.floor(random() * 1e9).toString(36),
  );
  const text = `# Note ${id}\n\nid:${id} version:${version}\n\n${words.join(' ')}\n\n`;
  return `${text}sum:${createHash('sha256').update(text).digest('hex')}\n`;
}

function isWhole(body: string): boolean {
  const at = body.lastIndexOf('sum:');
  const text = body.slice(0, at);
  return at >= 0 && body.slice(at + 4).trim() === createHash('sha256').update(text).digest('hex');
}

async function seedQueue(
  vault: string,
  notes: Map<string, Known>,
  round: number,
  writes: number,
): Promise<void> {
  for (let n = 0; n < writes; n += 4) {
    const id = `q${round}x${n}`;
    const path = `raw/2026-11-01-${id}.md`;
    const text = `---\ncustom: "kept ${id}"\n---\n${bodyOf(id, 0, Math.random)}`;
    await writeFile(join(vault, path), text);
    const hash = createHash('sha256').update(text).digest('hex');
    notes.set(id, { id, acked: { path, hash }, pending: null, hashes: [] });
  }
}

interface Traffic {
  acknowledged: number;
  unanswered: number;
}

async function drive(
  server: Served,
  notes: Map<string, Known>,
  run: KillLoopOptions & { round: number; random: () => number; killAfter: number },
): Promise<Traffic> {
  const agent = new Agent({ keepAlive: true, maxSockets: run.clients });
  const traffic = { acknowledged: 0, unanswered: 0 };
  const mine = (client: number) => [...notes.values()].filter((_, index) => index % run.clients === client);
  let killed = false;
  const client = async (number: number) => {
    const queue = mine(number).filter(({ acked }) => acked?.path.startsWith('raw/2'));
    const written = mine(number).filter(({ acked }) => acked?.path.startsWith('wiki/'));
    for (let n = 0; !killed && n < run.writesPerRound; n += 1) {
      const dice = run.random();
      const target =
        dice < 0.3
          ? queue.pop()
          : dice < 0.55
            ? written[Math.floor(run.random() * written.length)]
            : undefined;
      const [path, body, note, pending] = target
        ? target.acked?.path.startsWith('raw/')
          ? dice < 0.2
            ? promotion(target)
            : rejection(target)
          : update(target, n, run.random)
        : creation(notes, `r${run.round}c${number}n${n}`, run.random);
      note.pending = pending;
      const answer = await post(agent, server.url, path, body);
      if (answer === null) {
        traffic.unanswered += 1;
        return;
      }
      if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}: ${answer.text}`);
      const result = JSON.parse(answer.text) as {
        path: string;
        rejected_path?: string;
        content_hash?: string;
      };
      if (note.acked !== null && !note.acked.path.startsWith('raw/')) note.hashes.push(note.acked.hash);
      note.acked = { path: result.rejected_path ?? result.path, hash: result.content_hash ?? '' };
      note.pending = null;
      if (note.acked.path.startsWith('wiki/')) written.push(note);
      traffic.acknowledged += 1;
      if (traffic.acknowledged >= run.killAfter && !killed) {
        killed = true;
        server.process.kill('SIGKILL');
      }
    }
  };
  await Promise.all(Array.from({ length: run.clients }, (_, number) => client(number)));
  if (!killed) server.process.kill('SIGKILL');
  await server.exited;
  agent.destroy();
  return traffic;
}

type Call = readonly [path: string, body: unknown, note: Known, pending: string];

function creation(notes: Map<string, Known>, id: string, random: () => number): Call {
  const [wing, hall] = [`wing-${Math.floor(random() * 3)}`, HALLS[Math.floor(random() * 5)] ?? 'facts'];
  const note: Known = { id, acked: null, pending: null, hashes: [] };
  notes.set(id, note);
  return [
    '/write',
    { wing, hall, slug: id, content: bodyOf(id, 0, random) },
    note,
    `wiki/${wing}/${hall}/${id}.md`,
  ];
}

function update(note: Known, version: number, random: () => number): Call {
  const path = note.acked?.path ?? '';
  return ['/update', { path, content: bodyOf(note.id, version, random), reason: 'kill loop' }, note, path];
}

function promotion(note: Known): Call {
  const path = note.acked?.path ?? '';
  const target = { wing: 'promoted', hall: 'facts', slug: note.id };
  return ['/promote', { path, ...target }, note, `wiki/promoted/facts/${note.id}.md`];
}

function rejection(note: Known): Call {
  const path = note.acked?.path ?? '';
  return ['/reject', { path, reason: 'kill loop' }, note, path.replace('raw/', 'raw/rejected/')];
}

/** Everything that is wrong with the vault after the restart. */
async function inspect(vault: string, notes: Map<string, Known>, server: Served): Promise<string[]> {
  const problems: string[] = [];
  const places = new Map<string, string[]>();
  const hashes = new Map<string, string>();
  for (const path of await filesBelow(vault, ['wiki', 'raw'])) {
    if (path.endsWith('/_index.md')) continue;
    const text = await readFile(join(vault, path), 'utf8');
    hashes.set(path, createHash('sha256').update(text).digest('hex'));
    const body = text.replace(/^---\n[\s\S]*?\n---\n/, '');
    if (!isWhole(body)) problems.push(`${path} is torn`);
    const id = /id:(\w+)/.exec(body)?.[1] ?? `unknown in ${path}`;
    places.set(id, [...(places.get(id) ?? []), path]);
  }
  const agent = new Agent({ keepAlive: true });
  for (const note of notes.values()) {
    const found = places.get(note.id) ?? [];
    places.delete(note.id);
    if (found.length > 1) problems.push(`${note.id} is in ${found.join(' and ')}`);
    const [at] = found;
    const { acked, pending } = note;
    if (acked === null && pending === null) continue;
    if (at === undefined) {
      if (acked !== null) problems.push(`${note.id} is lost; acknowledged at ${acked.path}`);
      continue;
    }
    const asAcked =
      acked !== null && at === acked.path && (acked.hash === '' || hashes.get(at) === acked.hash);
    const asPending = pending !== null && at === pending;
    if (!asAcked && !asPending)
      problems.push(`${note.id} is at ${at} with another content than acknowledged`);
    if (asPending && !asAcked && acked !== null && !acked.path.startsWith('raw/'))
      note.hashes.push(acked.hash);
    note.acked = { path: at, hash: hashes.get(at) ?? '' };
    note.pending = null;
    for (const hash of note.hashes.splice(0).filter(Boolean)) {
      const answer = await get(agent, server.url, `/history?hash=${hash}`);
      if (answer?.status !== 200)
        problems.push(`${note.id}: the version ${hash} cannot be read (${answer?.status})`);
    }
  }
  for (const [id, paths] of places) problems.push(`${id} in ${paths.join(', ')} was never written`);
  for (const path of await filesBelow(vault, ['.brain'])) {
    if (/\/tmp\//.test(path)) problems.push(`litter: ${path}`);
  }
  agent.destroy();
  return problems;
}

async function filesBelow(vault: string, folders: readonly string[]): Promise<string[]> {
  const paths: string[] = [];
  for (const folder of folders) {
    const entries = await readdir(join(vault, folder), { recursive: true, withFileTypes: true });
    for (const entry of entries) {
      if (entry.isFile()) paths.push(join(entry.parentPath, entry.name).slice(vault.length + 1));
    }
  }
  return paths;
}

function start(vault: string, root: string): Promise<Served> {
  return serve(vault, join(root, 'config'), TOKEN);
}

interface Answer {
  readonly status: number;
  readonly text: string;
}

function post(agent: Agent, url: string, path: string, body: unknown): Promise<Answer | null> {
  return send(agent, url, path, 'POST', JSON.stringify(body));
}

function get(agent: Agent, url: string, path: string): Promise<Answer | null> {
  return send(agent, url, path, 'GET');
}

/** One call; asked again while the server still reads its vault. Null when it died before it answered whole. */
async function send(
  agent: Agent,
  url: string,
  path: string,
  method: string,
  body?: string,
): Promise<Answer | null> {
  for (;;) {
    const answer = await sendOnce(agent, url, path, method, body);
    if (answer?.status !== 503) return answer;
  }
}

function sendOnce(
  agent: Agent,
  url: string,
  path: string,
  method: string,
  body?: string,
): Promise<Answer | null> {
  const headers = {
    authorization: `Bearer ${TOKEN}`,
    ...(body !== undefined && { 'content-type': 'application/json' }),
  };
  return new Promise((resolve) => {
    const sent = request(url + path, { agent, method, headers }, (answer) => {
      let text = '';
      answer.on('data', (data: Buffer) => (text += data.toString()));
      answer.on('end', () => resolve(answer.complete ? { status: answer.statusCode ?? 0, text } : null));
      answer.on('error', () => resolve(null));
    });
    sent.on('error', () => resolve(null));
    sent.end(body);
  });
}
