import { BrainError } from '../../core/base/errors';
import { DIMENSIONS } from '../../core/embeddings/pieces';
import {
  type Embedder,
  type EmbedKind,
  type HttpClient,
  HttpFailure,
  type HttpResponse,
} from '../../core/ports/ports';

/** A model that has to be loaded first may take most of it. */
const TIMEOUT_MS = 60_000;
/** Thirty-two vectors take less than one. */
const MAX_ANSWER_BYTES = 16 * 1024 * 1024;

interface OllamaOptions {
  readonly http: HttpClient;
  /** The address of the server, to which `/api/embed` is added. */
  readonly url: string;
  readonly model: string;
  /** What stands before every text; by the model when left out. */
  readonly docPrefix?: string | undefined;
  readonly queryPrefix?: string | undefined;
}

/** An embedder on Ollama's `POST /api/embed`. Nothing is asked before the first call. */
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
    // Only what is put before documents is in the vectors that are kept.
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

/** Nomic's models are trained with these words before every text, and Ollama does not add them. */
function prefixesOf(model: string): Readonly<Record<EmbedKind, string>> {
  return model.includes('nomic-embed-text')
    ? { document: 'search_document: ', query: 'search_query: ' }
    : { document: '', query: '' };
}

/** The vectors of an answer, each checked. @throws BrainError `embed_error` when they are not what was asked for. */
function vectorsIn(body: string, count: number, host: string): Float32Array[] {
  const embeddings = field(parsed(body), 'embeddings');
  if (!Array.isArray(embeddings)) throw useless(host, 'something that holds no embeddings', ADDRESS);
  if (embeddings.length !== count) throw useless(host, counted(embeddings.length, count), ADDRESS);
  return embeddings.map((values: unknown) => {
    if (!Array.isArray(values)) throw useless(host, 'something that is no vector', ADDRESS);
    if (values.length !== DIMENSIONS) {
      const what = `vectors of ${values.length} numbers where ${DIMENSIONS} are needed`;
      throw useless(host, what, `Choose a model for ${DIMENSIONS}-dimension text embeddings.`);
    }
    const vector = Float32Array.from(values, (value: unknown) => (typeof value === 'number' ? value : NaN));
    if (!vector.every(Number.isFinite)) throw odd(host, 'a vector that holds something else than numbers');
    if (vector.every((value) => value === 0)) throw odd(host, 'a vector of zeros');
    return vector;
  });
}

function noAnswer(host: string, error: unknown): unknown {
  if (!(error instanceof HttpFailure)) return error;
  const said: Readonly<Record<string, string>> = {
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
    `The embedder at ${host} ${said[error.code] ?? `cannot be reached (${error.code})`}. ${advice}`,
    { host },
  );
}

function refused(host: string, model: string, { status, body }: HttpResponse): BrainError {
  const told = field(parsed(body), 'error');
  const isTooLong = status === 400 && typeof told === 'string' && /input length exceeds/i.test(told);
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

/** An answer that is due to the model or the address, whatever the text is. */
function useless(host: string, what: string, advice: string): BrainError {
  return new BrainError('embed_error', `${answered(host, what)} ${advice}`, {
    host,
    status: 200,
    serves_nobody: true,
  });
}

/** An answer that may be due to the text. */
function odd(host: string, what: string): BrainError {
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
    return null; // A proxy's error page; what was expected is then missing, which the caller says.
  }
}
