import { crossesOpenly } from '../../core/base/redact';
import { parseServerUrl } from '../../core/config/server-url';
import { CallError } from '../../core/registry/client';
import { createHttpClient, type Connected, type HttpClient, type Pace } from '../../ui/client/http';
import type { Service } from './control';
import { remoteFetch } from './remote-fetch';
import type { ServerToken } from './store';
import { setTimer } from './timers';

// This module is loaded on demand: the app starts without it.

/** The server is asked for changes whether the window is seen or not: the status bar shows what waits. */
const PACE: Pace = {
  later: (run, ms) => setTimer(ms, run),
  isVisible: () => true,
  onVisible: () => () => undefined,
};

/** The sentence about an address whose token anyone on the way can read. */
export const OPEN_WARNING =
  'The token and the notes would cross the network unencrypted, readable for everyone on the way.';

/** The codes of answers that no request of this device gets past. */
const REFUSALS: ReadonlySet<string> = new Set([
  'unreachable',
  'unauthorized',
  'forbidden_host',
  'forbidden_origin',
]);

interface Connection {
  readonly client: HttpClient;
  close(): void;
}

function connect(
  url: string,
  token: string,
  onAnswer?: (connected: Connected, error?: CallError) => void,
): Connection {
  const ending = new AbortController();
  const client = createHttpClient({
    url,
    token: () => (token === '' ? null : token),
    fetch: remoteFetch(ending.signal),
    pace: PACE,
    ...(onAnswer && { onAnswer }),
  });
  return { client, close: () => ending.abort() };
}

/**
 * Asks the server at an address whether it knows a token that may read.
 * @throws CallError with the reason and what to do
 */
export async function tryServer(url: string, token: string): Promise<void> {
  const connection = connect(url, token);
  try {
    await connection.client.check();
  } catch (error) {
    if (error instanceof CallError && error.code === 'unauthorized')
      throw new CallError('unauthorized', `The server does not know this token. ${MAKE_TOKEN}`);
    throw error;
  } finally {
    connection.close();
  }
}

const MAKE_TOKEN = 'On its machine "brain token add <name>" makes one.';
const GIVE_TOKEN = 'Give one under "Use a server" in the settings.';

/**
 * A server elsewhere in place of the one inside the app. It is polled while it is used, so that its state shows by itself when it
 * goes and comes back. The screens stay while it is away, for a person may be typing in them.
 */
export class RemoteService implements Service {
  readonly hasHybrid = true;
  readonly syncProgress = null;
  readonly tokens = null;
  readonly #typed: string;
  readonly #token: Pick<ServerToken, 'get'>;
  readonly #listeners = new Set<() => void>();
  #state: Service['state'] = { kind: 'off' };
  #connection: Connection | null = null;
  /** True once the server has answered over this connection. */
  #hasAnswered = false;
  #stopPolling = (): void => undefined;

  /** @param address the address as the settings have it, which a person or another program wrote */
  constructor(address: string, token: Pick<ServerToken, 'get'>) {
    this.#typed = address;
    this.#token = token;
  }

  get state(): Service['state'] {
    return this.#state;
  }

  get client(): HttpClient | null {
    return this.#hasAnswered ? (this.#connection?.client ?? null) : null;
  }

  get url(): string {
    const parsed = parseServerUrl(this.#typed);
    return 'url' in parsed ? parsed.url : this.#typed;
  }

  /** No note of the app is one of the server. */
  isOwners(): boolean {
    return false;
  }

  readonly readFile = async (path: string): Promise<Blob> => this.#open().readFile('file', { path });

  async ingestFile(...[name, file]: Parameters<Service['ingestFile']>): ReturnType<Service['ingestFile']> {
    return this.#open().sendFile('ingestFile', { name, background: true }, file);
  }

  async sendPart(...[ask, part]: Parameters<Service['sendPart']>): ReturnType<Service['sendPart']> {
    return this.#open().sendFile('sendBatchFile', ask, part);
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async start(): Promise<void> {
    if (this.#connection !== null) return;
    const parsed = parseServerUrl(this.#typed);
    if ('fault' in parsed) return this.#become({ kind: 'lost', message: parsed.fault });
    const { url } = parsed;
    const token = this.#token.get(url);
    if (token === null) return this.#become({ kind: 'lost', message: noToken(url) });
    const connection = connect(url, token, (_, error) => {
      if (this.#connection === connection) this.#answered(url, error);
    });
    this.#connection = connection;
    this.#become({ kind: 'starting' });
    await connection.client.check().catch(() => undefined); // `#answered` has it.
    if (this.#connection === connection) this.#stopPolling = connection.client.changes(() => undefined);
  }

  async stop(): Promise<void> {
    this.unload();
    this.#become({ kind: 'off' });
    return Promise.resolve();
  }

  async restart(): Promise<void> {
    this.unload();
    return this.start();
  }

  unload(): void {
    this.#stopPolling();
    const connection = this.#connection;
    this.#connection = null;
    this.#hasAnswered = false;
    connection?.close();
  }

  #open(): HttpClient {
    if (this.#connection === null) throw new CallError('unreachable', 'The server is not used any more.');
    return this.#connection.client;
  }

  #answered(url: string, error: CallError | undefined): void {
    if (error === undefined || !REFUSALS.has(error.code)) {
      this.#hasAnswered = true;
      if (this.#state.kind !== 'connected') this.#become({ kind: 'connected', url });
      return;
    }
    const message = error.code === 'unauthorized' ? refused(url) : error.message;
    const isKnown = this.#state.kind === 'lost' && this.#state.message === message;
    if (!isKnown) this.#become({ kind: 'lost', message });
  }

  #become(state: Service['state']): void {
    this.#state = state;
    for (const listener of [...this.#listeners]) listener();
  }
}

function noToken(url: string): string {
  const warning = crossesOpenly(url) ? ` ${OPEN_WARNING}` : '';
  return `This device has no token for the server at ${url}. ${GIVE_TOKEN}${warning}`;
}

function refused(url: string): string {
  return `The server at ${url} does not know the token of this device any more. ${MAKE_TOKEN} ${GIVE_TOKEN}`;
}
