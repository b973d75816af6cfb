import { BrainError } from '../../core/base/errors';
import { DIMENSIONS } from '../../core/embeddings/pieces';
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

interface OllamaOptions {
  readonly http: HttpClient;
  /** The address of the server; `/api/embed` is appended. */
  readonly url: string;
  readonly model: string;
  /** The prefix of every text; when absent, the model's own. */
  readonly docPrefix?: string | undefined;
  readonly queryPrefix?: string | undefined;
}

/** Returns an embedder on Ollama's `POST /api/embed`. It sends nothing before the first call. */
export function ollamaEmbedder(options: OllamaOptions): Embedder {
  const { http, url, model } = options;
  const address = `${url.replace(/\/+$/, '')}/api/embed`;
  const { host } = new URL(address);
  const own = prefixesOf(model);
  const prefix: Readonly<Record<EmbedKind, string>> = {
    document: options.docPrefix ?? own.document,
    query: options.queryPrefix ?? own.query,
  };
  return {
    // The prefix of documents is part of the stored vectors; the one of queries is not.
    maker: prefix.document === own.document ? model : `${model} after ${JSON.stringify(prefix.document)}`,
    async embed(texts, kind, signal) {
      if (texts.some((text) => text.trim() === '')) {
        throw new BrainError('empty_content', 'There is no text to embed.');
      }
      if (texts.length === 0) return [];
      const body = JSON.stringify({ model, input: texts.map((text) => prefix[kind] + text), truncate: true });
      const answer = await http
        .send({
          method: 'POST',
          url: address,
          headers: { 'content-type': 'application/json', accept: 'application/json' },
          body,
          timeoutMs: TIMEOUT_MS,
          maxBytes: MAX_ANSWER_BYTES,
          ...(signal && { signal }),
        })
        .catch((error: unknown) => {
          throw noAnswer(host, error);
        });
      if (answer.status !== 200) throw refused(host, model, answer);
      return vectorsIn(answer.body, texts.length, host);
    },
  };
}

/** Returns a model's own prefixes: Nomic's models are trained with them, and Ollama does not add them. */
function prefixesOf(model: string): Readonly<Record<EmbedKind, string>> {
  return model.includes('nomic-embed-text')
    ? { document: 'search_document: ', query: 'search_query: ' }
    : { document: '', query: '' };
}

/** Reads and checks the vectors of an answer. @throws BrainError `embed_error` when they are invalid. */
function vectorsIn(body: string, count: number, host: string): Float32Array[] {
  const embeddings = field(parsed(body), 'embeddings');
  if (!Array.isArray(embeddings)) throw unusable(host, 'something that holds no embeddings', ADDRESS);
  if (embeddings.length !== count) throw unusable(host, counted(embeddings.length, count), ADDRESS);
  return embeddings.map((values: unknown) => {
    if (!Array.isArray(values)) throw unusable(host, 'something that is no vector', ADDRESS);
    if (values.length !== DIMENSIONS) {
      const what = `vectors of ${values.length} numbers where ${DIMENSIONS} are needed`;
      throw unusable(host, what, `Choose a model for ${DIMENSIONS}-dimension text embeddings.`);
    }
    const vector = Float32Array.from(values, (value: unknown) => (typeof value === 'number' ? value : NaN));
    if (!vector.every(Number.isFinite))
      throw invalid(host, 'a vector that holds something else than numbers');
    if (vector.every((value) => value === 0)) throw invalid(host, 'a vector of zeros');
    return vector;
  });
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

function refused(host: string, model: string, { status, body }: HttpResponse): BrainError {
  const reason = field(parsed(body), 'error');
  const isTooLong = status === 400 && typeof reason === 'string' && /input length exceeds/i.test(reason);
  const advice =
    status === 404 ? `Is BRAIN_EMBED_URL right, and is the model there? Try: ollama pull ${model}` : OWN_LOG;
  return new BrainError(
    'embed_error',
    isTooLong
      ? `The embedder at ${host} answered HTTP 400: a text is longer than "${model}" reads.`
      : `The embedder at ${host} answered HTTP ${status} for the model "${model}". ${advice}`,
    { host, status, ...(isTooLong && { too_long: true }) },
  );
}

const ADDRESS = 'See that BRAIN_EMBED_URL is the address of an Ollama server.';
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

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return null; // A proxy's error page, for instance; the caller reports the missing field.
  }
}
