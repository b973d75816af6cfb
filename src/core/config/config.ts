import * as z from 'zod';
import { BrainError } from '../base/errors';
import { sanitiseWing } from '../vocabulary/address';
import { inputPath } from '../vocabulary/paths';
import {
  type EnvironmentKind,
  listIn,
  SETTING_NAMES,
  type SettingName,
  SETTINGS,
  unusable,
} from './settings';

/** A setting that cannot be used; the message names it and says what would do. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

const list = z.array(z.string());
/**
 * Seconds between two syncs of the embeddings, at least: each of them looks at every note. Who wants it sooner gets it as soon
 * as it is possible; who writes 0 more likely wants none, which cannot be had, and is told so.
 */
const MIN_INTERVAL = 30;
const address = z.string().regex(/^https?:\/\/[^\s/]\S*$/i);

/**
 * Every setting of the service with its values and its default, one entry for each row of `settings.ts`. Hosts differ only in
 * where the values come from.
 */
export const configSchema = z.strictObject({
  host: z.string().min(1).default('127.0.0.1'),
  port: z.number().int().min(0).max(65535).default(27246),
  auth: z.boolean().default(true),
  allowedHosts: z.array(z.string().regex(/^[^\s/]+$/)).default([]),
  allowedOrigins: z.array(z.string().regex(/^[a-z][a-z0-9+.-]*:\/\/[^\s/]+$/i)).default([]),
  rateLimit: z.number().int().min(0).default(600),
  rateBytes: z
    .number()
    .int()
    .min(0)
    .default(64 * 1024 * 1024),
  humanName: z
    .string()
    .regex(/^[^\n\r]{1,48}$/)
    .default('me'),
  captureWing: z.string().refine(isWing).default('notes'),
  tools: z.enum(['core', 'full']).default('full'),
  rootNote: z.string().refine(isNotePath).default('AGENTS.md'),
  rootEdit: z.enum(['allow', 'propose', 'deny']).default('allow'),
  gateActiveContent: z.boolean().default(true),
  /** A note that is moved by hand gets the wing and hall of its new folder. */
  followMoves: z.boolean().default(true),
  watch: z.boolean().optional(),
  watchDir: z.string().default('inbox'),
  /** Inside the app: the one device whose inbox is watched. */
  watcherDevice: z.string().min(1).max(64).optional(),
  ingestDestination: z.enum(['raw', 'wiki']).default('raw'),
  ingestRoots: list.default([]),
  pgDsn: z.string().optional(),
  pgSchema: z.string().default('public'),
  /** Connections to Postgres: a query of a search, the sync, and one to spare. */
  pgPool: z.number().int().min(1).max(100).default(3),
  embedUrl: address.optional(),
  embedModel: z.string().default('nomic-embed-text'),
  embedDocPrefix: z.string().optional(),
  embedQueryPrefix: z.string().optional(),
  embedSyncInterval: z
    .number()
    .int()
    .min(1)
    .transform((seconds) => Math.max(MIN_INTERVAL, seconds))
    .default(300),
  converterUrl: address.optional(),
  converterToken: z.string().optional(),
  llmApi: z.enum(['ollama', 'openai']).default('ollama'),
  llmUrl: address.optional(),
  llmModel: z.string().optional(),
  llmKey: z.string().optional(),
} satisfies Readonly<Record<SettingName, z.ZodType>>);

export type Config = z.output<typeof configSchema>;
export type Settings = z.input<typeof configSchema>;

type Parse = (text: string) => unknown;

/** How the text of an environment variable is read; what it cannot be read as stays text, and the schema refuses it. */
const PARSE: Readonly<Record<EnvironmentKind, Parse>> = {
  text: (text) => text,
  number: (text) => (/^\d+$/.test(text) ? Number(text) : text),
  list: listIn,
  switch: (text) => (text === 'on' ? true : text === 'off' ? false : text),
  interval(text) {
    const match = /^(\d+)([sm]?)$/.exec(text);
    return match === null ? text : Number(match[1]) * (match[2] === 'm' ? 60 : 1);
  },
};

/** Which environment variable sets which setting, and how its text is read. */
export const ENVIRONMENT: Readonly<Record<string, readonly [keyof Settings, Parse]>> = Object.fromEntries(
  SETTING_NAMES.flatMap((key) => {
    const { env } = SETTINGS[key];
    return env === undefined ? [] : [[env[0], [key, PARSE[env[1]]] as const]];
  }),
);

/** Names under which a person has set variables in another way, for messages: `BRAIN_PORT` as `--port`. */
export type CalledBy = Readonly<Partial<Record<string, string>>>;

/**
 * Settles the configuration: an environment variable that is set and not empty wins over a setting, a setting over
 * the default.
 * @throws ConfigError naming the variable or setting, what stands there and what would do, but never a secret; also when
 * only one half of the hybrid pair is given.
 */
export function settleConfig(
  env: Readonly<Record<string, string | undefined>>,
  settings: Settings = {},
  calledBy: CalledBy = {},
): Config {
  const merged: Record<string, unknown> = { ...settings };
  const typed = new Map<string, { readonly called: string; readonly value: unknown }>();
  for (const key of SETTING_NAMES)
    typed.set(key, { called: `The setting "${SETTINGS[key].name}"`, value: settings[key] });
  for (const [variable, [key, parse]] of Object.entries(ENVIRONMENT)) {
    const text = env[variable];
    if (text === undefined || text === '') continue;
    merged[key] = parse(text);
    typed.set(key, { called: calledBy[variable] ?? variable, value: text });
  }
  const parsed = configSchema.safeParse(merged);
  if (!parsed.success) {
    const wrong = SETTING_NAMES.find((key) => parsed.error.issues.some(({ path }) => path[0] === key));
    if (wrong === undefined)
      throw new ConfigError('The settings hold a name that no setting has. Leave it out.');
    const { called, value } = typed.get(wrong) ?? { called: wrong, value: '' };
    throw new ConfigError(unusable(SETTINGS[wrong], called, value));
  }
  const config = parsed.data;
  if ((config.pgDsn === undefined) !== (config.embedUrl === undefined)) {
    const dsn = { key: 'pgDsn', variable: 'BRAIN_PG_DSN' } as const;
    const url = { key: 'embedUrl', variable: 'BRAIN_EMBED_URL' } as const;
    const [given, missing] = config.pgDsn === undefined ? [url, dsn] : [dsn, url];
    // Whoever gave one as a setting knows the other by its name there.
    const isSetting = (env[given.variable] ?? '') === '';
    const nameOf = ({ key, variable }: typeof given) =>
      isSetting ? `"${SETTINGS[key].name}"` : (calledBy[variable] ?? variable);
    throw new ConfigError(
      `${isSetting ? 'The setting ' : ''}${nameOf(given)} is set but ${nameOf(missing)} is not. Hybrid retrieval needs both: set ${nameOf(missing)} too, or unset ${nameOf(given)} to search with BM25 alone.`,
    );
  }
  return config;
}

function isWing(name: string): boolean {
  return accepts(() => sanitiseWing(name));
}

/** The service takes the path as it stands, so it has to be the one it means. */
function isNotePath(path: string): boolean {
  return /[^/]\.md$/i.test(path) && accepts(() => inputPath(path)) && inputPath(path) === path;
}

function accepts(use: () => unknown): boolean {
  try {
    use();
    return true;
  } catch (error) {
    if (error instanceof BrainError) return false;
    throw error;
  }
}
