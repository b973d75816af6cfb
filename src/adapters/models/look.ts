import { isRecord } from '../../core/base/json';
import type { HttpClient } from '../../core/ports/ports';
import { type FoundEmbedder, USUAL_URLS } from '../../core/tryout/tryout';

interface Addresses {
  readonly ollama: string;
  readonly lmStudio: string;
}

const ADDRESSES: Addresses = { ollama: USUAL_URLS.ollama, lmStudio: 'http://127.0.0.1:1234' };
/** A server on this machine lists its models at once (ms). */
const TIMEOUT_MS = 3_000;
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;
/** Ollama is asked about at most so many models, one after the other. */
const MAX_MODELS = 100;
/** The names of embedding models, for servers that do not say what a model can do. */
const EMBEDS = /embed|minilm|\bbge\b|\bgte\b|\be5\b|arctic/i;

/**
 * Asks the two usual servers of this machine, Ollama and LM Studio, for their embedding models. Sends them nothing else, and
 * loads no model. A server that does not run, or answers something else, has `runs` false. Never rejects.
 */
export async function lookForEmbedders(
  http: HttpClient,
  { ollama, lmStudio }: Addresses = ADDRESSES,
): Promise<FoundEmbedder[]> {
  const [ofOllama, ofLmStudio] = await Promise.all([
    ollamaModels(http, ollama),
    lmStudioModels(http, lmStudio),
  ]);
  return [
    { api: 'ollama', name: 'Ollama', url: ollama, ...found(ofOllama) },
    { api: 'openai', name: 'LM Studio', url: `${lmStudio}/v1`, ...found(ofLmStudio) },
  ];
}

function found(models: readonly string[] | null) {
  return { runs: models !== null, models: models ?? [] };
}

/** Reads `GET /api/tags`, and `POST /api/show` for what each model can do. Null when no Ollama answers. */
async function ollamaModels(http: HttpClient, url: string): Promise<string[] | null> {
  const list = await ask(http, 'GET', `${url}/api/tags`);
  if (!isRecord(list) || !Array.isArray(list.models)) return null;
  const names = list.models.flatMap((model: unknown) => nameIn(model, 'name')).slice(0, MAX_MODELS);
  const embedding: string[] = [];
  for (const name of names) {
    const shown = await ask(http, 'POST', `${url}/api/show`, { model: name });
    // Before version 0.6.4 Ollama did not tell what a model can do.
    const can = isRecord(shown) && Array.isArray(shown.capabilities) ? shown.capabilities : null;
    if (can === null ? EMBEDS.test(name) : can.includes('embedding'))
      embedding.push(name.replace(/:latest$/, ''));
  }
  return embedding;
}

/** Reads LM Studio's own list, which has the type of each model, or else the list of the OpenAI interface. */
async function lmStudioModels(http: HttpClient, url: string): Promise<string[] | null> {
  const own = await ask(http, 'GET', `${url}/api/v0/models`);
  if (isRecord(own) && Array.isArray(own.data)) {
    return own.data.flatMap((model: unknown) =>
      isRecord(model) && model.type === 'embeddings' ? nameIn(model, 'id') : [],
    );
  }
  const common = await ask(http, 'GET', `${url}/v1/models`);
  if (!isRecord(common) || !Array.isArray(common.data)) return null;
  return common.data.flatMap((model: unknown) => nameIn(model, 'id')).filter((id) => EMBEDS.test(id));
}

function nameIn(model: unknown, key: 'name' | 'id'): string[] {
  const name = isRecord(model) ? model[key] : undefined;
  return typeof name === 'string' && name !== '' ? [name] : [];
}

/** Returns the JSON that a server of this machine answers; null for no answer, another status or no JSON. */
async function ask(http: HttpClient, method: 'GET' | 'POST', url: string, body?: object): Promise<unknown> {
  try {
    const answer = await http.send({
      method,
      url,
      headers: { accept: 'application/json', ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
      timeoutMs: TIMEOUT_MS,
      maxBytes: MAX_ANSWER_BYTES,
    });
    return answer.status === 200 ? JSON.parse(answer.body) : null;
  } catch {
    return null; // No server there, or another program; the list says that none runs.
  }
}
