import * as z from 'zod';

/** A setting that cannot be used; the message names it and says what would do. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

const list = z.array(z.string());
const seconds = z.number().int().min(30);

/** Every setting of the service with its default. Hosts differ only in where the values come from. */
export const configSchema = z.strictObject({
  host: z.string().min(1).default('127.0.0.1'),
  port: z.number().int().min(0).max(65535).default(27246),
  auth: z.boolean().default(true),
  allowedHosts: list.default([]),
  allowedOrigins: list.default([]),
  rateLimit: z.number().int().min(0).default(600),
  humanName: z
    .string()
    .regex(/^[^\n\r]{1,48}$/)
    .default('me'),
  captureWing: z.string().default('notes'),
  tools: z.enum(['core', 'full']).default('full'),
  rootNote: z.string().default('AGENTS.md'),
  rootEdit: z.enum(['allow', 'propose', 'deny']).default('allow'),
  gateActiveContent: z.boolean().default(true),
  /** A note that is moved by hand gets the wing and hall of its new folder. */
  followMoves: z.boolean().default(true),
  watch: z.boolean().optional(),
  watchDir: z.string().default('inbox'),
  ingestDestination: z.enum(['raw', 'wiki']).default('raw'),
  ingestRoots: list.default([]),
  pgDsn: z.string().optional(),
  pgSchema: z.string().default('public'),
  embedUrl: z.string().optional(),
  embedModel: z.string().default('nomic-embed-text'),
  embedDocPrefix: z.string().optional(),
  embedQueryPrefix: z.string().optional(),
  embedSyncInterval: seconds.default(300),
  converterUrl: z.string().optional(),
  converterToken: z.string().optional(),
  llmApi: z.enum(['ollama', 'openai']).default('ollama'),
  llmUrl: z.string().optional(),
  llmModel: z.string().optional(),
  llmKey: z.string().optional(),
});

export type Config = z.output<typeof configSchema>;
export type Settings = z.input<typeof configSchema>;

type Parse = (text: string) => unknown;
const asText: Parse = (text) => text;
const asNumber: Parse = (text) => (/^\d+$/.test(text) ? Number(text) : text);
const asList: Parse = (text) =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean);
const asSwitch: Parse = (text) => (text === 'on' ? true : text === 'off' ? false : text);
const asDuration: Parse = (text) => {
  const match = /^(\d+)([sm]?)$/.exec(text);
  return match ? Number(match[1]) * (match[2] === 'm' ? 60 : 1) : text;
};

/** Which environment variable sets which setting, and how its text is read. */
export const ENVIRONMENT: Readonly<Record<string, readonly [keyof Settings, Parse]>> = {
  BRAIN_HOST: ['host', asText],
  BRAIN_PORT: ['port', asNumber],
  BRAIN_AUTH: ['auth', asSwitch],
  BRAIN_ALLOWED_HOSTS: ['allowedHosts', asList],
  BRAIN_ALLOWED_ORIGINS: ['allowedOrigins', asList],
  BRAIN_RATE_LIMIT: ['rateLimit', asNumber],
  BRAIN_ROOT_NOTE: ['rootNote', asText],
  BRAIN_WATCH: ['watch', asSwitch],
  BRAIN_WATCH_DIR: ['watchDir', asText],
  BRAIN_INGEST_DESTINATION: ['ingestDestination', asText],
  BRAIN_INGEST_ROOTS: ['ingestRoots', asList],
  BRAIN_PG_DSN: ['pgDsn', asText],
  BRAIN_PG_SCHEMA: ['pgSchema', asText],
  BRAIN_EMBED_URL: ['embedUrl', asText],
  BRAIN_EMBED_MODEL: ['embedModel', asText],
  BRAIN_EMBED_DOC_PREFIX: ['embedDocPrefix', asText],
  BRAIN_EMBED_QUERY_PREFIX: ['embedQueryPrefix', asText],
  BRAIN_EMBED_SYNC_INTERVAL: ['embedSyncInterval', asDuration],
  CONVERTER_URL: ['converterUrl', asText],
  CONVERTER_BEARER_TOKEN: ['converterToken', asText],
  BRAIN_LLM_API: ['llmApi', asText],
  BRAIN_LLM_URL: ['llmUrl', asText],
  BRAIN_LLM_MODEL: ['llmModel', asText],
  BRAIN_LLM_KEY: ['llmKey', asText],
};

/**
 * Settles the configuration: an environment variable that is set and not empty wins over a setting, a setting over
 * the default.
 * @throws ConfigError naming the variable or setting, also when only one half of the hybrid pair is given.
 */
export function settleConfig(
  env: Readonly<Record<string, string | undefined>>,
  settings: Settings = {},
): Config {
  const merged: Record<string, unknown> = { ...settings };
  for (const [variable, [key, parse]] of Object.entries(ENVIRONMENT)) {
    const text = env[variable];
    if (text !== undefined && text !== '') merged[key] = parse(text);
  }
  const parsed = configSchema.safeParse(merged);
  if (!parsed.success) throw new ConfigError(describe(parsed.error));
  const config = parsed.data;
  if ((config.pgDsn === undefined) !== (config.embedUrl === undefined)) {
    const [given, missing] =
      config.pgDsn === undefined ? ['BRAIN_EMBED_URL', 'BRAIN_PG_DSN'] : ['BRAIN_PG_DSN', 'BRAIN_EMBED_URL'];
    throw new ConfigError(
      `${given} is set but ${missing} is not. Hybrid retrieval needs both: set ${missing} too, or unset ${given} to search with BM25 alone.`,
    );
  }
  return config;
}

function describe(error: z.ZodError): string {
  const [issue] = error.issues;
  const key = String(issue?.path[0] ?? '');
  const variable = Object.entries(ENVIRONMENT).find(([, [name]]) => name === key)?.[0];
  return `${variable ?? key}: ${issue?.message ?? 'not usable'}`;
}
