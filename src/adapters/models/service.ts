import { MIB } from '../../core/base/hash';
import { BrainError } from '../../core/base/errors';
import type { StopSignal } from '../../core/base/host';
import { parsedJson } from '../../core/base/json';
import { holdsKey, keyAdvice, mayCarryKey } from '../../core/base/redact';
import { type HttpClient, HttpFailure, type HttpResponse } from '../../core/ports/ports';

/** The timeout of a whole reply (ms): a large model on a small machine is slow. */
const TIMEOUT_MS = 180_000;
/** The largest reply (bytes): it may hold the thoughts of a model whose thinking cannot be switched off. */
const MAX_BYTES = 4 * MIB;

/** The address of a model, and its credentials. */
export interface ServiceOptions {
  readonly http: HttpClient;
  /** The base address, with or without a slash at its end; it may have a path. */
  readonly url: string;
  readonly model: string;
  /** Sent as a bearer token to this address, and nowhere else. */
  readonly key?: string | undefined;
  /** The hosts that may get it over plain http. */
  readonly plainHosts?: readonly string[];
}

/**
 * The HTTP service of a language model. Every failure is an `llm_error` that names host and status, and quotes nothing of
 * the request or the reply.
 */
interface ModelService {
  /** Sends JSON and resolves with the answer, of any status; rejects when there is no whole answer. */
  post(path: string, body: unknown, signal?: StopSignal): Promise<HttpResponse>;
  /** Parses the JSON of an answer. @throws BrainError when it is a refusal or not JSON */
  read(answer: HttpResponse): unknown;
  /** Returns the error for an answer of another kind of service. */
  unusable(): BrainError;
}

export function modelService({ http, url, key, plainHosts = [] }: ServiceOptions): ModelService {
  const base = url.replace(/\/+$/, '');
  const { host } = new URL(url);
  const headers = {
    accept: 'application/json',
    'content-type': 'application/json',
    ...(key !== undefined && { authorization: `Bearer ${key}` }),
  };
  const failed = (what: string, status?: number): BrainError =>
    new BrainError('llm_error', `The language model at ${host} ${what}.`, {
      host,
      ...(status !== undefined && { status }),
    });
  const unusable = () =>
    failed('answered something else than a reply; see that BRAIN_LLM_API is the right one for it', 200);
  return {
    unusable,
    async post(path, body, signal) {
      if ((key !== undefined || holdsKey(url)) && !mayCarryKey(url, plainHosts)) {
        const { hostname } = new URL(url);
        throw failed(
          `was not asked, because its key would cross a network unencrypted; ${keyAdvice(hostname)}`,
        );
      }
      try {
        return await http.send({
          method: 'POST',
          url: base + path,
          headers,
          body: JSON.stringify(body),
          timeoutMs: TIMEOUT_MS,
          maxBytes: MAX_BYTES,
          ...(signal && { signal }),
        });
      } catch (error) {
        if (!(error instanceof HttpFailure)) throw error;
        throw failed(WHY[error.code] ?? `cannot be reached (${error.code}); see that it runs`);
      }
    },
    read({ status, body }) {
      if (status !== 200)
        throw failed(`answered HTTP ${status}; ${HINTS[status] ?? 'its own log says why'}`, status);
      const json = parsedJson(body);
      if (json === undefined) throw unusable();
      return json;
    },
  };
}

const WHY: Readonly<Partial<Record<string, string>>> = {
  timeout: `gave no whole answer within ${TIMEOUT_MS / 1000} s`,
  too_large: `answered more than ${MAX_BYTES / MIB} MiB`,
  stopped: 'was no longer waited for',
  redirect: 'sends to another address, which is not followed; if you trust that one, set BRAIN_LLM_URL to it',
};

const HINTS: Readonly<Partial<Record<number, string>>> = {
  401: 'see that BRAIN_LLM_KEY is right',
  403: 'see that BRAIN_LLM_KEY is right',
  404: 'see that BRAIN_LLM_URL, BRAIN_LLM_API and BRAIN_LLM_MODEL are right',
  429: 'it is asked too often',
};
