import { type OperationName, DESCRIPTORS, type Descriptor } from '../../core/operation/descriptors';
import { type Answer, type Ask, type BrainClient, CallError } from '../../core/registry/client';

/** When to look for changes: the clock and the window, as far as polling needs them. */
export interface Pace {
  /** Runs something after a while; returns how to prevent that. */
  later(run: () => void, ms: number): () => void;
  /** False while nobody can see the page. */
  isVisible(): boolean;
  /** Tells when the page has come into sight; returns how to stop that. */
  onVisible(run: () => void): () => void;
}

interface Poll {
  /** Looks now, and tells the listeners as usual. @throws what the question threw. */
  look(): Promise<void>;
  /** Calls `listener` after something has changed; returns how to stop that. */
  listen(listener: () => void): () => void;
}

const EVERY_MS = 2_000;

/**
 * Asks for a mark every two seconds, as long as somebody listens and the page can be seen, and tells the listeners when
 * it is another one. After a time without an answer they are told as well: the server may have begun anew.
 */
export function pollChanges(ask: () => Promise<string>, pace: Pace): Poll {
  const listeners = new Set<() => void>();
  let known: string | null = null;
  let missed = false;
  let stop: (() => void) | null = null;

  const start = (): (() => void) => {
    let running = true;
    let asking = false;
    let cancel: () => void = () => undefined;
    const round = async (): Promise<void> => {
      cancel();
      if (asking || !running) return;
      asking = true;
      // Whoever asks has reported a failure already; the next round comes in any case.
      if (pace.isVisible()) await look().catch(() => undefined);
      asking = false;
      // No timer while the page is hidden: `onVisible` begins again.
      if (running && pace.isVisible()) cancel = pace.later(() => void round(), EVERY_MS);
    };
    const away = pace.onVisible(() => void round());
    void round();
    return () => {
      running = false;
      cancel();
      away();
    };
  };

  const look = async (): Promise<void> => {
    const mark = await ask().catch((error: unknown) => {
      missed = true;
      throw error;
    });
    const changed = missed || (known !== null && mark !== known);
    known = mark;
    missed = false;
    if (changed) for (const listener of [...listeners]) listener();
  };

  return {
    look,
    listen(listener) {
      // A listener of its own for every call, so that one function may listen twice.
      const own = (): void => listener();
      listeners.add(own);
      stop ??= start();
      return () => {
        listeners.delete(own);
        if (listeners.size > 0 || stop === null) return;
        stop();
        stop = null;
      };
    },
  };
}

/** As much of the browser's `fetch` as the client needs. */
export type Fetch = (
  url: string,
  init: {
    readonly method: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body?: string;
    readonly cache: 'no-store';
    readonly credentials: 'omit';
    readonly redirect: 'error';
  },
) => Promise<{ readonly status: number; json(): Promise<unknown> }>;

/** How the last answer of the server, or its absence, looked. */
export type Connected = 'yes' | 'unreachable' | 'unauthorized';

interface HttpClientOptions {
  /** Where the server is, without a slash at the end: `http://127.0.0.1:27246`. */
  readonly url: string;
  /** The token to send with the next request; null when there is none, or none is needed. */
  readonly token: () => string | null;
  readonly fetch: Fetch;
  readonly pace: Pace;
  /** Hears after every call, also after those that only look for changes, how the server answered. */
  readonly onAnswer?: (connected: Connected) => void;
}

export interface HttpClient extends BrainClient {
  /** Looks now whether the server takes the token, and whether anything has changed. @throws CallError */
  check(): Promise<void>;
}

/** The client of the web page: every operation as one request to its HTTP route. */
export function createHttpClient(options: HttpClientOptions): HttpClient {
  const { onAnswer } = options;
  const send = async (route: Descriptor, ask: object): Promise<unknown> => {
    try {
      const data = await request(options, route, ask);
      onAnswer?.('yes');
      return data;
    } catch (error) {
      onAnswer?.(connectedAfter(error));
      throw error;
    }
  };
  const poll = pollChanges(async () => JSON.stringify(await send(DESCRIPTORS.revision, {})), options.pace);
  return {
    async call<Name extends OperationName>(name: Name, ask: Ask<Name>): Promise<Answer<Name>> {
      const data = await send(DESCRIPTORS[name], ask);
      // What the route of this operation answered, in the shape that the operation itself declares.
      return data as Answer<Name>;
    },
    changes: (listener) => poll.listen(listener),
    check: () => poll.look(),
  };
}

function connectedAfter(error: unknown): Connected {
  const code = error instanceof CallError ? error.code : '';
  return code === 'unreachable' || code === 'unauthorized' ? code : 'yes';
}

/** @throws CallError for every answer that is not the operation's own. */
async function request(options: HttpClientOptions, route: Descriptor, ask: object): Promise<unknown> {
  const { url, fetch } = options;
  const { method, path } = route;
  const token = options.token();
  const query = method === 'POST' ? '' : queryOf(ask);
  const answer = await fetch(`${url}${path}${query}`, {
    method,
    headers: {
      Accept: 'application/json',
      ...(token !== null && { Authorization: `Bearer ${token}` }),
      ...(method === 'POST' && { 'Content-Type': 'application/json' }),
    },
    ...(method === 'POST' && { body: JSON.stringify(ask) }),
    cache: 'no-store',
    credentials: 'omit',
    redirect: 'error',
  }).catch(() => {
    throw new CallError('unreachable', `No answer from ${url}. Is the server running?`);
  });
  const data = await answer.json().catch(() => undefined);
  if (answer.status === 200 && data !== undefined) return data;
  throw refusal(answer.status, data, url);
}

function queryOf(ask: object): string {
  const given = Object.entries(ask).filter(([, value]) => value !== undefined);
  const search = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return search === '' ? '' : `?${search}`;
}

/** What a refusal says; an answer that is no refusal of ours comes from a proxy, or from a server cut off mid-answer. */
function refusal(status: number, data: unknown, url: string): CallError {
  const error = fieldOf(data, 'error');
  const code = fieldOf(error, 'code');
  const message = fieldOf(error, 'message');
  if (typeof code !== 'string' || typeof message !== 'string') {
    return new CallError('unreachable', `What answers at ${url} is not Brain Server (HTTP ${status}).`);
  }
  const details = fieldOf(error, 'details');
  const requestId = fieldOf(error, 'request_id');
  return new CallError(
    code,
    message,
    typeof details === 'object' && details !== null ? { ...details } : {},
    typeof requestId === 'string' ? requestId : undefined,
  );
}

function fieldOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  return Object.entries(value).find(([key]) => key === name)?.[1];
}
