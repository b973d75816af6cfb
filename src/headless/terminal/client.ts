import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type * as z from 'zod';
import type { Environment } from '../../adapters/host/config-folder';
import { ConnectionError, type FileBody, type HttpAnswer, httpRequest } from '../../adapters/host/http';
import type { Channel, OwnServers } from '../../adapters/host/own-server';
import { isRecord, parsedJson } from '../../core/base/json';
import { DEFAULT_URL } from '../../core/config/settings';
import { DESCRIPTORS, KEY_HEADER, type OperationName } from '../../core/operation/descriptors';
import type { Operation } from '../../core/operation/operation';
import { WORDS_HEADER } from '../../core/operation/words';
import type { OPERATIONS } from '../../core/registry/table';
import { CommandError, type Io, Unreachable, UsageError } from './io';
import { VERSION } from './program';
import { channelTo, tokenOf } from './tokens';
import { withVaultPaths } from './vault-path';

const TIMEOUT_MS = 120_000;
/** The timeout of a question (ms): a language model may be asked twice, and others before it. */
export const ANSWER_TIMEOUT_MS = 600_000;

const PAUSES_MS = [500, 2_000];

/** The codes of a connection that may have been lost after the request was sent. */
const LOST = ['ECONNRESET', 'EPIPE', 'ETIMEDOUT'];

/** The error of a call that may have arrived. */
class AnswerLost extends Unreachable {}

/** The answer of an operation, as a client gets it. */
export type Answer<Op extends Pick<Operation, 'output'>> = z.output<Op['output']>;

interface Sending {
  /** The longest silence of the server (ms). */
  readonly timeoutMs: number;
  /** The idempotency key; undefined for a call that is not repeated. */
  readonly key?: string | undefined;
}

/** An answer of the service: its value, and its exact text. */
export interface Reply<T> {
  readonly value: T;
  readonly text: string;
}

/** A client of a running server's HTTP door. Every failure is a CommandError that says what to do. */
export class Client {
  #vault: Promise<string | null> | null = null;

  constructor(
    private readonly base: URL,
    private readonly token: string | null,
    private readonly command: string,
    /** The servers that may get the token; null for any. */
    private readonly servers: OwnServers | null = null,
    /** The pauses before a change whose answer was lost is asked for again (ms). */
    private readonly pausesMs: readonly number[] = PAUSES_MS,
  ) {}

  /**
   * Performs an operation; undefined fields are not sent. A path of this machine that lies in the vault is sent as the path in
   * the vault. `timeoutMs` is the longest silence of the server (ms).
   */
  async call<Name extends OperationName>(
    name: Name,
    ask: object = {},
    timeoutMs = TIMEOUT_MS,
  ): Promise<Reply<Answer<(typeof OPERATIONS)[Name]>>> {
    const { method, path, effect } = DESCRIPTORS[name];
    const vault = () => (this.#vault ??= this.#servedVault());
    const fields = name === 'ingestPath' ? ask : await withVaultPaths(ask, vault);
    const isChange = effect === 'change' && !('dry_run' in ask && ask.dry_run === true);
    const key = isChange ? randomUUID() : undefined;
    if (method === 'POST') return this.#call(method, path, JSON.stringify(fields), { timeoutMs, key });
    return this.#call(method, withQuery(path, fields), undefined, { timeoutMs, key });
  }

  /** Returns the folder of the vault that is served; null for a token that may not know it. */
  async #servedVault(): Promise<string | null> {
    try {
      return (await this.call('status')).value.vault ?? null;
    } catch (error) {
      if (error instanceof CommandError && error.code === 'forbidden_scope') return null;
      throw error;
    }
  }

  /** Performs an operation that takes a file: sends its bytes as they are. */
  sendFile<Name extends OperationName>(
    name: Name,
    ask: object,
    file: FileBody,
    timeoutMs = TIMEOUT_MS,
  ): Promise<Reply<Answer<(typeof OPERATIONS)[Name]>>> {
    const { method, path } = DESCRIPTORS[name];
    return this.#call(method, withQuery(path, ask), file, { timeoutMs });
  }

  async #call<T>(
    method: string,
    path: string,
    body: string | FileBody | undefined,
    { timeoutMs, key }: Sending,
  ): Promise<Reply<T>> {
    const url = new URL(this.base.pathname.replace(/\/$/, '') + path, this.base);
    const answer = await this.#answer(() => this.#send(url, method, body, { timeoutMs, key }), key);
    const data = parsedJson(answer.text);
    if (answer.status !== 200) throw this.#refusal(answer.status, data, answer.text);
    // The server's operations declare these types.
    return { value: data as T, text: answer.text };
  }

  /** Sends a call. A change whose answer was lost is asked for again by its key, so that it is made once. */
  async #answer(send: () => Promise<HttpAnswer>, key: string | undefined): Promise<HttpAnswer> {
    let isLost = false;
    for (let tries = 0; ; tries += 1) {
      try {
        return await send();
      } catch (error) {
        isLost ||= error instanceof AnswerLost;
        if (key === undefined || !isLost || !(error instanceof Unreachable)) throw error;
        const pause = this.pausesMs[tries];
        if (pause === undefined)
          throw new Unreachable(
            `${error.message} It is not known whether the change was made: look before you repeat the command.`,
          );
        await wait(pause);
      }
    }
  }

  async #send(
    url: URL,
    method: string,
    body: string | FileBody | undefined,
    { timeoutMs, key }: Sending,
  ): Promise<HttpAnswer> {
    const headers = {
      Accept: 'application/json',
      'X-Brain-Client': `brain-cli/${VERSION}`,
      [WORDS_HEADER]: 'command',
      ...(body !== undefined && {
        'Content-Type': typeof body === 'string' ? 'application/json' : 'application/octet-stream',
      }),
      ...(key !== undefined && { [KEY_HEADER]: key }),
      ...(this.token !== null && { Authorization: `Bearer ${this.token}` }),
    };
    let channel: Channel | null = null;
    try {
      channel = await channelTo(this.base, this.servers);
      const target = channel === null ? url : new URL(url.pathname + url.search, channel.url);
      const answer = await httpRequest(target, {
        method,
        headers,
        timeoutMs,
        ...(channel && { agent: channel.agent }),
        ...(body !== undefined && { body }),
      });
      if (answer.headers['x-brain-api'] !== undefined) return answer;
      // A proxy may have lost the answer of the server behind it.
      throw new (answer.status >= 500 ? AnswerLost : Unreachable)(
        `What answers at ${this.base.origin} is not a Brain Server (HTTP ${answer.status}).`,
      );
    } catch (error) {
      if (!(error instanceof ConnectionError)) throw error;
      const address = this.base.href.replace(/\/$/, '');
      if (['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN'].includes(error.code)) {
        throw new Unreachable(`No server at ${address}. Start it with: ${this.command} serve --vault <dir>`);
      }
      const text = `No answer from ${address}: ${error.message.replace(/\.$/, '')}.`;
      throw new (LOST.includes(error.code) ? AnswerLost : Unreachable)(text);
    } finally {
      channel?.agent.destroy();
    }
  }

  #refusal(status: number, data: unknown, text: string): CommandError {
    const { code, message, retryAfter } = errorOf(data);
    const explained = message ?? `The server answered HTTP ${status}.`;
    const body = code === undefined ? undefined : text;
    if (status !== 401) return new CommandError(explained, code, body, retryAfter);
    const used =
      this.token === null
        ? 'No token was found here: set BRAIN_TOKEN.'
        : 'The server does not know the token that was sent; is BRAIN_TOKEN, or BRAIN_CONFIG_DIR, the right one?';
    return new CommandError(`${explained} ${used}`, code, body);
  }
}

/**
 * Returns the server's address: `BRAIN_URL`, else the default one.
 * @throws UsageError when it is invalid.
 */
export function addressOf(env: Environment): URL {
  const address = env.BRAIN_URL || DEFAULT_URL;
  const url = URL.canParse(address) ? new URL(address) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new UsageError(`BRAIN_URL is "${address}", which is not an address such as ${DEFAULT_URL}.`);
  }
  return url;
}

/** Returns a client with `BRAIN_TOKEN`, else with the owner's token of this user's configuration folder. */
export async function clientFrom({ env, command }: Pick<Io, 'env' | 'command'>): Promise<Client> {
  const base = addressOf(env);
  const { token, servers } = await tokenOf(env, 'owner');
  return new Client(base, token, command, servers);
}

function withQuery(path: string, ask: object): string {
  const given = Object.entries(ask).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)]],
  );
  const search = new URLSearchParams(given).toString();
  return search === '' ? path : `${path}?${search}`;
}

function errorOf(data: unknown): { code?: string; message?: string; retryAfter?: number } {
  if (!isRecord(data) || !isRecord(data.error)) return {};
  const { code, message, details } = data.error;
  const retryAfter = isRecord(details) ? details.retry_after : undefined;
  return {
    ...(typeof code === 'string' && { code }),
    ...(typeof message === 'string' && { message }),
    ...(typeof retryAfter === 'number' && { retryAfter }),
  };
}
