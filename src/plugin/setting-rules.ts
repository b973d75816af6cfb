import {
  type Config,
  configSchema,
  ENVIRONMENT,
  settleConfig,
  type Settings,
  wordsOfSetting,
} from '../core/config';
import { type ReadSecret, secretsOf } from './secret-settings';
import type { SavedSettings } from './settings-store';

// Loaded on demand: the schema library takes longer to start than all the rest of what runs at load.

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Settings that a synced file may not decide: who reaches this machine, whether tokens are needed, and secrets, which
 * have their own store.
 */
const NOT_FROM_FILE: readonly string[] = ['host', 'auth', 'pgDsn', 'converterToken', 'llmKey'];

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
    return { value: parse(env[variable] ?? ''), variable };
  }
  const settings = new Map(Object.entries(fromFile(saved)));
  return { value: settings.has(key) ? settings.get(key) : configSchema.shape[key].safeParse(undefined).data };
}

function fromFile(saved: SavedSettings): Settings {
  const own = Object.entries(saved).filter(([key]) => isSetting(key) && !NOT_FROM_FILE.includes(key));
  return Object.fromEntries(own); // The schema that reads it next checks every value.
}

function isSetting(key: string): key is keyof Settings {
  return Object.hasOwn(configSchema.shape, key);
}
