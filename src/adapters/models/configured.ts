import { type Config, ConfigError } from '../../core/config/config';
import type { HttpClient, LanguageModel } from '../../core/ports/ports';
import { ollamaModel } from './ollama';
import { openAiModel } from './openai';

/**
 * Returns the language model of the settings, or null when they lack its address or its name.
 * @throws ConfigError when its address is invalid
 */
export function configuredModel(
  { llmApi, llmUrl, llmModel, llmKey }: Pick<Config, 'llmApi' | 'llmUrl' | 'llmModel' | 'llmKey'>,
  http: HttpClient,
): LanguageModel | null {
  if (llmUrl === undefined || llmModel === undefined) return null;
  if (!URL.canParse(llmUrl)) {
    throw new ConfigError('BRAIN_LLM_URL is no web address. Use one such as http://127.0.0.1:11434.');
  }
  const make = llmApi === 'openai' ? openAiModel : ollamaModel;
  return make({ http, url: llmUrl, model: llmModel, key: llmKey });
}
