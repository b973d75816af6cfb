/** What a person reads about a setting: what it is called in Obsidian, and what would do for it. */
export interface SettingWords {
  readonly name: string;
  /** One sentence: the values that can be used. */
  readonly use: string;
  /** `secret` is never shown in a message; of an `address` only what cannot hold a password is shown. */
  readonly shown?: 'secret' | 'address';
}

const ON_OFF = 'Use on or off.';
const ADDRESS = 'Use a web address that starts with http:// or https://.';
const SOME_TEXT = 'Use some text, or leave it out.';

/** The words for every setting of `config.ts`. They explain what its schema decides; headless and Obsidian say the same. */
export const SETTING_WORDS = {
  host: { name: 'Address', use: 'Use an address of this machine, such as 127.0.0.1.' },
  port: { name: 'Port', use: 'Use a whole number from 1 to 65535, or 0 for any free port.' },
  auth: { name: 'Tokens', use: ON_OFF },
  allowedHosts: {
    name: 'Further host names',
    use: 'List names without http://, such as brain.local or brain.local:27246, between commas.',
  },
  allowedOrigins: {
    name: 'Further origins',
    use: 'List whole origins without a path, such as https://notes.example, between commas.',
  },
  rateLimit: { name: 'Changes per minute', use: 'Use a whole number; 0 switches the limit off.' },
  rateBytes: {
    name: 'Bytes of changes per minute',
    use: 'Use a whole number of bytes; 0 switches the limit off.',
  },
  humanName: { name: 'Your name', use: 'Use 1 to 48 characters on one line.' },
  captureWing: { name: 'Wing for captures', use: 'Use a plain topic name, such as notes.' },
  tools: { name: 'Tools for agents', use: 'Use core or full.' },
  rootNote: { name: 'Root note', use: 'Use the path of a Markdown file in the vault, such as AGENTS.md.' },
  rootEdit: { name: 'When an agent edits the root note', use: 'Use allow, propose or deny.' },
  gateActiveContent: { name: 'Take active content out', use: ON_OFF },
  followMoves: { name: 'Follow moved notes', use: ON_OFF },
  watch: { name: 'Watch the inbox', use: ON_OFF },
  watcherDevice: {
    name: 'Device that watches the inbox',
    use: 'Use the name of a device as its status tells it, or leave it out.',
  },
  watchDir: { name: 'Inbox folder', use: 'Use the path of a folder in the vault, such as inbox.' },
  ingestDestination: { name: 'Where ingested notes go', use: 'Use raw or wiki.' },
  ingestRoots: { name: 'Folders to ingest from', use: 'List the paths of folders between commas.' },
  pgDsn: {
    name: 'Postgres',
    use: 'Use a connection string such as postgres://user@localhost/brain.',
    shown: 'secret',
  },
  pgSchema: { name: 'Postgres schema', use: 'Use the name of a schema, such as public.' },
  pgPool: { name: 'Connections to Postgres', use: 'Use a whole number from 1 to 100.' },
  embedUrl: { name: 'Embedder', use: ADDRESS, shown: 'address' },
  embedModel: { name: 'Embedding model', use: 'Use the name of a model, such as nomic-embed-text.' },
  embedDocPrefix: { name: 'Prefix for notes', use: SOME_TEXT },
  embedQueryPrefix: { name: 'Prefix for queries', use: SOME_TEXT },
  embedSyncInterval: {
    name: 'Time between embedding runs',
    use: 'Use 30 seconds or more, such as 300, 300s or 5m.',
  },
  converterUrl: { name: 'Converter', use: ADDRESS, shown: 'address' },
  converterToken: {
    name: 'Converter token',
    use: 'Use the token that the converter gave you.',
    shown: 'secret',
  },
  llmApi: { name: 'Kind of language model service', use: 'Use ollama or openai.' },
  llmUrl: { name: 'Language model', use: ADDRESS, shown: 'address' },
  llmModel: { name: 'Language model name', use: 'Use the name of a model that the service has.' },
  llmKey: { name: 'Language model key', use: 'Use the key that the service gave you.', shown: 'secret' },
} as const satisfies Readonly<Record<string, SettingWords>>;

/** A message names at most so much of a value that cannot be used. */
const MAX_SHOWN = 60;

/**
 * Says in two short sentences that a setting cannot be used as it stands, and what would do. `called` is the name under
 * which the person has set it: a variable, a flag, or the name in Obsidian. No secret is ever part of it.
 */
export function unusable({ use, shown }: SettingWords, called: string, value: unknown): string {
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
