import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { connect } from 'node:net';
import type { Duplex } from 'node:stream';
// Not the window's timers: Chromium slows those of a hidden window down.
import { clearInterval, clearTimeout, setInterval, setTimeout } from 'node:timers';
import type { Express } from 'express';
import { type Config, ConfigError } from '../core/config';
import type { Log } from '../core/host';
import {
  answerToConnect,
  answerToUnreadable,
  MAX_HEADERS,
  refusalOf,
  refuse,
  refuseExpectation,
} from './listen-refusals';
import { keepRoom, type RoomOptions } from './listen-room';
import { takeTurns } from './listen-turns';

/** What a slow or endless client may cost. Times in milliseconds. */
const LIMITS = {
  maxHeaderSize: 16 * 1024,
  headersTimeout: 10_000,
  /** For receiving the whole request; answers may take as long as they need. */
  requestTimeout: 30_000,
  /** Node looks for connections over their time this often; its own 30 s would make the limits above meaningless. */
  connectionsCheckingInterval: 2_000,
  /** Node's 5 s race with clients that keep their sockets: a request sent at that moment is lost. */
  keepAliveTimeout: 75_000,
};

/** A busy port is tried again this often: a plugin that reloads may not have let go of it yet. */
const RETRY_EVERY_MS = 200;
/** A server of this machine that does not take a connection within this time takes none. */
const ANSWER_MS = 2_000;
/** How long requests under way may take once the server stops: with what its host still has to close, three seconds in all. */
const GRACE_MS = 2_000;
const SWEEP_EVERY_MS = 50;

export interface ServerOptions {
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  /** How long to go on trying when the port is taken; 2 s when left out. */
  readonly retryMs?: number;
  /** Certificate and key in PEM; with them the server speaks HTTPS. */
  readonly tls?: { readonly cert: string; readonly key: string };
  /** Hears of errors of the listening socket itself; without it they end the process. */
  readonly log?: Log;
  /** Overrides of the time limits, and of the grace time of `stop`, for tests. */
  readonly limits?: Partial<typeof LIMITS> & RoomOptions & { readonly graceMs?: number };
}

export interface RunningServer {
  readonly port: number;
  /** Where a client on this machine reaches it, without a slash at the end. */
  readonly url: string;
  /** True when it still takes connections. A machine that slept may have lost the socket without a word. */
  answers(): Promise<boolean>;
  /**
   * Takes no new requests, lets those under way end for 2 s, then cuts them; with `atOnce` they are cut, and the port is
   * given back, before it returns. Resolves when every connection is over.
   */
  stop(options?: { readonly atOnce?: boolean }): Promise<void>;
}

/** Another program has the port. It may let go of it. */
export class PortBusy extends ConfigError {}

/**
 * Refuses the one combination that would hand the vault to the network.
 * @throws ConfigError when `host` is not this machine's own and authentication is off.
 */
export function checkExposure({ host, auth }: Pick<Config, 'host' | 'auth'>): void {
  if (auth || isLoopback(host)) return;
  throw new ConfigError(
    `BRAIN_HOST is ${host}, which other machines can reach, and BRAIN_AUTH is off. Switch authentication on, or listen on 127.0.0.1.`,
  );
}

/** True for an address at which only this machine reaches a server. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(host);
}

/**
 * Starts the server; resolves when it takes connections.
 * @throws PortBusy, or ConfigError for another reason, naming the address when it cannot be had. No other port is tried:
 * agents hold one address.
 */
export async function startServer(app: Express, options: ServerOptions): Promise<RunningServer> {
  const { host, port, retryMs = 2_000, tls, log } = options;
  const { graceMs = GRACE_MS, ...limits } = { ...LIMITS, ...options.limits };
  const settings = {
    ...limits,
    // The guard answers a request without Host in our own words.
    requireHostHeader: false,
    // NODE_OPTIONS must not be able to loosen the parser.
    insecureHTTPParser: false,
  };
  const onRequest = (req: IncomingMessage, res: ServerResponse): void => {
    room.enter(res);
    inTurn(res, () => {
      const refusal = refusalOf(req);
      if (refusal === null) app(req, res);
      else refuse(res, refusal);
    });
  };
  const inTurn = takeTurns();
  const server = tls
    ? createHttpsServer({ ...settings, ...tls }, onRequest)
    : createHttpServer(settings, onRequest);
  const room = keepRoom(server, limits);
  // One more than we take, so that too many can be told from just enough.
  server.maxHeadersCount = MAX_HEADERS + 1;
  server.on('checkContinue', (req: IncomingMessage, res: ServerResponse) => {
    // Whoever is refused without leave to send may send or not: only the end of the connection is clear to both.
    res.setHeader('Connection', 'close');
    onRequest(req, res);
  });
  server.on('checkExpectation', (_req: IncomingMessage, res: ServerResponse) => refuseExpectation(res));
  server.on('connect', (_req: IncomingMessage, socket: Duplex) => {
    // Node has let go of the socket: an error of it would have no listener.
    socket.on('error', () => socket.destroy());
    socket.end(answerToConnect());
  });
  server.on('clientError', ({ code }: NodeJS.ErrnoException, socket) => {
    // The next request waits half read while an earlier one is worked on: that is our time, not the client's.
    if (code === 'ERR_HTTP_REQUEST_TIMEOUT' && room.isWorkedFor(socket)) return;
    if (socket.writable && code !== 'ECONNRESET' && !room.isAnswering(socket))
      socket.end(answerToUnreadable(code));
    else socket.destroy();
  });

  await takePort(server, host, port, retryMs);
  if (log) {
    server.on('error', ({ name, code }: NodeJS.ErrnoException) => {
      log.error('http.server', { error: name, code });
    });
  }

  const address = server.address();
  const taken = typeof address === 'object' && address !== null ? address.port : port;
  let stopped: Promise<void> | undefined;
  return {
    port: taken,
    url: `${tls ? 'https' : 'http'}://${reachable(host)}:${taken}`,
    answers: async () => server.listening && answers(reachable(host), taken),
    stop({ atOnce = false } = {}) {
      stopped ??= stop(server, graceMs);
      if (atOnce) server.closeAllConnections();
      return stopped;
    },
  };
}

type Server = ReturnType<typeof createHttpServer> | ReturnType<typeof createHttpsServer>;

/** Resolves when the server listens; tries again for `retryMs` while another program has the port. */
async function takePort(server: Server, host: string, port: number, retryMs: number): Promise<void> {
  for (let waited = 0; ; waited += RETRY_EVERY_MS) {
    const failure = await listen(server, host, port);
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
      );
    }
    await pause(RETRY_EVERY_MS);
  }
}

/** Null when the server listens; else why it does not. */
function listen(server: Server, host: string, port: number): Promise<NodeJS.ErrnoException | null> {
  return new Promise((resolve) => {
    // Whichever comes first takes the other one's listener along, or every try would leave one behind.
    const onListening = (): void => {
      server.off('error', onError);
      resolve(null);
    };
    const onError = (error: NodeJS.ErrnoException): void => {
      server.off('listening', onListening);
      resolve(error);
    };
    server.once('listening', onListening).once('error', onError);
    server.listen({ host, port });
  });
}

async function stop(server: Server, graceMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  // A connection whose request ends during the grace time would stay open for the next one.
  const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_EVERY_MS);
  const cut = setTimeout(() => server.closeAllConnections(), graceMs);
  server.closeIdleConnections();
  await closed;
  clearInterval(sweep);
  clearTimeout(cut);
}

/** Whether anyone takes a connection there. */
function answers(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: host.replace(/^\[|\]$/g, ''), port, timeout: ANSWER_MS });
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

/** The host to put into a URL: an address that means "every interface" is reached as this machine. */
function reachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}
