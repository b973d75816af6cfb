import {
  type Config,
  ConfigError,
  configSchema,
  ENVIRONMENT,
  settleConfig,
  type Settings,
} from '../core/config';
import { BrainError } from '../core/errors';
import { sanitiseWing } from '../core/rules/address';
import { inputPath } from '../core/rules/paths';
import type { SavedSettings } from './settings-store';

// Loaded on demand: the schema library takes longer to start than all the rest of what runs at load.

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Settings that a synced file may not decide: who reaches this machine, whether tokens are needed, and secrets, which
 * have their own store.
 */
const NOT_FROM_FILE: readonly string[] = ['host', 'auth', 'pgDsn', 'converterToken', 'llmKey'];

/** What to say when the schema refuses a value; the schema decides, these words explain. */
const EXPLANATIONS: Readonly<Partial<Record<keyof Settings, string>>> = {
  port: 'Use a whole number from 1 to 65535, or 0 for any free port.',
  rateLimit: 'Use a whole number; 0 switches the limit off.',
  humanName: 'Use 1 to 48 characters on one line.',
};

/** Rules that the schema leaves to those who use a value; broken ones are better met here than at the first call. */
const FURTHER: Readonly<Partial<Record<keyof Settings, (value: unknown) => string | null>>> = {
  captureWing: (value) => refusal(() => sanitiseWing(String(value))),
  rootNote: (value) =>
    refusal(() => inputPath(String(value))) ??
    // The service takes the path as it stands here, so it has to be the one it means.
    (inputPath(String(value)) === value && /[^/]\.md$/i.test(String(value))
      ? null
      : 'Use the path of a Markdown file, such as AGENTS.md.'),
  allowedHosts: (value) =>
    everyOne(value, /^[^\s/]+$/)
      ? null
      : 'List names without http://, such as brain.local or brain.local:27246.',
  allowedOrigins: (value) =>
    everyOne(value, /^[a-z][a-z0-9+.-]*:\/\/[^\s/]+$/i)
      ? null
      : 'List whole origins without a path, such as https://notes.example.',
};

/** Null when the value can be used for the setting; else what is wrong with it. */
export function settingProblem(key: string, value: unknown): string | null {
  if (!isSetting(key)) return null;
  return schemaProblem(key, value) ?? FURTHER[key]?.(value) ?? null;
}

function schemaProblem(key: string, value: unknown): string | null {
  if (!isSetting(key) || configSchema.shape[key].safeParse(value).success) return null;
  return EXPLANATIONS[key] ?? 'Choose another value.';
}

/**
 * The configuration of the service: environment over settings over defaults.
 * @throws ConfigError naming what cannot be used.
 */
export function settle(env: Environment, saved: SavedSettings): Config {
  try {
    return settleConfig(env, fromFile(saved));
  } catch (error) {
    const bad = Object.entries(fromFile(saved)).find(([key, value]) => schemaProblem(key, value) !== null);
    if (!(error instanceof ConfigError) || bad === undefined) throw error;
    const [key, value] = bad;
    throw new ConfigError(`The saved setting ${key} cannot be used. ${schemaProblem(key, value) ?? ''}`);
  }
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

function everyOne(value: unknown, pattern: RegExp): boolean {
  return Array.isArray(value) && value.every((item) => pattern.test(String(item)));
}

function refusal(use: () => unknown): string | null {
  try {
    use();
    return null;
  } catch (error) {
    if (!(error instanceof BrainError)) throw error;
    return error.message.charAt(0).toUpperCase() + error.message.slice(1);
  }
}
