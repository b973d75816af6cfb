import { outgoingHttp } from '../../src/adapters/host/http';
import { configuredEmbedder, configuredModel } from '../../src/adapters/models/configured';
import type { Config } from '../../src/core/config/config';
import type { Embedder, HttpClient, LanguageModel } from '../../src/core/ports/ports';

type Api = Config['llmApi'];

interface Options {
  readonly model?: string;
  readonly key?: string;
  readonly http?: HttpClient;
}

/** The language model at an address, as the settings make it. */
export function modelAt(
  llmApi: Api,
  llmUrl: string,
  { model = 'm', key, http = outgoingHttp }: Options = {},
): LanguageModel {
  const made = configuredModel({ llmApi, llmUrl, llmModel: model, llmKey: key, plainHosts: [] }, http);
  if (made === null) throw new Error('The settings make no model.');
  return made;
}

interface EmbedderOptions extends Options {
  readonly docPrefix?: string;
  readonly queryPrefix?: string;
  readonly dimensions?: number;
}

/** The embedder at an address, as the settings make it. */
export function embedderAt(
  embedApi: Api,
  url: string,
  { model: embedModel = 'm', key: embedKey, http = outgoingHttp, ...more }: EmbedderOptions = {},
): Embedder {
  const { docPrefix: embedDocPrefix, queryPrefix: embedQueryPrefix, dimensions: embedDimensions } = more;
  const prefixes = { embedDocPrefix, embedQueryPrefix, embedDimensions };
  return configuredEmbedder(url, { embedApi, embedModel, embedKey, plainHosts: [], ...prefixes }, http);
}
