import { connect } from 'node:net';
import * as z from 'zod';
import { Catalog } from '../../src/core/catalog/catalog';
import type { Brain } from '../../src/core/operation/context';
import { findToken, hashToken, type Scope, SCOPES, type TokenStore } from '../../src/core/access/tokens';
import { configSchema, type Settings } from '../../src/core/config/config';
import { BrainError, ERROR_CODES } from '../../src/core/base/errors';
import { operation } from '../../src/core/operation/operation';
import { RateLimit } from '../../src/core/operation/rate-limit';
import { type AppOptions, createApp } from '../../src/doors/http/app';
import { type RunningServer, type ServerOptions, startServer } from '../../src/doors/http/listen';
import { MIB } from '../../src/core/base/hash';
import type { Route } from '../../src/doors/http/routes';
import { fixedClock } from '../support/fixed-clock';
import { type LogLine, silentLog } from '../support/silent-log';
import { alone } from '../../src/core/ports/ports';

/** Tokens that the fake store knows: one with every scope, one for each scope alone. */
export const OWNER = 'owner-token';
export const TOKENS: TokenStore = {
  verify: async (token) => {
    const all = { hash: hashToken(OWNER), name: 'laptop', scopes: new Set(SCOPES), page: false };
    const one = (scope: Scope) => ({
      hash: hashToken(`${scope}-token`),
      name: scope,
      scopes: new Set([scope]),
      page: false,
    });
    return findToken(hashToken(token), [all, ...SCOPES.map(one)]);
  },
};

/** What an operation threw by accident might quote. */
export const SECRET = 'the text of a private note';

/** Answers what it was called with. */
const echo = operation({
  name: 'echo',
  scope: 'write',
  mutates: true,
  input: z.strictObject({
    text: z.string().optional(),
    list: z.array(z.unknown()).optional(),
    dry_run: z.boolean().optional(),
  }),
  output: z.looseObject({}),
  run: async (_brain, input, caller) => ({ input, caller: { ...caller, scopes: [...caller.scopes] } }),
});

const find = operation({
  name: 'find',
  scope: 'read',
  mutates: false,
  input: z.strictObject({
    text: z.string(),
    limit: z.number().int().min(1).max(50).default(10).describe('Most results'),
    share: z.number().optional(),
    deep: z.boolean().optional(),
    kind: z.enum(['a', 'b']).optional(),
  }),
  output: z.strictObject({ input: z.looseObject({}) }),
  run: async (_brain, input) => ({ input }),
});

const fail = operation({
  name: 'fail',
  scope: 'read',
  mutates: false,
  input: z.strictObject({
    code: z.enum(ERROR_CODES).optional(),
    details: z.record(z.string(), z.unknown()).optional(),
  }),
  output: z.never(),
  run: async (_brain, { code, details }) => {
    if (code) throw new BrainError(code, `refused with ${code}`, details);
    throw Object.assign(new TypeError(SECRET), { code: 'ENOENT' });
  },
});

const job = (name: string) =>
  operation({
    name,
    scope: 'read',
    mutates: false,
    input: z.strictObject({ id: z.string() }),
    output: z.strictObject({ id: z.string(), name: z.string() }),
    run: async (_brain, { id }) => ({ id, name }),
  });

/** A small route table with one of everything. */
export const FAKE_ROUTES: readonly Route[] = [
  { method: 'POST', path: '/echo', operation: echo, tag: 'notes', summary: 'Echo' },
  {
    method: 'POST',
    path: '/large',
    operation: { ...echo, name: 'large' },
    bodyLimit: 9 * MIB,
    tag: 'notes',
    summary: 'Echo more',
  },
  { method: 'POST', path: '/fail', operation: fail, tag: 'notes', summary: 'Fail' },
  {
    method: 'GET',
    path: '/find',
    operation: find,
    tag: 'search',
    summary: 'Find',
    errors: ['note_not_found'],
  },
  { method: 'GET', path: '/job', operation: job('job'), tag: 'ingest', summary: 'Ask' },
  { method: 'DELETE', path: '/job', operation: job('cancel_job'), tag: 'ingest', summary: 'Cancel' },
];

export interface FakeBrain {
  readonly brain: Brain;
  readonly lines: readonly LogLine[];
}

/** As much of a brain as a door touches. */
export function fakeBrain(
  settings: Settings = {},
  ready: () => Promise<void> = async () => undefined,
): FakeBrain {
  const clock = fixedClock();
  const log = silentLog();
  const config = configSchema.parse(settings);
  const parts: Partial<Brain> = {
    clock,
    log,
    config,
    version: '1.2.3',
    servers: alone,
    ready,
    searchable: ready,
    isReady: () => true,
    unready: () => null,
    catalog: new Catalog(),
    rate: new RateLimit(config.rateLimit, clock),
    limits: null,
    viewFor: () => brain,
    refresh: async () => undefined,
  };
  // A door never looks at the vault; a test whose operation does would fail loudly on what is missing here.
  const brain = parts as Brain;
  return { brain, lines: log.lines };
}

const running: RunningServer[] = [];

/** Starts the real app on a free port; `stopServers` ends it. */
export async function serve(
  options: Partial<AppOptions> & { settings?: Settings; limits?: ServerOptions['limits'] } = {},
): Promise<RunningServer & FakeBrain> {
  const { settings, limits = {}, ...rest } = options;
  const fake = fakeBrain(settings);
  const app = createApp({
    brain: fake.brain,
    tokens: TOKENS,
    version: '1.2.3',
    routes: FAKE_ROUTES,
    ...rest,
  });
  const server = await startServer(app, { host: '127.0.0.1', port: 0, limits });
  running.push(server);
  return { ...server, ...fake };
}

export async function stopServers(): Promise<void> {
  await Promise.all(running.splice(0).map((server) => server.stop()));
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Record<string, unknown>;
}

/** Sends one request with the owner's token, unless the headers say otherwise (`authorization: ''` sends none). */
export async function call(
  base: string,
  method: string,
  path: string,
  init: { headers?: Record<string, string>; body?: BodyInit } = {},
): Promise<Answer> {
  const headers = new Headers({ authorization: `Bearer ${OWNER}`, ...init.headers });
  if (headers.get('authorization') === '') headers.delete('authorization');
  const response = await fetch(base + path, {
    method,
    headers,
    ...(init.body !== undefined && { body: init.body }),
  });
  const text = await response.text();
  const body: unknown = text === '' ? {} : JSON.parse(text);
  if (typeof body !== 'object' || body === null) throw new Error(`not an object: ${text}`);
  return { status: response.status, headers: response.headers, body: { ...body } };
}

/** Sends JSON by POST. */
export function post(
  base: string,
  path: string,
  value: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  return call(base, 'POST', path, {
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(value),
  });
}

/** The error object of an answer; fails the test when there is none. */
export function errorOf({ body }: Answer): Record<string, unknown> {
  const { error } = body;
  if (typeof error !== 'object' || error === null) throw new Error(`no error in ${JSON.stringify(body)}`);
  return { ...error };
}

export function codeOf(answer: Answer): unknown {
  return answer.status === 200 ? 'ok' : errorOf(answer).code;
}

/** Sends bytes as they are and resolves with everything that comes back before the connection closes. */
export function exchange(port: number, request: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(request));
    let answer = '';
    socket.setEncoding('utf8');
    socket.on('data', (text: string) => (answer += text));
    socket.on('error', reject);
    socket.on('close', () => resolve(answer));
  });
}

/** The names of all headers, in lower case. */
export function namesOf(headers: Headers): string[] {
  const names: string[] = [];
  headers.forEach((_, name) => names.push(name));
  return names;
}
