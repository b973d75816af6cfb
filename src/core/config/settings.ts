/** How the text of an environment variable is read. An interval is a number of seconds, also written `300s` or `5m`. */
export type EnvironmentKind = 'text' | 'number' | 'list' | 'switch' | 'interval';

/** A setting: what it is called in Obsidian, what would do for it, and which environment variable sets it. */
export interface Setting {
  readonly name: string;
  /** One sentence: the values that can be used. */
  readonly use: string;
  /** `secret` is never shown in a message; of an `address` only what cannot hold a password is shown. */
  readonly shown?: 'secret' | 'address';
  /** False for what a file that is synced with the vault may not decide: who reaches this machine, tokens, and secrets. */
  readonly fromFile?: false;
  /** Absent where no variable sets it. */
  readonly env?: readonly [variable: string, kind: EnvironmentKind];
}

const ON_OFF = 'Use on or off.';
const ADDRESS = 'Use a web address that starts with http:// or https://.';
const SOME_TEXT = 'Use some text, or leave it out.';

/** Every setting. What values one may have its schema in `config.ts` decides, which the settings page need not load. */
export const SETTINGS = {
  host: {
    name: 'Address',
    use: 'Use an address of this machine, such as 127.0.0.1.',
    env: ['BRAIN_HOST', 'text'],
    fromFile: false,
  },
  port: {
    name: 'Port',
    use: 'Use a whole number from 1 to 65535, or 0 for any free port.',
    env: ['BRAIN_PORT', 'number'],
  },
  auth: { name: 'Tokens', use: ON_OFF, env: ['BRAIN_AUTH', 'switch'], fromFile: false },
  allowedHosts: {
    name: 'Further host names',
    use: 'List names without http://, such as brain.local or brain.local:27246, between commas.',
    env: ['BRAIN_ALLOWED_HOSTS', 'list'],
  },
  allowedOrigins: {
    name: 'Further origins',
    use: 'List whole origins without a path, such as https://notes.example, between commas.',
    env: ['BRAIN_ALLOWED_ORIGINS', 'list'],
  },
  rateLimit: {
    name: 'Changes per minute',
    use: 'Use a whole number; 0 switches the limit off.',
    env: ['BRAIN_RATE_LIMIT', 'number'],
  },
  rateBytes: {
    name: 'Bytes of changes per minute',
    use: 'Use a whole number of bytes; 0 switches the limit off.',
    env: ['BRAIN_RATE_BYTES', 'number'],
  },
  humanName: { name: 'Your name', use: 'Use 1 to 48 characters on one line.' },
  captureWing: { name: 'Wing for captures', use: 'Use a plain topic name, such as notes.' },
  tools: { name: 'Tools for agents', use: 'Use core or full.' },
  rootNote: {
    name: 'Root note',
    use: 'Use the path of a Markdown file in the vault, such as AGENTS.md.',
    env: ['BRAIN_ROOT_NOTE', 'text'],
  },
  rootEdit: { name: 'When an agent edits the root note', use: 'Use allow, propose or deny.' },
  gateActiveContent: { name: 'Take active content out', use: ON_OFF },
  followMoves: { name: 'Follow moved notes', use: ON_OFF },
  watch: { name: 'Watch the inbox', use: ON_OFF, env: ['BRAIN_WATCH', 'switch'] },
  watcherDevice: {
    name: 'Device that watches the inbox',
    use: 'Use the name of a device as its status tells it, or leave it out.',
  },
  watchDir: {
    name: 'Inbox folder',
    use: 'Use the path of a folder in the vault, such as inbox.',
    env: ['BRAIN_WATCH_DIR', 'text'],
  },
  ingestDestination: {
    name: 'Where ingested notes go',
    use: 'Use raw or wiki.',
    env: ['BRAIN_INGEST_DESTINATION', 'text'],
  },
  ingestRoots: {
    name: 'Folders to ingest from',
    use: 'List the paths of folders between commas.',
    env: ['BRAIN_INGEST_ROOTS', 'list'],
  },
  pgDsn: {
    name: 'Postgres',
    use: 'Use a connection string such as postgres://user@localhost/brain.',
    shown: 'secret',
    env: ['BRAIN_PG_DSN', 'text'],
    fromFile: false,
  },
  pgSchema: {
    name: 'Postgres schema',
    use: 'Use the name of a schema, such as public.',
    env: ['BRAIN_PG_SCHEMA', 'text'],
  },
  pgPool: {
    name: 'Connections to Postgres',
    use: 'Use a whole number from 1 to 100.',
    env: ['BRAIN_PG_POOL', 'number'],
  },
  embedUrl: { name: 'Embedder', use: ADDRESS, shown: 'address', env: ['BRAIN_EMBED_URL', 'text'] },
  embedModel: {
    name: 'Embedding model',
    use: 'Use the name of a model, such as nomic-embed-text.',
    env: ['BRAIN_EMBED_MODEL', 'text'],
  },
  embedDocPrefix: { name: 'Prefix for notes', use: SOME_TEXT, env: ['BRAIN_EMBED_DOC_PREFIX', 'text'] },
  embedQueryPrefix: { name: 'Prefix for queries', use: SOME_TEXT, env: ['BRAIN_EMBED_QUERY_PREFIX', 'text'] },
  embedSyncInterval: {
    name: 'Time between embedding runs',
    use: 'Use 30 seconds or more, such as 300, 300s or 5m.',
    env: ['BRAIN_EMBED_SYNC_INTERVAL', 'interval'],
  },
  converterUrl: { name: 'Converter', use: ADDRESS, shown: 'address', env: ['CONVERTER_URL', 'text'] },
  converterToken: {
    name: 'Converter token',
    use: 'Use the token that the converter gave you.',
    shown: 'secret',
    env: ['CONVERTER_BEARER_TOKEN', 'text'],
    fromFile: false,
  },
  llmApi: {
    name: 'Kind of language model service',
    use: 'Use ollama or openai.',
    env: ['BRAIN_LLM_API', 'text'],
  },
  llmUrl: { name: 'Language model', use: ADDRESS, shown: 'address', env: ['BRAIN_LLM_URL', 'text'] },
  llmModel: {
    name: 'Language model name',
    use: 'Use the name of a model that the service has.',
    env: ['BRAIN_LLM_MODEL', 'text'],
  },
  llmKey: {
    name: 'Language model key',
    use: 'Use the key that the service gave you.',
    shown: 'secret',
    env: ['BRAIN_LLM_KEY', 'text'],
    fromFile: false,
  },
} as const satisfies Readonly<Record<string, Setting>>;

/** A message names at most so much of a value that cannot be used. */
const MAX_SHOWN = 60;

/**
 * Says in two short sentences that a setting cannot be used as it stands, and what would do. `called` is the name under
 * which the person has set it: a variable, a flag, or the name in Obsidian. No secret is ever part of it.
 */
export function unusable({ use, shown }: Setting, called: string, value: unknown): string {
  if (shown === 'secret') return `${called} cannot be used as it stands. ${use}`;
  const text = asTyped(value);
  // A password or key can stand before the @, or behind the ? or #; in what is no address at all, anywhere.
  if (shown === 'address' && !/^https?:\/\/[\w.:[\]-]*$/i.test(text))
    return `${called} cannot be used as it stands. ${use}`;
  return `${called} is ${quoted(text)}. ${use}`;
}

function asTyped(value: unknown): string {
  if (Array.isArray(value)) return value.map(String).join(', ');
  if (typeof value === 'string') return value;
  return JSON.stringify(value) ?? 'missing';
}

function quoted(text: string): string {
  const plain = text.replace(/[\p{Cc}\p{Cs}\p{Default_Ignorable_Code_Point}]+/gu, ' ');
  const points = Array.from(plain.slice(0, 2 * MAX_SHOWN));
  return `"${points.length > MAX_SHOWN ? `${points.slice(0, MAX_SHOWN).join('')}…` : plain}"`;
}
