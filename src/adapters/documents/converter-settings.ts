import type { Config } from '../../core/config';
import type { ConverterSettings } from './converter';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Tells the converter as it is set whenever it is asked: a variable of the environment that is not empty wins over the
 * setting. Ask for it while `config` is new: what it holds of the environment of then is not taken for a setting.
 */
export function converterSettings(
  env: Environment,
  { converterUrl, converterToken }: Pick<Config, 'converterUrl' | 'converterToken'>,
): () => ConverterSettings {
  const url = isSet(env.CONVERTER_URL) ? undefined : converterUrl;
  const token = isSet(env.CONVERTER_BEARER_TOKEN) ? undefined : converterToken;
  return () => ({
    url: isSet(env.CONVERTER_URL) ? env.CONVERTER_URL : url,
    token: isSet(env.CONVERTER_BEARER_TOKEN) ? env.CONVERTER_BEARER_TOKEN : token,
  });
}

function isSet(text: string | undefined): text is string {
  return text !== undefined && text !== '';
}
