// Node's timers: Chromium throttles those of a hidden window.
import { rm } from 'node:fs/promises';
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { connect, type ListenOptions, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { clearInterval, clearTimeout, setInterval, setTimeout } from 'node:timers';
import type { Log } from '../../core/base/host';
import { type Config, ConfigError } from '../../core/config/config';
import { isReceiving, limitConnections, markLocal, type RoomOptions, limitPipelining } from './connections';
import { commonHeaders } from './errors';

/** A refusal by the server, before the app sees the request. */
interface Refusal {
  readonly status: number;
  readonly reason: string;
  readonly code: string;
  readonly message: string;
}

/**
 * The number of headers of a request, more than any client sends. Node silently drops those beyond its limit, a second Host
 * among them.
 */
const MAX_HEADERS = 100;

const NOT_HTTP: Refusal = {
  status: 400,
  reason: 'Bad Request',
  code: 'invalid_request',
  message:
    'This is no request of HTTP/1.1, or it could be read in two ways. Send one method, one length and plain header lines.',
};
const TOO_SLOW: Refusal = {
  status: 408,
  reason: 'Request Timeout',
  code: 'request_timeout',
  message: 'The request did not arrive in time: 10 s for its headers, 30 s for all of it. Send it again.',
};
const MANY_HEADERS: Refusal = {
  status: 431,
  reason: 'Request Header Fields Too Large',
  code: 'headers_too_large',
  message: `A request may have ${MAX_HEADERS} headers and 16 KiB of them, its address included. Send less.`,
};
const PROXYING: Refusal = {
  status: 403,
  reason: 'Forbidden',
  code: 'forbidden_host',
  message: 'This server is no proxy. Send the path alone in the request line.',
};
const EXPECTATION: Refusal = {
  status: 417,
  reason: 'Expectation Failed',
  code: 'invalid_request',
  message: 'Only "Expect: 100-continue" is understood. Leave the header out.',
};
const VERSION: Refusal = {
  status: 505,
  reason: 'HTTP Version Not Supported',
  code: 'invalid_request',
  message: 'This server speaks HTTP/1.1.',
};

/** The refusals that any request may get before it is routed, for the API description. */
export const LISTEN_REFUSALS: readonly Pick<Refusal, 'status' | 'code'>[] = [
  NOT_HTTP,
  TOO_SLOW,
  MANY_HEADERS,
  PROXYING,
  EXPECTATION,
  VERSION,
];

/** Node's error codes for the two failures that have a status of their own. */
const UNREADABLE: Readonly<Record<string, Refusal>> = {
  ERR_HTTP_REQUEST_TIMEOUT: TOO_SLOW,
  HPE_HEADER_OVERFLOW: MANY_HEADERS,
};

/** Returns the refusal of a request that the app must not see, or null. */
function refusalOf({ url = '', httpVersion, rawHeaders }: IncomingMessage): Refusal | null {
  if (httpVersion !== '1.1' && httpVersion !== '1.0') return VERSION;
  if (rawHeaders.length > 2 * MAX_HEADERS) return MANY_HEADERS;
  // A whole URL in the request line is for a proxy, and names a host that the guard has not checked.
  return /^[/*]/.test(url) ? null : PROXYING;
}

/** Refuses a request and closes its connection. */
function refuse(res: ServerResponse, refusal: Refusal): void {
  const { headers, body } = answerOf(refusal);
  res.writeHead(refusal.status, refusal.reason, headers);
  res.end(body);
}

/** Refuses an unknown `Expect`. */
function refuseExpectation(res: ServerResponse): void {
  refuse(res, EXPECTATION);
}

/**
 * Returns the raw answer to bytes that are not HTTP, or that came too slowly or with too many headers, so that no request
 * was parsed.
 */
function answerToUnreadable(code: string | undefined): string {
  return wholeAnswer(UNREADABLE[code ?? ''] ?? NOT_HTTP);
}

/** Returns the raw answer to CONNECT, for which Node offers no response object. */
function answerToConnect(): string {
  return wholeAnswer(PROXYING);
}

function wholeAnswer(refusal: Refusal): string {
  const { headers, body } = answerOf(refusal);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${refusal.status} ${refusal.reason}\r\n${lines.join('')}\r\n${body}`;
}

/** Returns headers and body of a refusal, in the shape of every other refusal. */
function answerOf({ code, message }: Refusal): { headers: Record<string, string>; body: string } {
  const common = commonHeaders();
  const body = JSON.stringify({ error: { code, message, request_id: common['X-Request-Id'] ?? '' } });
  const headers = {
    ...common,
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': String(new TextEncoder().encode(body).length),
    Connection: 'close',
  };
  return { headers, body };
}

/** The limits of slow or endless clients. Times are in milliseconds. */
const LIMITS = {
  maxHeaderSize: 16 * 1024,
  headersTimeout: 10_000,
  /** The time for receiving a whole request; an answer may take any time. */
  requestTimeout: 30_000,
  /** The interval of Node's check for timeouts; its default of 30 s would make the limits above meaningless. */
  connectionsCheckingInterval: 2_000,
  /** Longer than Node's 5 s, which race with clients that keep their sockets: a request sent at that moment is lost. */
  keepAliveTimeout: 75_000,
};

/** The interval at which a busy port is tried again (ms): a reloading plugin may not have released it yet. */
const RETRY_EVERY_MS = 200;
/** The time within which a server on this machine accepts a connection (ms), else it accepts none. */
const ANSWER_MS = 2_000;
/** The time for open requests once the server stops (ms). */
const GRACE_MS = 2_000;
const SWEEP_EVERY_MS = 50;

export interface ServerOptions {
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  /** The time for which a busy port is tried again (ms); 2 s when absent. */
  readonly retryMs?: number;
  /** Certificate and key in PEM, for HTTPS. */
  readonly tls?: { readonly cert: string; readonly key: string };
  /** The log for errors of the listening socket; without it such an error ends the process. */
  readonly log?: Log;
  /** Overrides of the limits and of the grace time of `stop`, for tests. */
  readonly limits?: Partial<typeof LIMITS> & RoomOptions & { readonly graceMs?: number };
}

/** Answers a request: an Express app, or anything that hands requests on to one. */
export type RequestHandler = (req: IncomingMessage, res: ServerResponse) => void;

export interface RunningServer {
  readonly port: number;
  /** The URL for clients on this machine, without a slash at its end. */
  readonly url: string;
  /**
   * Resolves true when the server still accepts connections. A machine that slept may have lost the socket without an
   * event.
   */
  answers(): Promise<boolean>;
  /**
   * Also listens on a local socket, in plain HTTP, where no server does yet; one that was left by a server that was killed is
   * replaced. Resolves false when it cannot.
   */
  listenAt(path: string): Promise<boolean>;
  /**
   * Accepts no new requests, and closes open ones after 2 s; with `atOnce` they are closed, and the port is released,
   * before it returns. Resolves when every connection is closed.
   */
  stop(options?: { readonly atOnce?: boolean }): Promise<void>;
}

/** Another program uses the port. It may release it. `url` is where that program answers. */
export class PortBusy extends ConfigError {
  constructor(
    message: string,
    readonly url: string,
  ) {
    super(message);
  }
}

/**
 * Refuses the combination of settings that would expose the vault to the network.
 * @throws ConfigError when `host` is not a loopback address and authentication is off.
 */
export function checkExposure({ host, auth }: Pick<Config, 'host' | 'auth'>): void {
  if (auth || isLoopback(host)) return;
  throw new ConfigError(
    `BRAIN_HOST is ${host}, which other machines can reach, and BRAIN_AUTH is off. Switch authentication on, or listen on 127.0.0.1.`,
  );
}

/** Returns true for an address that only this machine can reach. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(host);
}

/**
 * Starts the server; resolves when it accepts connections. No other port is tried, as agents are configured with one
 * address.
 * @throws PortBusy, or ConfigError for another reason; both name the address.
 */
export async function startServer(app: RequestHandler, options: ServerOptions): Promise<RunningServer> {
  const { host, port, retryMs = 2_000, tls, log } = options;
  const { graceMs = GRACE_MS, ...limits } = { ...LIMITS, ...options.limits };
  const settings = {
    ...limits,
    // The guard answers a request without Host with an error of its own.
    requireHostHeader: false,
    // NODE_OPTIONS must not loosen the parser.
    insecureHTTPParser: false,
  };
  const main = equipped(app, limits, (onRequest) =>
    tls ? createHttpsServer({ ...settings, ...tls }, onRequest) : createHttpServer(settings, onRequest),
  );
  await takePort(main, host, port, retryMs);
  if (log) {
    main.on('error', ({ name, code }: NodeJS.ErrnoException) => {
      log.error('http.server', { error: name, code });
    });
  }

  const address = main.address();
  const boundPort = typeof address === 'object' && address !== null ? address.port : port;
  let local: Server | null = null;
  let stopped: Promise<void> | undefined;
  return {
    port: boundPort,
    url: `${tls ? 'https' : 'http'}://${reachable(host)}:${boundPort}`,
    answers: async () => main.listening && answers({ host: plainHost(host), port: boundPort }),
    async listenAt(path) {
      // The port is the lock: no other server of this port is alive here, unless it is in a container with the same folder.
      if (await answers({ path })) return false;
      await rm(path, { force: true }).catch(() => undefined); // The name stays taken then.
      const server = equipped(app, limits, (onRequest) => createHttpServer(settings, onRequest));
      server.prependListener('connection', (socket: Socket) => markLocal(socket, boundPort));
      const failure = stopped === undefined ? await listen(server, { path }) : null;
      if (failure !== null || stopped !== undefined) {
        server.close();
        return false;
      }
      server.on('error', () => undefined);
      local = server;
      return true;
    },
    stop({ atOnce = false } = {}) {
      // The local socket first: the next server of this port makes one with the same name.
      const servers = [...(local ? [local] : []), main];
      stopped ??= Promise.all(servers.map((server) => stop(server, graceMs))).then(() => undefined);
      if (atOnce) for (const server of servers) server.closeAllConnections();
      return stopped;
    },
  };
}

type Server = ReturnType<typeof createHttpServer> | ReturnType<typeof createHttpsServer>;

/** Returns a server that hands requests to the app within the limits, and answers what never becomes a request. */
function equipped(
  app: RequestHandler,
  limits: RoomOptions,
  make: (onRequest: RequestHandler) => Server,
): Server {
  const inTurn = limitPipelining();
  const onRequest: RequestHandler = (req, res) => {
    room.enter(res);
    inTurn(res, () => {
      const refusal = refusalOf(req);
      if (refusal === null) app(req, res);
      else refuse(res, refusal);
    });
  };
  const server = make(onRequest);
  const room = limitConnections(server, limits);
  // One more than allowed, so that one too many is noticed.
  server.maxHeadersCount = MAX_HEADERS + 1;
  server.on('checkContinue', (req: IncomingMessage, res: ServerResponse) => {
    // A client that is refused instead of `100 Continue` may send its body or not. Only closing the connection is clear to
    // both sides.
    res.setHeader('Connection', 'close');
    onRequest(req, res);
  });
  server.on('checkExpectation', (_req: IncomingMessage, res: ServerResponse) => refuseExpectation(res));
  server.on('connect', (_req: IncomingMessage, socket: Duplex) => {
    // Node has detached the socket: without a listener, its error would end the process.
    socket.on('error', () => socket.destroy());
    socket.end(answerToConnect());
  });
  server.on('clientError', ({ code }: NodeJS.ErrnoException, socket) => {
    // The next request may wait half read while an earlier one is handled: that time is not the client's.
    if (code === 'ERR_HTTP_REQUEST_TIMEOUT' && (room.isWorkedFor(socket) || isReceiving(socket))) return;
    if (socket.writable && code !== 'ECONNRESET' && !room.isAnswering(socket))
      socket.end(answerToUnreadable(code));
    else socket.destroy();
  });
  return server;
}

/** Resolves when the server listens; tries again for `retryMs` while the port is busy. @throws PortBusy, ConfigError. */
async function takePort(server: Server, host: string, port: number, retryMs: number): Promise<void> {
  for (let waited = 0; ; waited += RETRY_EVERY_MS) {
    const failure = await listen(server, { host, port });
    if (failure === null) return;
    if (failure.code !== 'EADDRINUSE') {
      const remedy =
        failure.code === 'EACCES'
          ? 'This user may not have it: most systems keep the ports below 1024 for privileged programs. Choose a higher port (--port, BRAIN_PORT or the setting).'
          : 'Choose an address of this machine (--host or BRAIN_HOST) and a port of it (--port, BRAIN_PORT or the setting).';
      throw new ConfigError(
        `Cannot listen on ${host} port ${port} (${failure.code ?? failure.name}). ${remedy}`,
      );
    }
    if (waited >= retryMs) {
      throw new PortBusy(
        `Port ${port} on ${host} is in use by another program. Stop that program, or choose a free port (--port, BRAIN_PORT or the setting).`,
        `http://${reachable(host)}:${port}`,
      );
    }
    await pause(RETRY_EVERY_MS);
  }
}

/** Resolves null when the server listens; else the error. */
function listen(server: Server, where: ListenOptions): Promise<NodeJS.ErrnoException | null> {
  return new Promise((resolve) => {
    // The first event removes the other's listener, or every try would leave one behind.
    const onListening = (): void => {
      server.off('error', onError);
      resolve(null);
    };
    const onError = (error: NodeJS.ErrnoException): void => {
      server.off('listening', onListening);
      resolve(error);
    };
    server.once('listening', onListening).once('error', onError);
    server.listen(where);
  });
}

async function stop(server: Server, graceMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  // A connection whose request ends during the grace time would stay open for the next request.
  const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_EVERY_MS);
  const cut = setTimeout(() => server.closeAllConnections(), graceMs);
  server.closeIdleConnections();
  await closed;
  clearInterval(sweep);
  clearTimeout(cut);
}

/** Resolves true when a connection is accepted there. */
function answers(where: { path: string } | { host: string; port: number }): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ ...where, timeout: ANSWER_MS });
    const end = (result: boolean): void => {
      socket.destroy();
      resolve(result);
    };
    socket
      .once('connect', () => end(true))
      .once('timeout', () => end(false))
      .once('error', () => end(false));
  });
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Returns the address to connect to. */
function plainHost(host: string): string {
  return reachable(host).replace(/^\[|\]$/g, '');
}

/** Returns the host for a URL: an address that means every interface becomes that of this machine. */
function reachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}
