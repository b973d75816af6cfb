import { Agent, request } from 'node:http';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { randomFrom, serve, type Served, textOf } from './support';

/** One call of a mix: what it is called in the figures, and what is sent. */
export interface MixedCall {
  readonly kind: string;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: unknown;
  /** For calls that come in pairs: told of the answer. */
  readonly done?: (answer: Record<string, unknown>) => void;
}

const TOKEN = 'bench-token-that-is-long-enough-0123456789';
/** Notes that the steady mix changes again and again; nobody else touches them. */
const STEADY_NOTES = 64;

const HALLS = ['facts', 'decisions', 'failures', 'hypotheses', 'sources'];

/** A vault of so many notes in ten wings, made without the service. */
export async function makeVault(folder: string, notes: number): Promise<void> {
  const random = randomFrom(7);
  for (let n = 0; n < notes; n += 1) {
    const [wing, hall] = [`wing-${n % 10}`, HALLS[n % 5] ?? 'facts'];
    const path = join(folder, 'wiki', wing, hall, `note-${n}.md`);
    if (n < 50) await mkdir(join(folder, 'wiki', wing, hall), { recursive: true });
    const head = `---\nwing: ${wing}\nhall: ${hall}\ncreated_at: 2026-01-01T00:00:00Z\n---\n# Note ${n}\n\n`;
    await writeFile(path, head + textOf(300, random));
  }
}

/** A running server that tells how it is. */
export interface Watched {
  readonly served: Served;
  health(): Promise<Health>;
}

export interface Health {
  /** Milliseconds for which the event loop was held since the last time. */
  readonly loopP99: number;
  readonly loopMax: number;
  /** Bytes. */
  readonly rss: number;
  readonly heapUsed: number;
  readonly external: number;
}

/** Starts the built server on the vault, with a watch on its event loop and memory. */
export async function serveWatched(folder: string, vault: string): Promise<Watched> {
  const file = join(folder, 'health.json');
  const served = await serve(vault, join(folder, 'config'), TOKEN, {
    BENCH_HEALTH: file,
    NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ''} --import ${resolve('bench/health-watch.mjs')}`,
  });
  return {
    served,
    async health() {
      await rm(file, { force: true });
      served.process.kill('SIGUSR2');
      for (;;) {
        const text = await readFile(file, 'utf8').catch(() => null);
        if (text !== null) return JSON.parse(text) as Health; // what health-watch.mjs writes
        await new Promise((wait) => setTimeout(wait, 20));
      }
    },
  };
}

/** Puts so many notes into the queue, as a person who drops files would. */
export async function fillQueue(vault: string, count: number, random: () => number): Promise<string[]> {
  await mkdir(join(vault, 'raw'), { recursive: true });
  const paths: string[] = [];
  for (let n = 0; n < count; n += 1) {
    const path = `raw/2026-11-01-queued-${n}.md`;
    await writeFile(join(vault, path), `# Queued ${n}\n\n${textOf(120, random)}\n`);
    paths.push(path);
  }
  return paths;
}

/** An MCP tool call as a request. */
function tool(name: string, args: unknown): MixedCall {
  const params = { name, arguments: args };
  return {
    kind: `MCP ${name}`,
    method: 'POST',
    path: '/mcp',
    body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params },
  };
}

/**
 * The mix of a working day: four reads to one write, over HTTP and MCP. Notes are made, so the vault grows.
 * @param notes how many notes there are at the start, named as `makeVault` names them
 */
export function growingMix(notes: number, queue: string[], random: () => number): () => MixedCall {
  const halls = ['facts', 'decisions', 'failures', 'hypotheses', 'sources'];
  let made = 0;
  const some = () => {
    const n = Math.floor(random() * notes);
    return `wiki/wing-${n % 10}/${halls[n % 5]}/note-${n}.md`;
  };
  const address = () => ({ wing: `wing-${made % 10}`, hall: halls[made % 5], slug: `mixed-${(made += 1)}` });
  const text = () => `# Mixed ${made}\n\n${textOf(200, random)}\n`;
  const words = () => textOf(3, random);
  const post = (path: string, body: unknown): MixedCall => ({
    kind: `POST ${path}`,
    method: 'POST',
    path,
    body,
  });
  const get = (path: string, query = ''): MixedCall => ({
    kind: `GET ${path}`,
    method: 'GET',
    path: path + query,
  });
  const mix: readonly (readonly [share: number, make: () => MixedCall])[] = [
    [30, () => post('/query', { query: words() })],
    [15, () => get('/note', `?path=${some()}`)],
    [4, () => get('/pending', '?limit=20')],
    [3, () => get('/wings')],
    [8, () => post('/write', { ...address(), content: text() })],
    [5, () => post('/update', { path: some(), content: text(), reason: 'measured' })],
    [2, () => post('/capture', { text: text(), wing: 'wing-1', hall: 'facts' })],
    [
      3,
      () => {
        const path = queue.pop();
        if (path === undefined) return post('/query', { query: words() });
        return random() < 0.5
          ? post('/promote', { path, wing: 'promoted', hall: 'facts' })
          : post('/reject', { path, reason: 'thin' });
      },
    ],
    [15, () => tool('brain_query', { query: words() })],
    [8, () => tool('brain_get', { path: some() })],
    [5, () => tool('brain_write', { ...address(), content: text() })],
    [2, () => tool('brain_pending', {})],
  ];
  return chooser(mix, random);
}

/**
 * A mix that leaves the vault as large as it was, so that memory which grows under it is lost: notes are replaced, decisions
 * are taken back, and some calls are refused.
 */
export function steadyMix(notes: number, queue: string[], random: () => number): () => MixedCall {
  const some = () => `wiki/wing-${Math.floor(random() * Math.min(notes, STEADY_NOTES)) % 10}`;
  const growing = growingMix(notes, [], random);
  const post = (path: string, body: unknown, done?: MixedCall['done']): MixedCall => ({
    kind: `POST ${path}`,
    method: 'POST',
    path,
    body,
    ...(done && { done }),
  });
  const back: MixedCall[] = [];
  const decide = (): MixedCall => {
    const ready = back.pop();
    if (ready !== undefined) return ready;
    const path = queue.pop();
    if (path === undefined) return post('/query', { query: some() });
    const again = (route: string) => (answer: Record<string, unknown>) => {
      const at = answer.rejected_path ?? answer.path;
      back.push(
        post(
          route,
          { path: at },
          (restored) => void queue.push(String(restored.restored_path ?? restored.path)),
        ),
      );
    };
    return random() < 0.5
      ? post('/promote', { path, wing: 'promoted', hall: 'facts' }, again('/unpromote'))
      : post('/reject', { path, reason: 'thin' }, again('/restore'));
  };
  const reads = [
    'POST /query',
    'GET /note',
    'GET /pending',
    'GET /wings',
    'MCP brain_query',
    'MCP brain_get',
    'MCP brain_pending',
  ];
  const read = (): MixedCall => {
    for (;;) {
      const call = growing();
      if (reads.includes(call.kind)) return call;
    }
  };
  let turn = 0;
  const replaced = () => `wiki/wing-${(turn += 1) % 10}/facts/note-${(turn * 10) % STEADY_NOTES}.md`;
  return chooser(
    [
      [70, read],
      [10, decide],
      [
        8,
        () =>
          tool('brain_write', {
            wing: 'steady',
            hall: 'facts',
            slug: `note-${(turn += 1) % STEADY_NOTES}`,
            content: `# Steady ${turn}\n\n${textOf(100, random)}\n`,
            overwrite: true,
          }),
      ],
      [
        6,
        () =>
          post('/write', {
            wing: 'steady',
            hall: 'decisions',
            slug: `note-${(turn += 1) % STEADY_NOTES}`,
            content: `# Steady ${turn}\n\n${textOf(100, random)}\n`,
            overwrite: true,
          }),
      ],
      [3, () => ({ kind: 'refused', method: 'POST', path: '/write', body: { wing: turn } })],
      [3, () => ({ kind: 'refused', method: 'GET', path: `/note?path=${replaced()}x` })],
    ],
    random,
  );
}

function chooser(
  mix: readonly (readonly [share: number, make: () => MixedCall])[],
  random: () => number,
): () => MixedCall {
  const total = mix.reduce((sum, [share]) => sum + share, 0);
  return () => {
    let dice = random() * total;
    for (const [share, make] of mix) if ((dice -= share) < 0) return make();
    throw new Error('the shares of a mix do not add up');
  };
}

export interface MixResult {
  readonly samples: ReadonlyMap<string, number[]>;
  readonly calls: number;
  readonly seconds: number;
  /** Answers that were not what they should be; the first of them in words. */
  readonly errors: number;
  readonly firstErrors: readonly string[];
}

/** So many clients, each with one call under way at a time, until `more` says that it is enough. */
export async function driveMix(
  served: Pick<Served, 'url'>,
  clients: number,
  next: () => MixedCall,
  more: (calls: number) => boolean,
): Promise<MixResult> {
  const agent = new Agent({ keepAlive: true, maxSockets: clients });
  const samples = new Map<string, number[]>();
  const firstErrors: string[] = [];
  let [calls, errors] = [0, 0];
  const began = performance.now();
  const client = async (): Promise<void> => {
    while (more(calls)) {
      calls += 1;
      const call = next();
      const started = performance.now();
      const { status, text } = await send(agent, served.url, call).catch((error: unknown) => ({
        status: 0,
        text: String(error),
      }));
      const took = performance.now() - started;
      samples.set(call.kind, samples.get(call.kind) ?? []);
      samples.get(call.kind)?.push(took);
      const isGood =
        call.kind === 'refused'
          ? status >= 400 && status < 500
          : status === 200 && !/"isError":true/.test(text);
      if (!isGood) {
        errors += 1;
        if (firstErrors.length < 5) firstErrors.push(`${call.kind} ${status}: ${text.slice(0, 200)}`);
      } else call.done?.(JSON.parse(text) as Record<string, unknown>); // every answer of the HTTP door is an object
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  agent.destroy();
  return { samples, calls, seconds: (performance.now() - began) / 1000, errors, firstErrors };
}

function send(
  agent: Agent,
  url: string,
  { method, path, body }: MixedCall,
): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${TOKEN}`,
      accept: 'application/json, text/event-stream',
      ...(body !== undefined && { 'content-type': 'application/json' }),
    };
    const sent = request(url + path, { method, agent, headers }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text }));
      answer.on('error', reject);
    });
    sent.on('error', reject).end(body === undefined ? undefined : JSON.stringify(body));
  });
}
