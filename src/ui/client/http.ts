import { PAGE_HEADER } from '../../core/access/token-name';
import {
  type OperationName,
  DESCRIPTORS,
  type Descriptor,
  KEY_HEADER,
} from '../../core/operation/descriptors';
import { WORDS_HEADER } from '../../core/operation/words';
import { type Answer, type Ask, type BrainClient, CallError } from '../../core/registry/client';

/** The clock and the visibility of the page, for polling. */
export interface Pace {
  /** Runs a function after a delay. Returns a function that cancels it. */
  later(run: () => void, ms: number): () => void;
  /** Returns false while the page is hidden. */
  isVisible(): boolean;
  /** Calls `run` when the page becomes visible. Returns a function that unsubscribes. */
  onVisible(run: () => void): () => void;
}

interface Poll {
  /** Polls now, and calls the listeners as usual. @throws what `ask` throws. */
  pollNow(): Promise<void>;
  /** Calls `listener` after every change. Returns a function that unsubscribes. */
  listen(listener: () => void): () => void;
}

const EVERY_MS = 2_000;

/**
 * Polls a revision every two seconds while it has listeners and the page is visible. Calls the listeners when the revision
 * differs, and also after a failed poll, for the server may have restarted.
 */
export function pollChanges(ask: () => Promise<string>, pace: Pace): Poll {
  const listeners = new Set<() => void>();
  let lastRevision: string | null = null;
  let hasFailed = false;
  let stop: (() => void) | null = null;

  const start = (): (() => void) => {
    let isRunning = true;
    let isPolling = false;
    let cancel: () => void = () => undefined;
    const poll = async (): Promise<void> => {
      cancel();
      if (isPolling || !isRunning) return;
      isPolling = true;
      // `ask` reports its failures itself. The next poll runs in any case.
      if (pace.isVisible()) await pollNow().catch(() => undefined);
      isPolling = false;
      // No timer runs while the page is hidden: `onVisible` polls again.
      if (isRunning && pace.isVisible()) cancel = pace.later(() => void poll(), EVERY_MS);
    };
    const unsubscribe = pace.onVisible(() => void poll());
    void poll();
    return () => {
      isRunning = false;
      cancel();
      unsubscribe();
    };
  };

  const pollNow = async (): Promise<void> => {
    const revision = await ask().catch((error: unknown) => {
      hasFailed = true;
      throw error;
    });
    const changed = hasFailed || (lastRevision !== null && revision !== lastRevision);
    lastRevision = revision;
    hasFailed = false;
    if (changed) for (const listener of [...listeners]) listener();
  };

  return {
    pollNow,
    listen(listener) {
      // A new function for each call, so that one function can be registered twice.
      const wrapper = (): void => listener();
      listeners.add(wrapper);
      stop ??= start();
      return () => {
        listeners.delete(wrapper);
        if (listeners.size > 0 || stop === null) return;
        stop();
        stop = null;
      };
    },
  };
}

/** The part of the browser's `fetch` that the client uses. One that can say why nothing answers rejects with a CallError. */
export type Fetch = (
  url: string,
  init: {
    readonly method: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body?: string | Blob;
    readonly cache: 'no-store';
    readonly credentials: 'omit';
    readonly redirect: 'error';
  },
) => Promise<{ readonly status: number; json(): Promise<unknown>; blob(): Promise<Blob> }>;

/** The outcome of the last request. */
export type Connected = 'yes' | 'unreachable' | 'unauthorized';

interface HttpClientOptions {
  /** The URL of the server, without a trailing slash: `http://127.0.0.1:27246`. */
  readonly url: string;
  /** Returns the token for the next request; null for none. */
  readonly token: () => string | null;
  readonly fetch: Fetch;
  readonly pace: Pace;
  /** Called with the outcome of every request, polls included, and with the error of a failed one. */
  readonly onAnswer?: (connected: Connected, error?: CallError) => void;
}

/** The operations whose answer is a file. */
type FileName = 'file';

export interface HttpClient extends BrainClient {
  /** Calls an operation that takes a file. @throws CallError */
  sendFile<Name extends OperationName>(name: Name, ask: Ask<Name>, file: Blob): Promise<Answer<Name>>;
  /** Calls an operation whose answer is a file. @throws CallError */
  readFile(name: FileName, ask: Ask<FileName>): Promise<Blob>;
  /** Polls now, which checks the token and calls the listeners of changes. @throws CallError */
  check(): Promise<void>;
}

/** Creates a client of a server elsewhere, which calls every operation by its HTTP route. */
export function createHttpClient(options: HttpClientOptions): HttpClient {
  const { onAnswer } = options;
  const send = async (route: Descriptor, ask: object, file?: Blob): Promise<unknown> => {
    try {
      const data = await answerOf(options, route, ask, file);
      onAnswer?.('yes');
      return data;
    } catch (error) {
      onAnswer?.(outcomeOf(error), error instanceof CallError ? error : undefined);
      throw error;
    }
  };
  const poll = pollChanges(async () => JSON.stringify(await send(DESCRIPTORS.revision, {})), options.pace);
  return {
    async call<Name extends OperationName>(name: Name, ask: Ask<Name>): Promise<Answer<Name>> {
      const data = await send(DESCRIPTORS[name], ask);
      // The route of an operation answers in the shape that the operation declares.
      return data as Answer<Name>;
    },
    async sendFile<Name extends OperationName>(
      name: Name,
      ask: Ask<Name>,
      file: Blob,
    ): Promise<Answer<Name>> {
      const data = await send(DESCRIPTORS[name], ask, file);
      return data as Answer<Name>; // As above.
    },
    async readFile(name, ask) {
      const data = await send(DESCRIPTORS[name], ask);
      if (data instanceof Blob) return data;
      throw new CallError('unreachable', `The answer of ${options.url} is no file.`);
    },
    changes: (listener) => poll.listen(listener),
    check: () => poll.pollNow(),
  };
}

function outcomeOf(error: unknown): Connected {
  const code = error instanceof CallError ? error.code : '';
  return code === 'unreachable' || code === 'unauthorized' ? code : 'yes';
}

/** The pauses before a change whose answer was lost is asked for again (ms). */
const PAUSES_MS = [500, 2_000];

/**
 * Asks for an operation. A change without an answer is asked for again by its key, so that it is made once.
 * @throws CallError, with `isUnknown` in its details when a change may have been made
 */
async function answerOf(
  options: HttpClientOptions,
  route: Descriptor,
  ask: object,
  file?: Blob,
): Promise<unknown> {
  if (route.effect === 'read' || ('dry_run' in ask && ask.dry_run === true))
    return request(options, route, ask, { file });
  const random = crypto.getRandomValues(new Uint8Array(16));
  const key = Array.from(random, (byte) => byte.toString(16).padStart(2, '0')).join('');
  for (let tries = 0; ; tries += 1) {
    try {
      return await request(options, route, ask, { file, key });
    } catch (error) {
      if (!(error instanceof CallError) || error.code !== 'unreachable') throw error;
      const pause = PAUSES_MS[tries];
      if (pause === undefined) throw new CallError('unreachable', error.message, { isUnknown: true });
      await new Promise<void>((resolve) => void options.pace.later(resolve, pause));
    }
  }
}

/** Sends a request and returns the JSON or the file of its answer. @throws CallError for every other answer. */
async function request(
  options: HttpClientOptions,
  route: Descriptor,
  ask: object,
  { file, key }: { readonly file: Blob | undefined; readonly key?: string },
): Promise<unknown> {
  const { url, fetch } = options;
  const { method, path } = route;
  const token = options.token();
  const isJson = method === 'POST' && file === undefined;
  const query = isJson ? '' : queryString(ask);
  const answer = await fetch(`${url}${path}${query}`, {
    method,
    headers: {
      Accept: route.givesFile === true ? 'image/*, application/json' : 'application/json',
      [WORDS_HEADER]: 'plain',
      [PAGE_HEADER]: 'true',
      ...(key !== undefined && { [KEY_HEADER]: key }),
      ...(token !== null && { Authorization: `Bearer ${token}` }),
      ...(method === 'POST' && { 'Content-Type': isJson ? 'application/json' : 'application/octet-stream' }),
    },
    ...(method === 'POST' && { body: file ?? JSON.stringify(ask) }),
    cache: 'no-store',
    credentials: 'omit',
    redirect: 'error',
  }).catch((error: unknown) => {
    if (error instanceof CallError) throw error;
    throw new CallError('unreachable', `No answer from ${url}. Is the server running?`);
  });
  if (route.givesFile === true && answer.status === 200) return answer.blob();
  const data = await answer.json().catch(() => undefined);
  if (answer.status === 200 && data !== undefined) return data;
  throw toCallError(answer.status, data, url);
}

function queryString(ask: object): string {
  const fields = Object.entries(ask).filter(([, value]) => value !== undefined);
  const search = new URLSearchParams(fields.map(([name, value]) => [name, String(value)])).toString();
  return search === '' ? '' : `?${search}`;
}

/**
 * Converts an error answer to a CallError. An answer in another shape comes from a proxy, or was cut off with the server.
 */
function toCallError(status: number, data: unknown, url: string): CallError {
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
