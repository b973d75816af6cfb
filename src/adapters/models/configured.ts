import { type Config, ConfigError } from '../../core/config/config';
import type { Embedder, HttpClient, LanguageModel } from '../../core/ports/ports';
import { isNomic, ollamaEmbedder, openAiEmbedder } from './embedder';
import { ollamaModel } from './ollama';
import { openAiModel } from './openai';

/**
 * Returns the language model of the settings, or null when they lack its address or its name.
 * @throws ConfigError when its address is invalid
 */
export function configuredModel(
  {
    llmApi,
    llmUrl,
    llmModel,
    llmKey,
    plainHosts,
  }: Pick<Config, 'llmApi' | 'llmUrl' | 'llmModel' | 'llmKey' | 'plainHosts'>,
  http: HttpClient,
): LanguageModel | null {
  if (llmUrl === undefined || llmModel === undefined) return null;
  if (!URL.canParse(llmUrl)) {
    throw new ConfigError('BRAIN_LLM_URL is no web address. Use one such as http://127.0.0.1:11434.');
  }
  const make = llmApi === 'openai' ? openAiModel : ollamaModel;
  return make({ http, url: llmUrl, model: llmModel, key: llmKey, plainHosts });
}

/**
 * Returns the embedder of the settings at an address.
 * @throws ConfigError when the model is missing, or must not be cut as the settings say
 */
export function configuredEmbedder(
  url: string,
  config: Pick<
    Config,
    | 'embedApi'
    | 'embedModel'
    | 'embedKey'
    | 'embedDimensions'
    | 'embedDocPrefix'
    | 'embedQueryPrefix'
    | 'plainHosts'
  >,
  http: HttpClient,
): Embedder {
  const { embedApi, embedModel: model, embedKey, embedDimensions: dimensions } = config;
  if (model === undefined) {
    throw new ConfigError(
      'BRAIN_EMBED_API is openai but BRAIN_EMBED_MODEL is not set. Set it to the name of an embedding model that the service has.',
    );
  }
  if (dimensions !== undefined && isNomic(model)) {
    throw new ConfigError(
      `BRAIN_EMBED_DIMENSIONS cannot be used with the model "${model}", whose vectors have 768 numbers and need all of them here. Unset it.`,
    );
  }
  const { embedDocPrefix: docPrefix, embedQueryPrefix: queryPrefix, plainHosts } = config;
  const options = { http, url, model, dimensions, docPrefix, queryPrefix, plainHosts };
  return embedApi === 'openai' ? openAiEmbedder({ ...options, key: embedKey }) : ollamaEmbedder(options);
}
