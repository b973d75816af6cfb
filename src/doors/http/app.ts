import express, { type Request, type RequestHandler, type Response } from 'express';
import type * as z from 'zod';
import { allows, authenticate, type Caller, type TokenStore } from '../../core/access/tokens';
import { StopController } from '../../core/base/concurrency';
import { BrainError } from '../../core/base/errors';
import { sha256 } from '../../core/base/hash';
import type { Log } from '../../core/base/host';
import { isRecord } from '../../core/base/json';
import { firstPoints } from '../../core/base/text';
import type { Config } from '../../core/config/config';
import type { Brain } from '../../core/operation/context';
import { KEY_HEADER } from '../../core/operation/descriptors';
import { perform } from '../../core/operation/operation';
import { type ChangeFeed, SILENT_MS } from '../../core/ports/ports';
import { refuseUnacceptable } from './accept';
import { BodyMemory, type BodyRoom, hasAlready, ifMatchOf, readFile, readJson } from './body';
import { endOf, OpenBodies } from './connections';
import { answerError, answerUnready, commonHeaders, isMcp, MCP_PATH } from './errors';
import { fieldsOf, jsonSchema, openApi } from './openapi';
import { BODY_LIMIT, type Method, type Route, ROUTES } from './routes';

/** The host names of a loopback server on this machine. */
const LOOPBACK_NAMES = ['127.0.0.1', 'localhost', '[::1]'];

/** The values of Sec-Fetch-Site for a request without Origin that the own page sent or a person typed. */
const TRUSTED_SITES: readonly (string | undefined)[] = [undefined, 'none', 'same-origin'];

/**
 * Refuses requests that a page of another site made a browser send, also after DNS rebinding. Checks headers only, so a
 * refused body is never read.
 * @throws BrainError `forbidden_host` or `forbidden_origin`.
 */
export function guard(req: Request, config: Pick<Config, 'allowedHosts' | 'allowedOrigins'>): void {
  const secure = 'encrypted' in req.socket;
  const { port } = endOf(req.socket);
  const isDefaultPort = port === (secure ? 443 : 80);
  const own = LOOPBACK_NAMES.flatMap((name) => [`${name}:${port}`, ...(isDefaultPort ? [name] : [])]);

  const hosts = req.headersDistinct.host ?? [];
  const host = hosts.length === 1 ? hosts[0]?.toLowerCase() : undefined;
  if (host === undefined || !(own.includes(host) || isListed(host, config.allowedHosts))) {
    throw new BrainError(
      'forbidden_host',
      `This server answers requests to 127.0.0.1:${port} and localhost:${port} only. Use one of them, or list the name in BRAIN_ALLOWED_HOSTS.`,
    );
  }

  const scheme = secure ? 'https' : 'http';
  const origins = req.headersDistinct.origin ?? [];
  const origin = origins[0]?.toLowerCase();
  const isKnownOrigin =
    origins.length === 1 &&
    (own.some((name) => origin === `${scheme}://${name}`) ||
      config.allowedOrigins.some((allowed) => origin === allowed.toLowerCase()));
  // Browsers set both headers and no page can change them; other clients leave them out. A listed origin is another site.
  const isTrusted =
    origin === undefined
      ? TRUSTED_SITES.includes(req.headersDistinct['sec-fetch-site']?.join())
      : isKnownOrigin;
  if (!isTrusted) {
    throw new BrainError(
      'forbidden_origin',
      'This server takes no requests from pages of other sites. Call it from a program, or list the origin in BRAIN_ALLOWED_ORIGINS.',
    );
  }
}

/**
 * Returns true when the host is listed. An entry without a port matches any port: behind a proxy the port is the proxy's.
 */
function isListed(host: string, allowed: readonly string[]): boolean {
  const name = host.replace(/:\d{1,5}$/, '');
  return allowed.some((entry) => [host, name].includes(entry.toLowerCase()));
}

/**
 * Logs one line for every request when its answer has closed: its route and the outcome. Never the URL, which holds what
 * was searched for, nor a header or a byte of a body.
 */
export function logRequests(log: Log, callerOf: (req: Request) => string | undefined): RequestHandler {
  return (req, res, next) => {
    const arrived = performance.now();
    res.once('close', () => {
      log.debug('http.request', {
        request_id: res.get('X-Request-Id'),
        method: req.method,
        route: routeOf(req),
        status: res.statusCode,
        ms: Math.round((performance.now() - arrived) * 10) / 10,
        bytes_in: numberOf(req.headers['content-length']),
        bytes_out: numberOf(String(res.get('Content-Length') ?? '')),
        caller: callerOf(req),
        ...(isCut(res) && { cut: true }),
      });
    });
    next();
  };
}

/** Returns the path of the route; null for an unknown one. It is one of the app's own, never what the caller typed. */
export function routeOf(req: Request): string | null {
  const route: unknown = req.route;
  const path = isRecord(route) ? route.path : undefined;
  const first: unknown = Array.isArray(path) ? path.at(0) : path;
  return typeof first === 'string' ? first : null;
}

function isCut(res: Response): boolean {
  return !res.writableFinished;
}

function numberOf(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

/** The files of the web page, as the build made them. */
export interface PageFiles {
  readonly html: string;
  readonly script: string;
  readonly style: string;
  readonly icon: string;
}

/**
 * The page may run its own script and style, and connect to its own server. Code that a note smuggles into it can neither
 * run nor reach another host, and no other page can frame it.
 */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/**
 * Returns the handlers of the page's files by path: these four and no others, so that no path can name a file of the disk.
 * The files hold nothing private and need no token; the page asks for its data with one. Browsers cache a file and check
 * that it is current.
 */
export function pageHandlers(files: PageFiles): Readonly<Record<string, express.RequestHandler>> {
  return {
    '/': fileHandler('text/html; charset=utf-8', files.html),
    '/page.js': fileHandler('text/javascript; charset=utf-8', files.script),
    '/page.css': fileHandler('text/css; charset=utf-8', files.style),
    '/favicon.svg': fileHandler('image/svg+xml; charset=utf-8', files.icon),
  };
}

function fileHandler(type: string, text: string): express.RequestHandler {
  const etag = `"${sha256(text)}"`;
  // All answers share these bytes, however many are unread.
  const bytes = Buffer.from(text);
  return (req, res) => {
    res.set({
      'Content-Type': type,
      'Content-Security-Policy': CONTENT_SECURITY_POLICY,
      'Referrer-Policy': 'no-referrer',
      'Cache-Control': 'no-cache',
      ETag: etag,
    });
    if (req.fresh) res.status(304).end();
    else res.send(bytes);
  };
}

const MAX_NAME = 100;

type Coerce = (text: string) => unknown;

const toNumber: Coerce = (text) => (/^-?\d{1,15}(\.\d{1,15})?$/.test(text) ? Number(text) : text);
const toBoolean: Coerce = (text) => (text === 'true' ? true : text === 'false' ? false : text);

/**
 * Refuses query parameters on a route whose input is the body: a misplaced field, such as `dry_run`, must not be ignored.
 * @throws BrainError `unknown_field` when there is any parameter.
 */
export function refuseParameters(query: object): void {
  const [name] = Object.keys(query);
  if (name === undefined) return;
  throw new BrainError(
    'unknown_field',
    `This route takes its fields from the JSON body, not from the address. Put "${firstPoints(name, MAX_NAME)}" there.`,
    { fields: [firstPoints(name, MAX_NAME)] },
  );
}

/**
 * Returns a function that converts a parsed query string to an operation's input. All values arrive as text, so the fields
 * that the schema declares as numbers or booleans are converted. Text that cannot be converted stays, and the schema
 * refuses it by name.
 * @throws (the function) BrainError `invalid_field` for a parameter that is given twice.
 */
export function queryReader(schema: z.ZodType): (query: object) => Record<string, unknown> {
  const coercions = new Map<string, Coerce>();
  for (const [name, { type }] of fieldsOf(jsonSchema(schema, 'input'))) {
    if (type === 'integer' || type === 'number') coercions.set(name, toNumber);
    if (type === 'boolean') coercions.set(name, toBoolean);
  }
  return (query) => {
    const input: [string, unknown][] = [];
    for (const [name, text] of Object.entries(query)) {
      if (typeof text !== 'string') {
        throw new BrainError('invalid_field', `The parameter "${name}" is given more than once.`, {
          field: name,
        });
      }
      input.push([name, coercions.get(name)?.(text) ?? text]);
    }
    return Object.fromEntries(input);
  };
}

/** Answers one MCP message, after its JSON is parsed and its caller is authenticated. */
export type McpHandler = (
  req: express.Request,
  res: express.Response,
  caller: Caller,
  body: unknown,
  /** The size of the message (bytes). */
  bytes: number,
) => Promise<void>;

/** What a server answers to a client that wants it to prove that it is the one of the client's configuration folder. */
export interface Proof {
  readonly proof: string;
  /** The vault that is served, for whoever may enter that folder. */
  readonly vault?: string;
}

/**
 * Returns the proof for a connection; null when this server has no key.
 * @param nonce 32 bytes in base64url
 * @param end the server's end of the connection; its address is '' over a local socket
 */
export type Prove = (nonce: string, end: ReturnType<typeof endOf>) => Promise<Proof | null>;

function newApp(): express.Express {
  const app = express();
  // Outside production Express shows stack traces, and Electron sets no NODE_ENV.
  app.set('env', 'production');
  app.disable('x-powered-by');
  app.disable('etag');
  app.enable('strict routing');
  app.enable('case sensitive routing');
  return app;
}

/** Measures requests, and tells what was measured. */
export interface Metrics {
  readonly measure: RequestHandler;
  /** Returns all metrics in the text format of Prometheus, version 0.0.4. */
  text(): string;
}

const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

export interface AppOptions {
  readonly brain: Brain;
  readonly tokens: TokenStore;
  readonly version: string;
  /** Without it the app has no MCP door. */
  readonly mcp?: McpHandler;
  /** Without it the app has no web page. */
  readonly page?: PageFiles;
  /** Without it the app has no `/metrics`. */
  readonly metrics?: Metrics;
  /** Without it the app proves nothing. */
  readonly prove?: Prove;
  /** Returns true once the server stops; requests are still answered, and a balancer sends no new ones. */
  readonly isStopping?: () => boolean;
  /** Returns true once the server cannot go on without a restart. */
  readonly isLost?: () => boolean;
  readonly routes?: readonly Route[];
}

/** The handlers of a path by method. */
type Endpoints = Partial<Record<Method, express.RequestHandler>>;

/**
 * Returns the HTTP door. It checks in this order: Host and Origin, the public paths, the token, path and method, and only
 * then the body. A stranger learns nothing about routes, and no body of a stranger is read.
 */
export function createApp(options: AppOptions): express.Express {
  const { brain, tokens, version, mcp, page, metrics, prove, routes = ROUTES } = options;
  const { isStopping = () => false, isLost = () => false } = options;
  const app = newApp();
  const callers = new WeakMap<express.Request, Caller>();
  app.use((_req, res, next) => {
    res.set(commonHeaders());
    // A client that keeps its connection takes its next request to another server.
    if (isStopping()) res.set('Connection', 'close');
    next();
  });
  if (metrics) app.use(metrics.measure);
  app.use(logRequests(brain.log, (req) => callers.get(req)?.name));
  app.use((req, _res, next) => {
    guard(req, brain.config);
    next();
  });

  // Made at the first request, as it blocks the thread for a while; kept as bytes, which all answers share.
  let description: Buffer | null = null;
  const about = { hasMetrics: metrics !== undefined, isShared: brain.servers.feed !== null };
  const open: Readonly<Record<string, express.RequestHandler>> = {
    '/health': async (_req, res) => {
      if (isLost()) res.status(503).json({ status: 'failed', version });
      else res.json({ status: (await isReady(brain)) ? 'ok' : 'starting', version });
    },
    '/ready': (req, res) => {
      const fault = isStopping() ? STOPPING : (silence(brain) ?? unready(brain));
      if (fault === null) res.json({ ready: true });
      else answerUnready(fault, req, res);
    },
    '/proof': proofHandler(prove),
    '/openapi.json': (_req, res) => {
      description ??= Buffer.from(JSON.stringify(openApi(routes, version, about)));
      res.type('json').send(description);
    },
  };
  for (const [path, handler] of Object.entries(open)) app.get(withSlash(path), answeringJson(handler));
  // The page's paths match exactly and are public: other methods on them are refused before the token check.
  for (const [path, GET] of Object.entries(page ? pageHandlers(page) : {})) register(app, [path], { GET });
  // MCP clients look here for OAuth. Any answer but 404 misleads them, and some fail on an `error` that is not a string.
  app.use('/.well-known', (_req, res) => {
    res.status(404).json({ error: 'not_found' });
  });

  const callerOf = (req: express.Request): Caller => {
    const caller = callers.get(req);
    if (!caller) throw new Error('a route stands before the token check');
    return caller;
  };
  const auth = { tokens, required: brain.config.auth, humanName: brain.config.humanName };
  app.use(async (req, res, next) => {
    callers.set(req, await authenticate(req, isMcp(req) ? 'mcp' : 'http', auth));
    if (brain.servers.feed) await readOn(brain.servers.feed, req, res);
    next();
  });

  const bodies: BodyRoom = { memory: new BodyMemory(), open: new OpenBodies() };
  const paths = new Map<string, Endpoints>(Object.entries(open).map(([path, GET]) => [path, { GET }]));
  for (const route of routes) {
    paths.set(route.path, {
      ...paths.get(route.path),
      [route.method]: operationHandler(brain, route, callerOf, bodies),
    });
  }
  if (mcp) {
    const POST: express.RequestHandler = async (req, res) => {
      let bytes = 0;
      const caller = callerOf(req);
      const body = await readJson(req, BODY_LIMIT, bodies, keyOf(caller), (more) => (bytes += more));
      await mcp(req, res, caller, body, bytes);
    };
    paths.set(MCP_PATH, { POST });
  }
  if (metrics) paths.set('/metrics', { GET: metricsHandler(metrics, callerOf) });
  for (const [path, endpoints] of paths) register(app, withSlash(path), endpoints);

  app.use(() => {
    throw new BrainError('not_found', 'There is nothing at this path. GET /openapi.json lists every route.');
  });
  app.use(answerError(brain.log));
  return app;
}

/**
 * Returns the handler of `/proof`. It is open, as a client asks before it sends a token. A connection is proven once, so that no
 * caller has more work done than a connection takes.
 */
function proofHandler(prove: Prove = () => Promise.resolve(null)): RequestHandler {
  const asked = new WeakSet<object>();
  return async (req, res) => {
    const { nonce } = req.query;
    if (typeof nonce !== 'string' || !/^[\w-]{43}$/.test(nonce)) {
      throw new BrainError('invalid_field', 'Give "nonce" in the address: 32 random bytes in base64url.', {
        field: 'nonce',
      });
    }
    if (asked.has(req.socket)) {
      throw new BrainError('rate_limited', 'This connection has its proof. Open another one for another.', {
        retry_after: 1,
      });
    }
    asked.add(req.socket);
    const proof = await prove(nonce, endOf(req.socket));
    if (proof === null) throw new BrainError('not_found', 'This server has no key to prove anything with.');
    // The call for which it is comes over the same connection, also while the server stops.
    res.removeHeader('Connection');
    res.json(proof);
  };
}

/** Returns a handler that refuses callers that refuse JSON. */
function answeringJson(handler: RequestHandler): RequestHandler {
  return (req, res, next) => {
    refuseUnacceptable(req.headers.accept);
    return handler(req, res, next);
  };
}

/**
 * Returns the HTTP door of a server whose vault cannot be opened yet: `/health` says that it starts, `/proof` whose it is, and
 * everything else is refused with `fault`, a sentence without names.
 */
export function createWaitingApp({
  config,
  log,
  version,
  fault,
  prove,
}: Pick<Brain, 'config' | 'log'> &
  Pick<AppOptions, 'version' | 'prove'> & { readonly fault: string }): express.Express {
  const app = newApp();
  app.use((req, res, next) => {
    res.set(commonHeaders());
    guard(req, config);
    next();
  });
  const refusal = (): BrainError =>
    new BrainError('starting', `${fault} It is tried again by itself; the log of the server says why.`, {
      retry_after: 5,
    });
  app.get(withSlash('/health'), (_req, res) => void res.json({ status: 'starting', version }));
  app.get(withSlash('/ready'), (req, res) => answerUnready(refusal(), req, res));
  app.get(withSlash('/proof'), answeringJson(proofHandler(prove)));
  app.use(() => {
    throw refusal();
  });
  app.use(answerError(log));
  return app;
}

const STOPPING = new BrainError('starting', 'This server is stopping. Send the request to another one.', {
  retry_after: 5,
});
/** Returns the error of a vault whose notes and maps are not whole yet, else null. */
function unready(brain: Brain): BrainError | null {
  const why = brain.unready();
  if (why === null) return null;
  return new BrainError('starting', `${why} Try again in a few seconds.`, { retry_after: 5 });
}

/** Returns the error of a shared vault whose database has answered or acknowledged nothing for some seconds, else null. */
function silence({ servers: { feed } }: Brain): BrainError | null {
  if (feed === null) return null;
  const { silentMs, unconfirmedMs } = feed;
  if (Math.max(silentMs, unconfirmedMs) < SILENT_MS) return null;
  const what =
    silentMs < SILENT_MS
      ? `has acknowledged no change for ${Math.round(unconfirmedMs / 1000)} s, as when its synchronous standby is away`
      : `has not answered for ${Math.round(silentMs / 1000)} s`;
  return new BrainError(
    'busy',
    `The database of the vault ${what}. Send the request to another server, or try again in a few seconds.`,
    { retry_after: 5 },
  );
}

/** The longest wait for what a caller has seen at another server (ms). */
const READ_ON_MS = 2_000;

/**
 * Reads the changes of other servers up to the position in `X-Brain-After`, and says in `X-Brain-Behind` when that takes too long.
 * The answer has the position after its work in `X-Brain-Seq`, however it ends.
 * @throws BrainError `invalid_field` for a header that is no position
 */
async function readOn(feed: ChangeFeed, req: Request, res: Response): Promise<void> {
  const begin = res.writeHead.bind(res);
  // Answers are begun in many places: routes, refusals, both kinds of MCP.
  const writeHead = (...head: Parameters<typeof begin>): Response => {
    res.setHeader('X-Brain-Seq', feed.position);
    begin(...head);
    return res;
  };
  Object.assign(res, { writeHead });
  const after = req.get('X-Brain-After');
  if (after === undefined) return;
  if (!/^\d{1,15}$/.test(after)) {
    throw new BrainError(
      'invalid_field',
      'X-Brain-After must be a position, as another answer gave it in X-Brain-Seq: one whole number.',
      { field: 'X-Brain-After' },
    );
  }
  const reached = await feed.reach(Number(after), READ_ON_MS);
  if (reached < Number(after)) res.set('X-Brain-Behind', String(reached));
}

/** Returns the handler of `/metrics`, which refuses a caller without `admin`, and one that may not see the whole vault. */
function metricsHandler(metrics: Metrics, callerOf: (req: Request) => Caller): RequestHandler {
  return (req, res) => {
    const caller = callerOf(req);
    if (!allows(caller, 'admin') || caller.limits !== undefined) {
      throw new BrainError(
        'forbidden_scope',
        'Metrics are of the whole service: this needs a token with the scope "admin" and without limits. Ask the owner of the vault for one.',
        { scope: 'admin' },
      );
    }
    refuseUnacceptable(req.headers.accept, 'text/plain');
    res.set('Content-Type', METRICS_TYPE).send(Buffer.from(metrics.text()));
  };
}

function operationHandler(
  brain: Brain,
  route: Route,
  callerOf: (req: express.Request) => Caller,
  bodies: BodyRoom,
): express.RequestHandler {
  const readQuery = queryReader(route.operation.input);
  const { mutates } = route.operation;
  return async (req, res) => {
    const stop = new StopController();
    // A closed connection stops work that has not begun; a change that has begun is completed.
    res.once('close', () => stop.stop());
    // Before anything is changed: the caller could not read what was done.
    if (route.givesFile !== true) refuseUnacceptable(req.headers.accept);
    const takesFile = route.takesFile === true;
    const takesJson = route.method === 'POST' && !takesFile;
    if (takesJson) refuseParameters(req.query);
    const caller = callerOf(req);
    const count = (bytes: number): void => {
      if (mutates) brain.rate.takeBytes(caller.name, bytes);
    };
    const body = takesFile ? fileOf(brain, req, caller, bodies) : undefined;
    const input = takesJson
      ? await readJson(req, route.bodyLimit ?? BODY_LIMIT, bodies, keyOf(caller), count)
      : readQuery(req.query);
    const takesHash = 'expected_hash' in route.operation.input.shape;
    const ifMatch = route.operation.mutates ? ifMatchOf(req, input, takesHash) : undefined;
    const answer: unknown = await perform(brain, route.operation, input, caller, {
      signal: stop,
      ifMatch,
      body,
      key: req.get(KEY_HEADER),
      replayed: () => res.set('Idempotency-Replayed', 'true'),
    });
    const isVersion = route.hasVersion === true || route.givesFile === true;
    if (isVersion && isRecord(answer) && typeof answer.content_hash === 'string') {
      res.set('ETag', `"${answer.content_hash}"`);
      if (hasAlready(req, answer.content_hash)) {
        res.status(304).end();
        return;
      }
    }
    if (route.givesFile === true) sendFile(res, answer);
    else res.json(answer);
  };
}

/** A file that a person opens by itself, such as an SVG image, can neither run, fetch nor send anything. */
const FILE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox; frame-ancestors 'none'";

/** Sends the bytes of an answer that is a file, under its own type. */
function sendFile(res: Response, answer: unknown): void {
  if (!isRecord(answer) || !(answer.bytes instanceof Uint8Array) || typeof answer.content_type !== 'string')
    throw new Error('The answer of a route that gives files has no bytes.');
  const { bytes, content_type: type } = answer;
  res.set({
    'Content-Type': type,
    'Content-Security-Policy': FILE_POLICY,
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Referrer-Policy': 'no-referrer',
  });
  res.send(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
}

/** Returns the file that comes with a request. Only the owner's own tokens may send any number of bytes in a minute. */
function fileOf(brain: Brain, req: Request, caller: Caller, { open }: BodyRoom): AsyncIterable<Uint8Array> {
  const count = allows(caller, 'admin') ? () => undefined : brain.rate.fileCounter(caller.name);
  return readFile(req, { limit: brain.config.maxUpload, open, caller: keyOf(caller), count });
}

/** Returns the key of a caller: a person may have the name of a token. */
function keyOf({ name, human }: Caller): string {
  return human ? `human:${name}` : name;
}

/** Registers the handlers of paths; other methods get 405 with the allowed ones. */
function register(app: express.Express, paths: string[], { GET, POST, DELETE }: Endpoints): void {
  const allow = [GET && 'GET, HEAD', POST && 'POST', DELETE && 'DELETE'].filter(Boolean).join(', ');
  const route = app.route(paths);
  if (GET) route.get(GET);
  if (POST) route.post(POST);
  if (DELETE) route.delete(DELETE);
  route.all((req, res) => {
    res.set('Allow', allow);
    throw new BrainError('method_not_allowed', `${req.method} is not possible here. Use ${allow}.`);
  });
}

/** Returns a path with and without a trailing slash; apart from that, paths match exactly. */
function withSlash(path: string): string[] {
  return [path, `${path}/`];
}

/** Resolves true when the brain is ready now, without waiting for it. */
function isReady(brain: Brain): Promise<boolean> {
  const ready = brain.ready().then(
    () => true,
    () => false,
  );
  return Promise.race([ready, new Promise<boolean>((resolve) => setImmediate(resolve, false))]);
}
