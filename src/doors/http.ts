import express from 'express';
import type { Brain } from '../core/brain';
import type { Caller } from '../core/caller';
import { BrainError } from '../core/errors';
import { perform } from '../core/operation';
import { isRecord } from '../core/rules/record';
import { Stop } from '../core/vectors/stop';
import { logRequests } from './access-log';
import { authenticate, type TokenStore } from './auth';
import { BodyMemory, type BodyRoom, readJson } from './body';
import { guard } from './guard';
import { answerError, isMcp, MCP_PATH } from './http-error';
import { commonHeaders } from './http-headers';
import { OpenBodies } from './listen-turns';
import { openApi } from './openapi';
import { type PageFiles, pageHandlers } from './page';
import { hasAlready, ifMatchOf } from './precondition';
import { queryReader, refuseParameters } from './query-string';
import { BODY_LIMIT, type Method, type Route } from './route';
import { ROUTES } from './routes';

/** Answers one MCP message whose JSON has been read and whose sender is known. */
export type McpHandler = (
  req: express.Request,
  res: express.Response,
  caller: Caller,
  body: unknown,
  /** How many bytes the message had. */
  bytes: number,
) => Promise<void>;

export interface AppOptions {
  readonly brain: Brain;
  readonly tokens: TokenStore;
  readonly version: string;
  /** Without it there is no MCP door. */
  readonly mcp?: McpHandler;
  /** Without it there is no web page. */
  readonly page?: PageFiles;
  readonly routes?: readonly Route[];
}

/** The handler of each method that a path knows. */
type Endpoints = Partial<Record<Method, express.RequestHandler>>;

/**
 * The HTTP door: headers, then who may knock (Host, Origin), then what is open to all, then the token, then the path
 * and the method, and only then the body. A stranger learns nothing about routes and makes the server read nothing.
 */
export function createApp(options: AppOptions): express.Express {
  const { brain, tokens, version, mcp, page, routes = ROUTES } = options;
  const app = express();
  // Outside production Express shows stack traces to callers, and Electron sets no NODE_ENV.
  app.set('env', 'production');
  app.disable('x-powered-by');
  app.disable('etag');
  app.enable('strict routing');
  app.enable('case sensitive routing');

  const callers = new WeakMap<express.Request, Caller>();
  app.use((_req, res, next) => {
    res.set(commonHeaders());
    next();
  });
  app.use(logRequests(brain.log, (req) => callers.get(req)?.name));
  app.use((req, _res, next) => {
    guard(req, brain.config);
    next();
  });

  // Made when it is first asked for, which holds the thread a while, and as bytes: however many answers wait to be read, they
  // share them.
  let description: Buffer | null = null;
  const open: Readonly<Record<string, express.RequestHandler>> = {
    '/health': async (_req, res) => {
      res.json({ status: (await isReady(brain)) ? 'ok' : 'starting', version });
    },
    '/openapi.json': (_req, res) => {
      description ??= Buffer.from(JSON.stringify(openApi(routes, version)));
      res.type('json').send(description);
    },
  };
  for (const [path, handler] of Object.entries(open)) app.get(withSlash(path), handler);
  // The page's paths are exact, and no secret: whatever else is asked of them is refused before the token check.
  for (const [path, GET] of Object.entries(page ? pageHandlers(page) : {})) register(app, [path], { GET });
  // MCP clients look here for signs of OAuth. Any sign, and some also choke on an `error` that is not a string.
  app.use('/.well-known', (_req, res) => {
    res.status(404).json({ error: 'not_found' });
  });

  const callerOf = (req: express.Request): Caller => {
    const caller = callers.get(req);
    if (!caller) throw new Error('a route stands before the token check');
    return caller;
  };
  const auth = { tokens, required: brain.config.auth, humanName: brain.config.humanName };
  app.use(async (req, _res, next) => {
    callers.set(req, await authenticate(req, isMcp(req) ? 'mcp' : 'http', auth));
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
  for (const [path, endpoints] of paths) register(app, withSlash(path), endpoints);

  app.use(() => {
    throw new BrainError('not_found', 'There is nothing at this path. GET /openapi.json lists every route.');
  });
  app.use(answerError(brain.log));
  return app;
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
    const gone = new Stop();
    // Nobody waits for what is not done yet; a change that has begun is made to its end.
    res.once('close', () => gone.stop());
    if (route.method === 'POST') refuseParameters(req.query);
    const caller = callerOf(req);
    const count = (bytes: number): void => {
      if (mutates) brain.rate.takeBytes(caller.name, bytes);
    };
    const input =
      route.method === 'POST'
        ? await readJson(req, route.bodyLimit ?? BODY_LIMIT, bodies, keyOf(caller), count)
        : readQuery(req.query);
    const takesHash = 'expected_hash' in route.operation.input.shape;
    const ifMatch = route.operation.mutates ? ifMatchOf(req, input, takesHash) : undefined;
    const answer: unknown = await perform(brain, route.operation, input, caller, { signal: gone, ifMatch });
    if (route.hasVersion === true && isRecord(answer) && typeof answer.content_hash === 'string') {
      res.set('ETag', `"${answer.content_hash}"`);
      if (hasAlready(req, answer.content_hash)) {
        res.status(304).end();
        return;
      }
    }
    res.json(answer);
  };
}

/** What tells callers apart: a person may have the name of a token. */
function keyOf({ name, human }: Caller): string {
  return human ? `human:${name}` : name;
}

/** Registers what paths answer; every other method is told which ones there are. */
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

/** One trailing slash is tolerated; apart from that, paths match exactly. */
function withSlash(path: string): string[] {
  return [path, `${path}/`];
}

/** Whether the brain is ready now, without waiting for it. */
function isReady(brain: Brain): Promise<boolean> {
  const ready = brain.ready().then(
    () => true,
    () => false,
  );
  return Promise.race([ready, new Promise<boolean>((resolve) => setImmediate(resolve, false))]);
}
