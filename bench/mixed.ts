import { join } from 'node:path';
import { Agent, request } from 'node:http';
import { mkdir, writeFile } from 'node:fs/promises';
import {
  type Health,
  ms,
  randomFrom,
  type Served,
  serveWatched,
  table,
  TOKEN,
  withFolder,
  textOf,
  untilRead,
} from './support';

const CLIENTS = 16;
const SETTLED_CALLS = 5000;
/**
 * Files that were made just before the start are read once more, as they may be changed again within a tick. In milliseconds.
 */
const OLD_ENOUGH = 2_500;
/**
 * How many times as large as after the warm-up the heap may be at the end of the memory bench. It grew by a tenth over 100,000
 * calls; half of 50 MiB is what a leak of 260 bytes a call would make of it.
 */
const MOST_GROWTH = 1.5;

/**
 * 16 clients on a vault of so many notes for so many minutes, reads and writes mixed, over HTTP and MCP. The process ends with
 * 1 when a call was not answered as it should be.
 */
export async function benchMixed(minutes: number, notes: number): Promise<void> {
  console.log(
    `## ${CLIENTS} clients, ${minutes} minutes, mixed reads and writes on ${notes} notes, HTTP and MCP\n`,
  );
  await withFolder(async (folder) => {
    const vault = join(folder, 'vault');
    const random = randomFrom(11);
    await makeVault(vault, notes);
    const queue = await fillQueue(vault, Math.ceil(minutes * 600), random);
    await new Promise((resolve) => setTimeout(resolve, OLD_ENOUGH));
    const { served, health } = await serveWatched(folder, vault);
    try {
      await untilRead(served);
      const before = await health();
      const until = performance.now() + minutes * 60_000;
      const result = await driveMix(
        served,
        CLIENTS,
        growingMix(notes, queue, random),
        () => performance.now() < until,
      );
      const after = await health();
      report(result);
      console.log(
        `Event loop held: p99 ${ms(after.loopP99)}, longest ${ms(after.loopMax)}. RSS ${mib(before.rss)} at the start, ${mib(after.rss)} at the end; ` +
          `heap after collection ${mib(before.heapUsed)} and ${mib(after.heapUsed)}.\n`,
      );
      conclude(brokenBounds(result));
    } finally {
      await served.stop();
    }
  });
}

/**
 * The heap after collection while so many calls go by that leave the vault as large as it was. The process ends with 1 when a
 * call was not answered as it should be, or when the heap has grown too much since the warm-up.
 */
export async function benchMemory(calls: number, notes: number): Promise<void> {
  console.log(`## Memory over ${calls} mixed calls of ${CLIENTS} clients on ${notes} notes\n`);
  await withFolder(async (folder) => {
    const vault = join(folder, 'vault');
    const random = randomFrom(13);
    await makeVault(vault, notes);
    const queue = await fillQueue(vault, 64, random);
    await new Promise((resolve) => setTimeout(resolve, OLD_ENOUGH));
    const { served, health } = await serveWatched(folder, vault);
    try {
      await untilRead(served);
      const next = steadyMix(notes, queue, random);
      const rows: string[][] = [];
      const heaps: number[] = [];
      let errors = 0;
      for (let done = 0; done < calls + SETTLED_CALLS;) {
        const part = done === 0 ? SETTLED_CALLS : Math.min(10_000, calls + SETTLED_CALLS - done);
        const result = await driveMix(served, CLIENTS, next, (sent) => sent < part);
        errors += result.errors;
        for (const error of result.firstErrors) console.log(`  ${error}`);
        done += part;
        const now = await health();
        heaps.push(now.heapUsed);
        rows.push([String(done), ...row(now)]);
      }
      table(['calls', 'heap after collection', 'outside the heap', 'RSS', 'loop p99', 'loop longest'], rows);
      console.log(`Errors: ${errors}.\n`);
      conclude(brokenBounds({ calls, errors, heaps }));
    } finally {
      await served.stop();
    }
  });
}

/**
 * What a run has to be ashamed of, in words.
 * @param heaps bytes that were held at each look, the first after the warm-up; absent where the vault grows
 */
export function brokenBounds(run: {
  readonly calls: number;
  readonly errors: number;
  readonly heaps?: readonly number[];
}): string[] {
  const broken: string[] = [];
  if (!(run.calls > 0)) broken.push('not one call was made');
  if (run.errors > 0) broken.push(`${run.errors} calls were not answered as they should be`);
  if (run.heaps === undefined) return broken;
  const [first = Number.NaN] = run.heaps;
  const last = run.heaps.length > 1 ? (run.heaps.at(-1) ?? Number.NaN) : Number.NaN;
  if (!(last <= MOST_GROWTH * first))
    broken.push(
      `the heap went from ${mib(first)} to ${mib(last)}, and may be at most ${MOST_GROWTH} times as large`,
    );
  return broken;
}

/** Says which bounds were broken, and lets the process end with 1 if any was. */
function conclude(broken: readonly string[]): void {
  for (const bound of broken) console.log(`Failed: ${bound}.`);
  if (broken.length > 0) process.exitCode = 1;
}

function row({ heapUsed, external, rss, loopP99, loopMax }: Health): string[] {
  return [mib(heapUsed), mib(external), mib(rss), ms(loopP99), ms(loopMax)];
}

function report({ samples, calls, seconds, errors, firstErrors }: MixResult): void {
  const quantile = (sorted: readonly number[], q: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? Number.NaN;
  const rows = [...samples]
    .sort(([a], [b]) => a.localeCompare(b))
    .map(([kind, times]) => {
      const sorted = [...times].sort((a, b) => a - b);
      return [kind, String(sorted.length), ...[0.5, 0.95, 0.99, 1].map((q) => ms(quantile(sorted, q)))];
    });
  table(['call', 'count', 'p50', 'p95', 'p99', 'longest'], rows);
  console.log(
    `${calls} calls in ${seconds.toFixed(0)} s, ${(calls / seconds).toFixed(0)} a second. Errors: ${errors}.`,
  );
  for (const error of firstErrors) console.log(`  ${error}`);
}

function mib(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(1)} MiB`;
}

/** One call of a mix: what it is called in the figures, and what is sent. */
export interface MixedCall {
  readonly kind: string;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: unknown;
  /** For calls that come in pairs: told of the answer. */
  readonly done?: (answer: Record<string, unknown>) => void;
}

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
function growingMix(notes: number, queue: string[], random: () => number): () => MixedCall {
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
