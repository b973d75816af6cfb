import * as fc from 'fast-check';
import { lstat, readdir } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { FACTOR, SEED } from '../../fuzz/fuzz';
import { type LiveServer, startLiveServer, TOKENS } from '../../support/live-server';
import { ask } from '../attack/raw-client';
import { API_DESCRIPTION, type Described, describedApi } from './described-api';
import { brokenValuesOf, isSchema, resolvePlaceholders, valuesOf } from './schema-arbitrary';

/**
 * The server held against its own description: requests are made from the schemas of `/openapi.json`, good ones and broken
 * ones, and every answer must be one that the description promises. `BRAIN_FUZZ_RUNS` and `BRAIN_FUZZ_SEED` mean what they
 * mean to the fuzz tests.
 */
const RUNS = Math.max(1, Math.round(10 * FACTOR));
// One that runs out of time goes on beside the next, which then sees a vault change under it.
jest.setTimeout(60_000 * Math.max(1, FACTOR));

const NOTE = '---\nwing: net\nhall: facts\n---\n# MTU\n\nWireGuard wants 1420. See [[restic]].\n';
const FILES = {
  'wiki/net/facts/mtu.md': NOTE,
  'wiki/net/decisions/restic.md': '# Restic\n\nBackups stay 30 days.\n',
  'wiki/net/facts/locked.md': '---\nlocked: true\n---\nmine\n',
  'knowledge/old.md': '# Old\n\nLegacy.\n',
  'raw/2026-11-01-dns.md': '# DNS\n\nUnbound.\n',
  'raw/2026-11-02-ntp.md': '---\nwing: net\nhall: facts\n---\n# NTP\n\nChrony.\n',
  'raw/rejected/noise.md': '# Noise\n',
  'inbox/a.txt': 'A text about backups.\n',
  'inbox/folder/b.md': '# B\n\nAnother.\n',
  'inbox/office.docx': 'PK',
  'AGENTS.md': '# Root\n',
};
const PATHS = [...Object.keys(FILES), 'inbox', 'inbox/folder', 'wiki/net/facts/none.md'];
const API = describedApi(API_DESCRIPTION, ['/mcp']);

interface Sent {
  readonly status: number;
  readonly body: unknown;
  readonly retryAfter: string | null;
}

let server: LiveServer;
/** What requests may name: it grows with what the server answers. */
const pools = { path: [...PATHS], hash: ['0'.repeat(64)], job: ['none'] };

beforeAll(async () => {
  server = await startLiveServer(FILES, { rateLimit: 0 });
  for (const path of PATHS) learn((await server.http('GET', `/note?path=${encodeURIComponent(path)}`)).body);
  expect(pools.hash.length).toBeGreaterThan(3);
});
afterAll(() => server.stop());

/** Sends a request as it is, without the scruples of `fetch`. */
function send(
  method: string,
  target: string,
  headers: Readonly<Record<string, string>>,
  body?: string,
): Promise<Sent> {
  return new Promise((resolve, reject) => {
    const sent = request(server.url, { method, path: target, headers }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      answer.on('end', () => {
        const { 'retry-after': retryAfter = null, 'x-request-id': id } = answer.headers;
        const parsed: unknown = text === '' ? null : JSON.parse(text);
        if (id === undefined) reject(new Error('an answer without X-Request-Id'));
        resolve({ status: answer.statusCode ?? 0, body: parsed, retryAfter });
      });
    });
    sent.on('error', reject).end(body);
  });
}

/** Keeps the paths and hashes of an answer, so that later requests meet what is there. */
function learn(answer: unknown): void {
  if (Array.isArray(answer)) return answer.forEach(learn);
  if (!isSchema(answer)) return;
  for (const [key, value] of Object.entries(answer)) {
    if (typeof value !== 'string') learn(value);
    else if (/path$/.test(key) && pools.path.length < 200) pools.path.push(value);
    else if (key === 'job') pools.job.push(value);
    else if (/hash$|supersedes$/.test(key) && pools.hash.length < 200) pools.hash.push(value);
  }
}

function call(route: Described, input: unknown, token = 'owner'): Promise<Sent> {
  const authorization = `Bearer ${token}`;
  if (route.takesBody) {
    return send(
      route.method,
      route.path,
      { authorization, 'content-type': 'application/json' },
      JSON.stringify(input),
    );
  }
  const query = new URLSearchParams(
    Object.entries(isSchema(input) ? input : {}).map(([name, value]) => [name, textOf(value)]),
  );
  const file = route.takesFile ? '# A file\n\nIts text.\n' : undefined;
  return send(route.method, `${route.path}?${query.toString()}`, { authorization }, file);
}

/** A value as a query string carries it. */
function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** The input as the server takes it: null counts as not given, at the top level and for a field. */
function withoutNulls(input: unknown): unknown {
  if (input === null) return {};
  if (!isSchema(input)) return input;
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== null));
}

/** What the vault's files are; the audit log is left out, which records refused calls too. */
async function vaultState(): Promise<string> {
  const lines: string[] = [];
  for (const path of await readdir(server.root, { recursive: true })) {
    // The catalog is kept in the background, at a time of its own, and the lock is touched every minute.
    const isOfItsOwn = /catalog\.bin$|[\\/]tmp[\\/]|[\\/]lock$/.test(path);
    if (path.startsWith(join('.brain', 'audit')) || isOfItsOwn) continue;
    const { ino, size, ctimeMs, mode } = await lstat(join(server.root, path));
    lines.push(`${path} ${mode} ${ino} ${(mode & 0o170000) === 0o040000 ? '' : `${size} ${ctimeMs}`}`);
  }
  return lines.sort().join('\n');
}

/** Resolves when what a call has begun in the background is over. */
async function settle({ path }: Described, input: unknown, answer: unknown): Promise<void> {
  const ask = async (target: string) => (await server.http('GET', target)).body;
  if (isSchema(answer) && typeof answer.job === 'string') {
    while ((await ask(`/job?id=${answer.job}`)).status === 'running');
  }
  if (path !== '/inbox/ingest' && path !== '/quarantine/retry') return;
  if (isSchema(input) && input.dry_run === true) return;
  for (;;) {
    const { watcher } = await ask('/status');
    const left = isSchema(watcher) && Array.isArray(watcher.left) ? watcher.left : [];
    const files = await readdir(join(server.root, 'inbox'), { recursive: true, withFileTypes: true });
    const dropped = files.filter((file) => file.isFile() && !/processed|quarantine/.test(file.parentPath));
    if (isSchema(watcher) && watcher.running === undefined && dropped.length <= left.length) return;
  }
}

/** Sends one request and holds the answer against the description. Resolves with its status. */
async function probe(route: Described, input: unknown, token?: string): Promise<number> {
  const before = await vaultState();
  const answer = await call(route, input, token);
  const fault = route.fault(answer) ?? (answer.status === 500 ? 'an internal failure' : null);
  if (fault !== null) {
    throw new Error(
      `${route.method} ${route.path} ${JSON.stringify(input)}\n${fault}\n${JSON.stringify(answer)}`,
    );
  }
  if (answer.status === 200) {
    learn(answer.body);
    await settle(route, input, answer.body);
  } else expect(await vaultState()).toBe(before);
  return answer.status;
}

const settings = { numRuns: RUNS, seed: SEED, endOnFailure: true };

describe.each(API.map((route) => [`${route.method} ${route.path}`, route] as const))('%s', (_name, route) => {
  it('answers every request that fits its schema as it promises', async () => {
    await fc.assert(
      fc.asyncProperty(valuesOf(route.input), async (input) => {
        await probe(route, resolvePlaceholders(input, pools));
      }),
      settings,
    );
  });

  it('refuses what does not fit its schema, with a documented code and nothing changed', async () => {
    await fc.assert(
      fc.asyncProperty(brokenValuesOf(route.input), async (input) => {
        const resolved = resolvePlaceholders(input, pools);
        // Parameters arrive as text, of which some is a number again.
        const isRefused =
          route.takesBody && !route.accepts(withoutNulls(JSON.parse(JSON.stringify(resolved))));
        const status = await probe(route, resolved);
        if (isRefused) expect([JSON.stringify(resolved), status]).toEqual([expect.anything(), 400]);
      }),
      settings,
    );
  });

  it('keeps its promise towards every token', async () => {
    await fc.assert(
      fc.asyncProperty(
        valuesOf(route.input),
        fc.constantFrom(...Object.keys(TOKENS), 'nobody'),
        async (input, token) => {
          const status = await probe(route, resolvePlaceholders(input, pools), token);
          if (token === 'nobody' && route.guarded) expect(status).toBe(401);
        },
      ),
      { ...settings, numRuns: Math.ceil(RUNS / 4) },
    );
  });

  it('refuses foreign hosts and origins, strangers, and bodies that are no JSON, as it promises', async () => {
    const before = await vaultState();
    const authorization = 'Bearer owner';
    const json = { authorization, 'content-type': 'application/json' };
    const cases: readonly (readonly [Record<string, string>, string | undefined, number])[] = [
      [{ ...json, host: 'evil.example' }, undefined, 403],
      [{ ...json, origin: 'https://evil.example' }, undefined, 403],
      [{ ...json, 'sec-fetch-site': 'cross-site' }, undefined, 403],
      ...(route.guarded
        ? [[{}, undefined, 401] as const, [{ authorization: 'Basic eDp5' }, undefined, 401] as const]
        : []),
      ...(route.takesBody
        ? [
            [json, '{', 400] as const,
            [json, '{"a":'.repeat(100), 400] as const,
            [json, '{"__proto__":{}}', 400] as const,
            [{ authorization, 'content-type': 'text/plain' }, '{}', 415] as const,
            [{ authorization }, '{}', 415] as const,
            [{ ...json, 'content-encoding': 'gzip' }, '{}', 415] as const,
          ]
        : []),
    ];
    for (const [headers, body, status] of cases) {
      const answer = await send(route.method, route.path, headers, body);
      expect([headers, answer.status, route.fault(answer)]).toEqual([headers, status, null]);
    }
    expect(await vaultState()).toBe(before);
  });

  it('is refused by the server itself with nothing that is not described', async () => {
    const port = Number(new URL(server.url).port);
    const head = (version: string, more: string) =>
      `${route.method} ${route.path} ${version}\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer owner\r\n${more}\r\n`;
    const cases: readonly (readonly [string, number])[] = [
      [head('HTTP/1.1', 'Expect: the-spanish-inquisition\r\n'), 417],
      [head('HTTP/1.1', 'X: a\r\n'.repeat(100)), 431],
      [head('HTTP/1.1', `X: ${'a'.repeat(17_000)}\r\n`), 431],
      [head('HTTP/2.0', ''), 505],
      [head('HTTP/1.1', 'Content-Length: 1\r\nTransfer-Encoding: chunked\r\n'), 400],
      [head('HTTP/1.1', '').replace(' ', ' http://127.0.0.1'), 403],
    ];
    for (const [request, status] of cases) {
      const [answer] = await ask(port, request);
      if (answer === undefined) throw new Error(`no answer to ${request.slice(0, 80)}`);
      const told = { status: answer.status, body: JSON.parse(answer.body), retryAfter: null };
      expect([answer.status, route.fault(told)]).toEqual([status, null]);
    }
  });

  it('refuses every method that its path does not have', async () => {
    const known = API.filter(({ path }) => path === route.path).map(({ method }) => method);
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND']) {
      if (known.includes(method)) continue;
      const answer = await send(method, route.path, { authorization: 'Bearer owner' });
      expect([method, answer.status]).toEqual([method, 405]);
    }
  });
});

it('answers a body over the limit of its route as documented', async () => {
  for (const route of API.filter(({ takesBody }) => takesBody)) {
    const answer = await send(route.method, route.path, {
      authorization: 'Bearer owner',
      'content-type': 'application/json',
      'content-length': String(33 * 1024 * 1024),
      connection: 'close',
    }).catch((error: unknown) => String(error));
    if (typeof answer === 'string') throw new Error(`${route.path}: ${answer}`);
    expect([route.path, answer.status, route.fault(answer)]).toEqual([route.path, 413, null]);
  }
});
