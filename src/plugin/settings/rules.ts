import {
  type Config,
  configSchema,
  ENVIRONMENT,
  type Settings,
  settleConfig,
} from '../../core/config/config';
import { isSettingName, SETTING_NAMES, type SettingName, SETTINGS } from '../../core/config/settings';
import type { SavedSettings } from '../server/store';

// Loaded on demand: the schema library takes longer to start than all the rest of what runs at load.

type Environment = Readonly<Record<string, string | undefined>>;

/** Reads a secret of this device by its id; null when there is none. */
type ReadSecret = (id: string) => string | null;

/** Null when the value can be used for the setting; else what would do. */
export function settingProblem(key: string, value: unknown): string | null {
  if (!isSettingName(key) || configSchema.shape[key].safeParse(value).success) return null;
  return SETTINGS[key].use;
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
  if (!isSettingName(key)) return { value: undefined };
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
function taken(key: SettingName, value: unknown): unknown {
  const { success, data } = configSchema.shape[key].safeParse(value);
  return success ? data : value;
}

function fromFile(saved: SavedSettings): Settings {
  const own = Object.entries(saved).filter(([key]) => {
    if (!isSettingName(key)) return false;
    const { fromFile, secretId } = SETTINGS[key];
    return fromFile !== false && secretId === undefined;
  });
  return Object.fromEntries(own); // The schema that reads it next checks every value.
}

/** The secrets that the settings name and this device has. One that is missing or empty is left out. */
function secretsOf(saved: SavedSettings, read: ReadSecret): Settings {
  const found = SETTING_NAMES.flatMap((key) => {
    const { secretId } = SETTINGS[key];
    const id = secretId === undefined ? undefined : saved[secretId];
    const secret = typeof id === 'string' && id !== '' ? read(id) : null;
    return secret === null || secret === '' ? [] : [[key, secret] as const];
  });
  return Object.fromEntries(found);
}
