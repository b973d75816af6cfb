import {
  type Config,
  configSchema,
  ENVIRONMENT,
  type Settings,
  settleConfig,
} from '../../core/config/config';
import { isSettingName, SETTING_NAMES, type SettingName, SETTINGS } from '../../core/config/settings';
import type { SavedSettings } from '../server/store';

// This module is loaded on demand: the schema library takes longer to load than everything that loads with the app.

type Environment = Readonly<Record<string, string | undefined>>;

/** Returns a secret of this device by its id; null for none. */
type ReadSecret = (id: string) => string | null;

/** Returns the allowed values when a value of a setting is invalid; null for a valid one. */
export function settingProblem(key: string, value: unknown): string | null {
  if (!isSettingName(key) || configSchema.shape[key].safeParse(value).success) return null;
  return SETTINGS[key].use;
}

/**
 * Returns the configuration of the service: environment over settings over defaults. Secrets come from the secret store of
 * this device, under the ids in the settings.
 * @throws ConfigError that names the invalid value.
 */
export function settle(env: Environment, saved: SavedSettings, readSecret: ReadSecret = () => null): Config {
  return settleConfig(env, { ...fromFile(saved), ...readSecrets(saved, readSecret) });
}

/** Returns the effective value of a setting, and the environment variable that overrides it, if any. */
export function effectiveSetting(
  key: string,
  env: Environment,
  saved: SavedSettings,
): { readonly value: unknown; readonly variable?: string } {
  if (!isSettingName(key)) return { value: undefined };
  const found = Object.entries(ENVIRONMENT).find(
    ([name, [setting]]) => setting === key && (env[name] ?? '') !== '',
  );
  if (found !== undefined) {
    const [variable, [, parse]] = found;
    return { value: effective(key, parse(env[variable] ?? '')), variable };
  }
  return { value: effective(key, new Map(Object.entries(fromFile(saved))).get(key)) };
}

/** Returns a value as the service parses it, or the default for none. An invalid value is returned as it is. */
function effective(key: SettingName, value: unknown): unknown {
  const { success, data } = configSchema.shape[key].safeParse(value);
  return success ? data : value;
}

function fromFile(saved: SavedSettings): Settings {
  const own = Object.entries(saved).filter(([key]) => {
    if (!isSettingName(key)) return false;
    const { fromFile, secretId } = SETTINGS[key];
    return fromFile !== false && secretId === undefined;
  });
  return Object.fromEntries(own); // The schema checks every value afterwards.
}

/** Returns the secrets that the settings name and this device has. A missing or empty one is left out. */
function readSecrets(saved: SavedSettings, read: ReadSecret): Settings {
  const found = SETTING_NAMES.flatMap((key) => {
    const { secretId } = SETTINGS[key];
    const id = secretId === undefined ? undefined : saved[secretId];
    const secret = typeof id === 'string' && id !== '' ? read(id) : null;
    return secret === null || secret === '' ? [] : [[key, secret] as const];
  });
  return Object.fromEntries(found);
}
