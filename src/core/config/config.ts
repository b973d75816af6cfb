import * as z from 'zod';
import { BrainError } from '../base/errors';
import { sanitiseWing } from '../vocabulary/address';
import { inputPath } from '../vocabulary/paths';
import { excludeFault } from '../vocabulary/read-scope';
import { parseServerUrl } from './server-url';
import {
  DEFAULT_PORT,
  type EnvironmentKind,
  listIn,
  sizeIn,
  SETTING_NAMES,
  type SettingName,
  SETTINGS,
  unusable,
} from './settings';

/** The error of an unusable setting. Its message names the setting and its usable values. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

const list = z.array(z.string());
/**
 * The shortest time between two syncs of the embeddings (s): each sync visits every note. A smaller value counts as this one. The
 * schema refuses 0, because a person who writes 0 probably wants no sync, which is impossible.
 */
const MIN_INTERVAL = 30;
/** The `pgDsn` of vectors in files of this device. */
export const LOCAL_DSN = 'local:';
/** The `converterUrl` of the converter that is built in. */
export const LOCAL_CONVERTER = 'local:';
/** What begins the `pgDsn` of a place on this machine: vectors in files, and the database inside the server of former versions. */
const OWN_PLACE = /^(?:local|pglite):/;

// Programs read a backslash as a slash, others as a part of the host.
const address = z.string().regex(/^https?:\/\/[^\s/\\][^\s\\]*$/i);

/** The schema of all settings: values and defaults, one entry for each row of `settings.ts`. All hosts share it. */
export const configSchema = z.strictObject({
  host: z.string().min(1).default('127.0.0.1'),
  port: z.number().int().min(0).max(65535).default(DEFAULT_PORT),
  auth: z.boolean().default(true),
  allowedHosts: z.array(z.string().regex(/^[^\s/]+$/)).default([]),
  allowedOrigins: z.array(z.string().regex(/^[a-z][a-z0-9+.-]*:\/\/[^\s/]+$/i)).default([]),
  rateLimit: z.number().int().min(0).default(600),
  rateBytes: z
    .number()
    .int()
    .min(0)
    .default(64 * 1024 * 1024),
  plainHosts: z.array(z.string().regex(/^[^\s/@]+$/)).default([]),
  drainSeconds: z.number().int().min(0).max(3600).default(0),
  metrics: z.boolean().default(false),
  humanName: z
    .string()
    .regex(/^[^\n\r]{1,48}$/)
    .default('me'),
  captureWing: z.string().refine(isWing).default('notes'),
  tools: z.enum(['core', 'full']).default('full'),
  rootNote: z.string().refine(isNotePath).default('AGENTS.md'),
  rootEdit: z.enum(['allow', 'propose', 'deny']).default('allow'),
  readScope: z.enum(['vault', 'brain']).default('vault'),
  exclude: z.array(z.string().refine((entry) => excludeFault(entry) === null)).default([]),
  /** Unset, the choice of the owner of a vault counts. */
  attachments: z.boolean().optional(),
  gateActiveContent: z.boolean().default(true),
  /** True to give a note that a person moves the wing and hall of its new folder. */
  followMoves: z.boolean().default(true),
  watch: z.boolean().optional(),
  watchDir: z.string().default('inbox'),
  /** The one device that watches the inbox, inside the app. */
  watcherDevice: z.string().min(1).max(64).optional(),
  ingestDestination: z.enum(['raw', 'wiki']).default('raw'),
  ingestRoots: list.default([]),
  /** The largest file that is received (bytes). */
  maxUpload: z
    .number()
    .int()
    .min(1)
    .default(256 * 1024 * 1024),
  vectorStore: z.enum(['postgres', 'local']).default('postgres'),
  pgDsn: z
    .string()
    .refine((dsn) => dsn === LOCAL_DSN || !OWN_PLACE.test(dsn))
    .optional(),
  pgSchema: z.string().default('public'),
  /** The connections to Postgres: one for a search, one for the sync, and a spare one. */
  pgPool: z.number().int().min(1).max(100).default(3),
  embedUrl: address.optional(),
  embedApi: z.enum(['ollama', 'openai']).default('ollama'),
  embedKey: z.string().optional(),
  /** The default depends on the interface. */
  embedModel: z.string().optional(),
  embedDimensions: z.number().int().min(64).max(768).optional(),
  embedRoots: z.enum(['wiki', 'all']).default('wiki'),
  fusion: z.enum(['rrf', 'measured']).default('rrf'),
  embedDocPrefix: z.string().optional(),
  embedQueryPrefix: z.string().optional(),
  embedSyncInterval: z
    .number()
    .int()
    .min(1)
    .transform((seconds) => Math.max(MIN_INTERVAL, seconds))
    .default(300),
  converterUrl: z.union([z.literal(LOCAL_CONVERTER), address]).optional(),
  converterToken: z.string().optional(),
  llmApi: z.enum(['ollama', 'openai']).default('ollama'),
  llmUrl: address.optional(),
  llmModel: z.string().optional(),
  llmKey: z.string().optional(),
  /** The server whose vault the screens of the app work on; absent for the vault of the app. */
  serverUrl: z
    .string()
    .refine((text) => 'url' in parseServerUrl(text))
    .optional(),
} satisfies Readonly<Record<SettingName, z.ZodType>>);

export type Config = z.output<typeof configSchema>;
export type Settings = z.input<typeof configSchema>;

type Parse = (text: string) => unknown;

/** The parsers of environment variables. A text that does not parse stays text, and the schema refuses it. */
const PARSE: Readonly<Record<EnvironmentKind, Parse>> = {
  text: (text) => text,
  number: (text) => (/^\d+$/.test(text) ? Number(text) : text),
  list: listIn,
  size: sizeIn,
  switch: (text) => (text === 'on' ? true : text === 'off' ? false : text),
  interval(text) {
    const match = /^(\d+)([sm]?)$/.exec(text);
    return match === null ? text : Number(match[1]) * (match[2] === 'm' ? 60 : 1);
  },
};

/** The environment variables, each with its setting and its parser. */
export const ENVIRONMENT: Readonly<Record<string, readonly [keyof Settings, Parse]>> = Object.fromEntries(
  SETTING_NAMES.flatMap((key) => {
    const { env } = SETTINGS[key];
    return env === undefined ? [] : [[env[0], [key, PARSE[env[1]]] as const]];
  }),
);

/** Other names of variables for messages, such as the flag `--port` for `BRAIN_PORT`. */
export type CalledBy = Readonly<Partial<Record<string, string>>>;

/**
 * Builds the configuration: an environment variable that is set and not empty wins over a setting, a setting over the default.
 * @param calledBy the names of variables in messages
 * @throws ConfigError with the variable or setting, its value (never a secret) and the usable values; also when only one half of
 * the hybrid pair is set.
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
  const config = completed(parsed.data);
  if ((config.pgDsn === undefined) !== (config.embedUrl === undefined)) {
    const isLocal = config.pgDsn === LOCAL_DSN && parsed.data.pgDsn === undefined;
    const dsn = { key: isLocal ? 'vectorStore' : 'pgDsn', variable: 'BRAIN_PG_DSN' } as const;
    const url = { key: 'embedUrl', variable: 'BRAIN_EMBED_URL' } as const;
    const [given, missing] = config.pgDsn === undefined ? [url, dsn] : [dsn, url];
    // A person who set one on the settings page knows the other one by its name there.
    const isSetting = (env[given.variable] ?? '') === '';
    const nameOf = ({ key, variable }: typeof given) =>
      isSetting ? `"${SETTINGS[key].name}"` : (calledBy[variable] ?? variable);
    const advice =
      missing === url
        ? `set ${nameOf(url)} too`
        : isSetting
          ? `choose "On this device" for "${SETTINGS.vectorStore.name}", which needs no database, or set ${nameOf(dsn)}`
          : `set ${nameOf(dsn)} too (local: keeps the vectors on this device and needs no database)`;
    throw new ConfigError(
      `${isSetting ? 'The setting ' : ''}${nameOf(given)} is set but ${nameOf(missing)} is not. Hybrid retrieval needs both: ${advice}, or unset ${nameOf(given)} to search with BM25 alone.`,
    );
  }
  return config;
}

/** The embedding model of Ollama that is used when none is named. */
const OLLAMA_EMBEDDER = 'nomic-embed-text';

/** Fills in what follows from other settings: the address of vectors in files, and the model of Ollama. */
function completed(config: Config): Config {
  const pgDsn = config.pgDsn ?? (config.vectorStore === 'local' ? LOCAL_DSN : undefined);
  const embedModel = config.embedModel ?? (config.embedApi === 'ollama' ? OLLAMA_EMBEDDER : undefined);
  return {
    ...config,
    ...(pgDsn !== undefined && { pgDsn }),
    ...(embedModel !== undefined && { embedModel }),
  };
}

function isWing(name: string): boolean {
  return accepts(() => sanitiseWing(name));
}

/** Returns true for the path of a note in its normal form, because the service uses the path unchanged. */
function isNotePath(path: string): boolean {
  return /[^/]\.md$/i.test(path) && accepts(() => inputPath(path)) && inputPath(path) === path;
}

/** Returns true when `use` throws no BrainError. */
function accepts(use: () => unknown): boolean {
  try {
    use();
    return true;
  } catch (error) {
    if (error instanceof BrainError) return false;
    throw error;
  }
}
