import { BrainError } from '../../core/base/errors';
import type { StopSignal } from '../../core/base/host';
import { parsedJson } from '../../core/base/json';
import { holdsKey, keyAdvice, mayCarryKey } from '../../core/base/redact';
import { DIMENSIONS, normalised } from '../../core/embeddings/pieces';
import {
  type Embedder,
  type EmbedKind,
  type HttpClient,
  HttpFailure,
  type HttpResponse,
} from '../../core/ports/ports';

/** The timeout of a request (ms). A model that has to be loaded first may take most of it. */
const TIMEOUT_MS = 60_000;
/** The largest answer (bytes). Thirty-two vectors take less than one MiB. */
const MAX_ANSWER_BYTES = 16 * 1024 * 1024;

/** The most texts of one request. */
const MAX_TEXTS = 32;
/** A model whose vectors have fewer or more numbers is no model for texts, or too large to be kept. */
const MIN_NUMBERS = 64;
const MAX_NUMBERS = 4096;

interface EmbedderOptions {
  readonly http: HttpClient;
  /** The base address of the server; the path of the interface is appended. */
  readonly url: string;
  readonly model: string;
  /** The prefix of every text; when absent, the model's own. */
  readonly docPrefix?: string | undefined;
  readonly queryPrefix?: string | undefined;
  /** The number of leading numbers of a vector that are used; all by default. */
  readonly dimensions?: number | undefined;
  /** The hosts that may get a key over plain http. */
  readonly plainHosts?: readonly string[];
}

interface KeyedOptions extends EmbedderOptions {
  /** Sent as a bearer token, unless the request would cross a network unencrypted. */
  readonly key?: string | undefined;
}

/** Returns an embedder on Ollama's `POST /api/embed`. It sends nothing before the first call. */
export function ollamaEmbedder(options: EmbedderOptions): Embedder {
  const send = sender(options, '/api/embed', {});
  const { model } = options;
  return makeEmbedder(options, async (input, host, signal) => {
    const answer = await send({ model, input, truncate: true }, signal);
    if (answer.status !== 200) throw refused(host, model, answer, `Try: ollama pull ${model}`);
    const embeddings = field(parsedJson(answer.body), 'embeddings');
    if (!Array.isArray(embeddings)) throw unusable(host, 'something that holds no embeddings', ADDRESS);
    if (embeddings.length !== input.length)
      throw unusable(host, counted(embeddings.length, input.length), ADDRESS);
    const vectors: unknown[] = embeddings;
    return vectors;
  });
}

/**
 * Returns an embedder on the interface of OpenAI, `POST /embeddings`, as LM Studio, llama.cpp, vLLM, text-embeddings-inference and
 * hosted services have it. It sends nothing before the first call.
 */
export function openAiEmbedder(options: KeyedOptions): Embedder {
  const { model, key, url, plainHosts = [] } = options;
  const isKeySent = key !== undefined && mayCarryKey(url, plainHosts);
  const send = sender(options, '/embeddings', isKeySent ? { authorization: `Bearer ${key}` } : {});
  const advice =
    key === undefined || isKeySent
      ? ''
      : `The key is not sent, because the address is that of another machine and not https: ${keyAdvice(new URL(url).hostname)}.`;
  let format: object = { encoding_format: 'float' };
  /** The most texts that the server is known to take in one request. */
  let room = MAX_TEXTS;

  async function ask(input: readonly string[], host: string, signal?: StopSignal): Promise<unknown[]> {
    if (input.length > room) {
      const found: unknown[] = [];
      for (let from = 0; from < input.length; from += room)
        found.push(...(await ask(input.slice(from, from + room), host, signal)));
      return found;
    }
    const fewer = (most: number): Promise<unknown[]> => {
      room = most;
      return ask(input, host, signal);
    };
    let answer = await send({ model, input, ...format }, signal);
    if (FIELD_REFUSED.includes(answer.status) && !isTooLong(answer) && !isTooMany(answer)) {
      // The service may not know this field, in which case floats are what it answers anyway.
      answer = await send({ model, input }, signal);
      if (answer.status === 200) format = {};
    }
    if (input.length > 1 && isTooMany(answer)) return fewer(Math.floor(input.length / 2));
    if (answer.status !== 200) throw refused(host, model, answer, advice);
    const data = field(parsedJson(answer.body), 'data');
    if (!Array.isArray(data)) throw unusable(host, 'something that holds no embeddings', ADDRESS);
    if (data.length < input.length && input.length > 1 && data.length > 0) return fewer(1);
    return inOrder(data, input.length, host);
  }
  return makeEmbedder(options, ask);
}

/** The statuses with which a service refuses a field that it does not know. */
const FIELD_REFUSED = [400, 422];

/** Returns the vectors in the order of their indexes. @throws BrainError when an index is missing or repeated. */
function inOrder(data: readonly unknown[], count: number, host: string): unknown[] {
  const found = new Map(data.map((each) => [field(each, 'index'), field(each, 'embedding')]));
  const vectors = Array.from({ length: count }, (_, index) => found.get(index));
  if (data.length !== count) throw unusable(host, counted(data.length, count), ADDRESS);
  if (found.size !== count || vectors.includes(undefined))
    throw unusable(host, 'vectors whose indexes do not fit the texts', ADDRESS);
  return vectors;
}

type Ask = (input: readonly string[], host: string, signal?: StopSignal) => Promise<unknown[]>;

/** Returns an embedder whose texts get their prefixes and whose vectors are checked and brought to 768 numbers. */
function makeEmbedder(options: EmbedderOptions, ask: Ask): Embedder {
  const { model, url, dimensions } = options;
  const { host } = new URL(url);
  const own = prefixesOf(model);
  const prefix: Readonly<Record<EmbedKind, string>> = {
    document: options.docPrefix ?? own.document,
    query: options.queryPrefix ?? own.query,
  };
  /** The numbers of a vector of this model, once one has come. */
  let numbers: number | null = null;
  return {
    maker: makerOf(model, prefix.document, dimensions),
    get caveat() {
      const isCut = numbers !== null && numbers > DIMENSIONS && dimensions === undefined;
      return isCut && !isMatryoshka(model)
        ? `"${model}" answers ${numbers} numbers for a text; the first ${DIMENSIONS} are kept. It is not known to be made for that.`
        : null;
    },
    async embed(texts, kind, signal) {
      if (texts.some((text) => text.trim() === '')) {
        throw new BrainError('empty_content', 'There is no text to embed.');
      }
      if (texts.length === 0) return [];
      const found = await ask(
        texts.map((text) => prefix[kind] + text),
        host,
        signal,
      );
      return found.map((values) => {
        const vector = vectorIn(values, host);
        numbers ??= vector.length;
        if (vector.length !== numbers)
          throw unusable(host, `${vector.length} numbers for a text, after ${numbers} before`, SAME_MODEL);
        return fitted(vector, Math.min(DIMENSIONS, dimensions ?? DIMENSIONS), host);
      });
    },
  };
}

const SAME_MODEL = 'See that the model is the same for every request, then start the service again.';

/**
 * Returns the name of what makes the vectors. The prefix of documents is part of it unless it is the one that earlier versions used
 * for the model; the prefix of queries is not.
 */
function makerOf(model: string, prefix: string, dimensions: number | undefined): string {
  const before = isNomic(model) ? NOMIC.document : '';
  const after = prefix === before ? '' : ` after ${JSON.stringify(prefix)}`;
  const first = dimensions === undefined || dimensions >= DIMENSIONS ? '' : `, first ${dimensions}`;
  return model + after + first;
}

const NOMIC = { document: 'search_document: ', query: 'search_query: ' };

/** Returns true for the models of Nomic, whose vectors must not be cut without a layer norm. */
export function isNomic(model: string): boolean {
  return model.includes('nomic-embed-text');
}

/** Returns the prefixes that a model is trained with, which no server adds. */
function prefixesOf(model: string): Readonly<Record<EmbedKind, string>> {
  const name = model.toLowerCase();
  if (isNomic(name)) return NOMIC;
  if (name.includes('embeddinggemma'))
    return { document: 'title: none | text: ', query: 'task: search result | query: ' };
  // The instruct models of the family have other prefixes.
  if (/(?:^|[^a-z0-9])e5(?:[^a-z0-9]|$)/.test(name) && !name.includes('instruct'))
    return { document: 'passage: ', query: 'query: ' };
  return { document: '', query: '' };
}

/** Returns true for a model that is trained so that the first numbers of a vector are a good shorter vector. */
function isMatryoshka(model: string): boolean {
  return /nomic-embed-text-v1\.5|text-embedding-3|qwen3-embedding|bekko/i.test(model);
}

/** Returns a function that posts JSON to a path below the address. It rejects when there is no whole answer. */
function sender(
  { http, url, plainHosts = [] }: EmbedderOptions,
  path: string,
  headers: Readonly<Record<string, string>>,
): (body: object, signal?: StopSignal) => Promise<HttpResponse> {
  const address = `${url.replace(/\/+$/, '')}${path}`;
  const { host } = new URL(address);
  return async (body, signal) => {
    if (holdsKey(url) && !mayCarryKey(url, plainHosts)) {
      const what = `The address of the embedder at ${host} has a key in it, which would cross a network unencrypted, so nothing was sent`;
      throw new BrainError('embed_error', `${what}; ${keyAdvice(new URL(address).hostname)}.`, {
        host,
        serves_nobody: true,
      });
    }
    try {
      return await http.send({
        method: 'POST',
        url: address,
        headers: { 'content-type': 'application/json', accept: 'application/json', ...headers },
        body: JSON.stringify(body),
        timeoutMs: TIMEOUT_MS,
        maxBytes: MAX_ANSWER_BYTES,
        ...(signal && { signal }),
      });
    } catch (error) {
      throw noAnswer(host, error);
    }
  };
}

/** Reads and checks one vector. @throws BrainError `embed_error` when it is invalid. */
function vectorIn(values: unknown, host: string): Float32Array {
  if (!Array.isArray(values)) throw unusable(host, 'something that is no vector', ADDRESS);
  if (values.length < MIN_NUMBERS || values.length > MAX_NUMBERS) {
    const what = `vectors of ${values.length} numbers where ${MIN_NUMBERS} to ${MAX_NUMBERS} are usable`;
    throw unusable(host, what, 'Choose a model for text embeddings.');
  }
  const vector = Float32Array.from(values, (value: unknown) => (typeof value === 'number' ? value : NaN));
  if (!vector.every(Number.isFinite)) throw invalid(host, 'a vector that holds something else than numbers');
  if (vector.every((value) => value === 0)) throw invalid(host, 'a vector of zeros');
  return vector;
}

/**
 * Returns the vector with 768 numbers: as it is; with zeros behind it, which changes no cosine; or its first `kept` numbers at
 * length 1.
 */
function fitted(vector: Float32Array, kept: number, host: string): Float32Array {
  if (vector.length === DIMENSIONS && kept === DIMENSIONS) return vector;
  const found = new Float32Array(DIMENSIONS);
  if (vector.length <= kept) {
    found.set(vector);
    return found;
  }
  const first = normalised(vector.subarray(0, kept));
  if (first === null) throw invalid(host, `a vector whose first ${kept} numbers are zeros`);
  found.set(first);
  return found;
}

function noAnswer(host: string, error: unknown): unknown {
  if (!(error instanceof HttpFailure)) return error;
  const reasons: Readonly<Record<string, string>> = {
    timeout: `did not answer within ${TIMEOUT_MS / 1000} seconds`,
    too_large: 'answered more than is read',
    stopped: 'was no longer waited for',
    redirect: 'sends to another address, which is not followed',
  };
  const advice =
    error.code === 'redirect'
      ? 'If you trust that one, set BRAIN_EMBED_URL to it.'
      : 'See that it runs and that BRAIN_EMBED_URL is its address.';
  return new BrainError(
    'embed_error',
    `The embedder at ${host} ${reasons[error.code] ?? `cannot be reached (${error.code})`}. ${advice}`,
    { host },
  );
}

/** The words of servers for a text that is longer than the model reads. */
const TOO_LONG =
  /input length exceeds|maximum context length|too large to process|must have less than \d+ tokens|context (?:size|window|length)|too many tokens/i;

function isTooLong({ status, body }: HttpResponse): boolean {
  return [400, 413, 422, 500].includes(status) && TOO_LONG.test(body);
}

/** Returns true for the refusal of a request with too many texts. llama.cpp also speaks of a batch size, of tokens. */
function isTooMany(answer: HttpResponse): boolean {
  const { status, body } = answer;
  return [400, 413, 422].includes(status) && /batch.?size|too many inputs/i.test(body) && !isTooLong(answer);
}

function refused(host: string, model: string, answer: HttpResponse, advice: string): BrainError {
  const { status } = answer;
  const tooLong = isTooLong(answer);
  const retryAfter = status === 429 ? Number(answer.headers['retry-after'] ?? NaN) : NaN;
  const what =
    status === 404
      ? `Is BRAIN_EMBED_URL right, and is the model there? ${advice}`.trim()
      : status === 401 || status === 403
        ? `See that BRAIN_EMBED_KEY is right. ${advice}`.trim()
        : OWN_LOG;
  return new BrainError(
    'embed_error',
    tooLong
      ? `The embedder at ${host} answered HTTP ${status}: a text is longer than "${model}" reads.`
      : `The embedder at ${host} answered HTTP ${status} for the model "${model}". ${what}`,
    {
      host,
      status,
      ...(tooLong && { too_long: true }),
      ...(Number.isFinite(retryAfter) && { retry_after: retryAfter }),
    },
  );
}

const ADDRESS = 'See that BRAIN_EMBED_URL is the address of an embedder, and BRAIN_EMBED_API its interface.';
const OWN_LOG = 'Its own log says why.';

/** Returns the error for an answer that the model or the address causes, whatever the text is. */
function unusable(host: string, what: string, advice: string): BrainError {
  return new BrainError('embed_error', `${answered(host, what)} ${advice}`, {
    host,
    status: 200,
    serves_nobody: true,
  });
}

/** Returns the error for an answer that the text may cause. */
function invalid(host: string, what: string): BrainError {
  return new BrainError('embed_error', `${answered(host, what)} ${OWN_LOG}`, { host, status: 200 });
}

function answered(host: string, what: string): string {
  return `The embedder at ${host} answered HTTP 200 with ${what}.`;
}

function counted(vectors: number, texts: number): string {
  return `${vectors} ${vectors === 1 ? 'vector' : 'vectors'} for ${texts} ${texts === 1 ? 'text' : 'texts'}`;
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? new Map(Object.entries(value)).get(name) : undefined;
}
