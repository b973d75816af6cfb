import {
  type Config,
  configSchema,
  ENVIRONMENT,
  type Settings,
  settleConfig,
  wordsOfSetting,
} from '../../core/config/config';
import type { SavedSettings } from '../server/store';
import { type ReadSecret, secretsOf } from './secrets';

// Loaded on demand: the schema library takes longer to start than all the rest of what runs at load.

type Environment = Readonly<Record<string, string | undefined>>;

/** Null when the value can be used for the setting; else what would do. */
export function settingProblem(key: string, value: unknown): string | null {
  if (!isSetting(key) || configSchema.shape[key].safeParse(value).success) return null;
  return wordsOfSetting(key).use;
}

/**
 * The configuration of the service: environment over settings over defaults. Secrets come from where this device keeps
 * them, under the ids that the settings name.
 * @throws ConfigError naming what cannot be used.
 */
export function settle(env: Environment, saved: SavedSettings, readSecret: ReadSecret = () => null): Config {
  return settleConfig(env, { ...fromFile(saved), ...secretsOf(saved, readSecret) });
}

/** The value that the setting has now, and the environment variable that decides it, if one does. */
export function settingInForce(
  key: string,
  env: Environment,
  saved: SavedSettings,
): { readonly value: unknown; readonly variable?: string } {
  if (!isSetting(key)) return { value: undefined };
  const found = Object.entries(ENVIRONMENT).find(
    ([name, [setting]]) => setting === key && (env[name] ?? '') !== '',
  );
  if (found !== undefined) {
    const [variable, [, parse]] = found;
    return { value: taken(key, parse(env[variable] ?? '')), variable };
  }
  return { value: taken(key, new Map(Object.entries(fromFile(saved))).get(key)) };
}

/** What the service makes of a value, and of none; one that it refuses stays as it is. */
function taken(key: keyof Settings, value: unknown): unknown {
  const { success, data } = configSchema.shape[key].safeParse(value);
  return success ? data : value;
}

function fromFile(saved: SavedSettings): Settings {
  const own = Object.entries(saved).filter(
    ([key]) => isSetting(key) && wordsOfSetting(key).fromFile !== false,
  );
  return Object.fromEntries(own); // The schema that reads it next checks every value.
}

function isSetting(key: string): key is keyof Settings {
  return Object.hasOwn(configSchema.shape, key);
}
