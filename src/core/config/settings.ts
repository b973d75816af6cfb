/** The syntax of an environment variable. An interval is a number of seconds, also written `300s` or `5m`; a size as `sizeIn` reads it. */
export type EnvironmentKind = 'text' | 'number' | 'list' | 'switch' | 'interval' | 'size';

/** A group of settings that lists keep together; the settings page and the help of `brain serve` order the groups. */
export type SettingGroup =
  | 'server'
  | 'people'
  | 'notes'
  | 'inbox'
  | 'converter'
  | 'database'
  | 'tables'
  | 'embedder'
  | 'embedding'
  | 'answers';

/** The field of a setting on the settings page. An empty text that is not required means the default. */
type SettingControl =
  | { readonly type: 'text'; readonly placeholder: string; readonly required?: true }
  | { readonly type: 'list'; readonly placeholder: string }
  | { readonly type: 'number'; readonly min: number; readonly max?: number }
  | { readonly type: 'size' }
  | { readonly type: 'dropdown'; readonly options: Readonly<Record<string, string>> }
  | { readonly type: 'toggle' };

/** The port and the URL of a server that has no other setting. */
export const DEFAULT_PORT = 27246;
export const DEFAULT_URL = `http://127.0.0.1:${DEFAULT_PORT}`;

/** A setting as data: the settings page, the environment, the help of `brain serve` and the table in docs/settings.md follow it. */
interface Setting {
  /** Its name on the settings page. */
  readonly name: string;
  /** Its purpose in whole sentences, for the settings page and docs/settings.md. */
  readonly desc: string;
  /** Further sentences for docs/settings.md, in Markdown. */
  readonly more?: string;
  /** The usable values, in one sentence. */
  readonly use: string;
  readonly group: SettingGroup;
  /** Absent for a secret, and for a setting that the settings page does not offer. */
  readonly control?: SettingControl;
  /**
   * Marks a secret, which no message shows and no file holds. Under this key the file of the plugin's settings, which is synced with
   * the vault, has the id with which the app stores the secret on each device.
   */
  readonly secretId?: string;
  /** Marks an address, which may hold a password: a message shows only addresses that have no place for one. */
  readonly isAddress?: true;
  /** False for a setting that a synced file may not set: access to this machine. Secrets are excluded as well. */
  readonly fromFile?: false;
  /** The environment variable; absent without one. */
  readonly env?: readonly [variable: string, kind: EnvironmentKind];
  /** The flag of `brain serve`, which is the setting's key in kebab case, and its line in the help. */
  readonly flag?: readonly [flag: string, help: string];
}

const ON_OFF = 'Use on or off.';
const ADDRESS = 'Use a web address that starts with http:// or https://.';
const SOME_TEXT = 'Use some text, or leave it out.';

const ROWS = {
  host: {
    name: 'Address',
    desc: 'The address that the server listens on.',
    use: 'Use an address of this machine, such as 127.0.0.1.',
    group: 'server',
    env: ['BRAIN_HOST', 'text'],
    flag: ['--host <address>', 'address to listen on (default: BRAIN_HOST, else 127.0.0.1)'],
    fromFile: false,
  },
  port: {
    name: 'Port',
    desc: 'Agents hold this address: after a change they have to be connected again. Two vaults need two ports.',
    use: 'Use a whole number from 1 to 65535, or 0 for any free port.',
    group: 'server',
    control: { type: 'number', min: 0, max: 65535 },
    env: ['BRAIN_PORT', 'number'],
    flag: ['--port <n>', `port to listen on, 0 for any free one (default: BRAIN_PORT, else ${DEFAULT_PORT})`],
  },
  auth: {
    name: 'Tokens',
    desc: 'Whether a request needs a token. Only a server on a loopback address can do without.',
    use: ON_OFF,
    group: 'server',
    env: ['BRAIN_AUTH', 'switch'],
    fromFile: false,
  },
  allowedHosts: {
    name: 'Further host names',
    desc: 'Names under which a proxy of yours reaches the server, between commas.',
    more: 'Other machines reach it under these names alone.',
    use: 'List names without http://, such as brain.local or brain.local:27246, between commas.',
    group: 'server',
    control: { type: 'list', placeholder: 'brain.local' },
    env: ['BRAIN_ALLOWED_HOSTS', 'list'],
  },
  allowedOrigins: {
    name: 'Further origins',
    desc: 'Web pages that may call the server from a browser, between commas.',
    use: 'List whole origins without a path, such as https://notes.example, between commas.',
    group: 'server',
    control: { type: 'list', placeholder: 'https://notes.example' },
    env: ['BRAIN_ALLOWED_ORIGINS', 'list'],
  },
  plainHosts: {
    name: 'Hosts over plain HTTP',
    desc: 'Machines of a safe network that get the keys of language model, embedder and converter over plain http, between commas.',
    more: 'Other machines get a key over https alone. Programs of this machine need no name.',
    use: 'List host names without http://, such as gpu.lan or gpu.lan:8080, between commas.',
    group: 'server',
    control: { type: 'list', placeholder: 'gpu.lan' },
    env: ['BRAIN_PLAIN_HOSTS', 'list'],
  },
  rateLimit: {
    name: 'Changes per minute',
    desc: 'How many changes one token may make in a minute; 0 for any number.',
    more: 'Dry runs count as well.',
    use: 'Use a whole number; 0 switches the limit off.',
    group: 'server',
    control: { type: 'number', min: 0 },
    env: ['BRAIN_RATE_LIMIT', 'number'],
  },
  rateBytes: {
    name: 'Bytes of changes per minute',
    desc: 'How much one token may send in a minute for changes, such as 64 MiB; 0 for any amount.',
    more: 'A call with more than the minute has left is refused.',
    use: 'Use a size such as 64 MiB, or a whole number of bytes; 0 switches the limit off.',
    group: 'server',
    control: { type: 'size' },
    env: ['BRAIN_RATE_BYTES', 'size'],
  },
  drainSeconds: {
    name: 'Time to drain',
    desc: 'How long the server goes on answering once it is asked to stop (s).',
    more: 'Meanwhile `/ready` says 503, so that a load balancer sends the next requests to other servers. A second signal ends it at once.',
    use: 'Use a whole number of seconds, at most 3600; 0 stops without a wait.',
    group: 'server',
    env: ['BRAIN_DRAIN_SECONDS', 'number'],
    flag: [
      '--drain-seconds <n>',
      'go on answering so long after a signal to stop, while /ready says 503 (default: BRAIN_DRAIN_SECONDS, else 0)',
    ],
    fromFile: false,
  },
  metrics: {
    name: 'Metrics',
    desc: 'Whether the headless server has a route with its counts and times for Prometheus.',
    more: 'It is `/metrics`, for tokens with the scope `admin`.',
    use: ON_OFF,
    group: 'server',
    env: ['BRAIN_METRICS', 'switch'],
    fromFile: false,
  },
  humanName: {
    name: 'Your name',
    desc: 'Stamped on what you write and decide here.',
    use: 'Use 1 to 48 characters on one line.',
    group: 'people',
    control: { type: 'text', placeholder: 'me', required: true },
  },
  captureWing: {
    name: 'Wing for captures',
    desc: 'Where a captured thought goes when it names no wing.',
    use: 'Use a plain topic name, such as notes.',
    group: 'notes',
    control: { type: 'text', placeholder: 'notes', required: true },
  },
  tools: {
    name: 'Tools for agents',
    desc: 'Fewer tools take less of what an agent can hold in mind.',
    use: 'Use core or full.',
    group: 'people',
    control: { type: 'dropdown', options: { core: 'The basic ones', full: 'All' } },
  },
  rootNote: {
    name: 'Root note',
    desc: 'The note that tells every agent how to use this vault.',
    more: 'Where it is missing and there is a `CLAUDE.md`, that one does.',
    use: 'Use the path of a Markdown file in the vault, such as AGENTS.md.',
    group: 'notes',
    control: { type: 'text', placeholder: 'AGENTS.md', required: true },
    env: ['BRAIN_ROOT_NOTE', 'text'],
  },
  rootEdit: {
    name: 'When an agent edits the root note',
    desc: 'Only tokens with the right to administer can try.',
    use: 'Use allow, propose or deny.',
    group: 'notes',
    control: {
      type: 'dropdown',
      options: { allow: 'Change it and tell me', propose: 'Put it in the review queue', deny: 'Refuse' },
    },
  },
  readScope: {
    name: 'What is read',
    desc: 'Your own notes in this vault are searched, answered from and linked to, and never changed by an agent.',
    more: '`vault` reads every note of the vault, `brain` only the folders of the service.',
    use: 'Use vault or brain.',
    group: 'notes',
    control: {
      type: 'dropdown',
      options: { vault: 'Every note of the vault', brain: 'Only the folders of the service' },
    },
    env: ['BRAIN_READ_SCOPE', 'text'],
  },
  exclude: {
    name: 'Left out',
    desc: 'Folders, files or globs that are not read, between commas. Hidden folders, what Obsidian excludes, and template folders never are.',
    use: 'List paths of the vault or globs, such as Private, Journal/2019 or *.excalidraw.md, between commas.',
    group: 'notes',
    control: { type: 'list', placeholder: 'Private, *.excalidraw.md' },
    env: ['BRAIN_EXCLUDE', 'list'],
  },
  attachments: {
    name: 'Words of attachments',
    desc: 'The words of PDF files and canvas cards in the vault are searched. They are taken in the background and kept on each device, and nothing is sent anywhere.',
    more: 'Unset, they are searched in a vault that the service serves for the first time, and in others once the owner has agreed on the home screen or with `brain attachments on`. Off, what was kept of them is removed.',
    use: ON_OFF,
    group: 'notes',
    env: ['BRAIN_ATTACHMENTS', 'switch'],
  },
  gateActiveContent: {
    name: 'Take active content out',
    desc: 'Scripts, frames and queries that run code are made plain text in what agents write.',
    use: ON_OFF,
    group: 'notes',
    control: { type: 'toggle' },
  },
  followMoves: {
    name: 'Follow moved notes',
    desc: 'When you move a note by hand, its wing and hall, the maps and the links that the service wrote follow.',
    use: ON_OFF,
    group: 'notes',
    control: { type: 'toggle' },
  },
  watch: {
    name: 'Watch the inbox',
    desc: 'Files that are dropped into the inbox are ingested.',
    more: 'Unset, the server watches an inbox that it has made itself.',
    use: ON_OFF,
    group: 'inbox',
    env: ['BRAIN_WATCH', 'switch'],
  },
  watcherDevice: {
    name: 'Device that watches the inbox',
    desc: 'The switch "Watch the inbox on this device" of the settings page writes it.',
    use: 'Use the name of a device as its status tells it, or leave it out.',
    group: 'inbox',
  },
  watchDir: {
    name: 'Inbox folder',
    desc: 'Where files are dropped. Handled originals are kept in inbox/processed.',
    more: 'Outside the vault, or in a folder of the service, none is watched: the log and `brain doctor` say so.',
    use: 'Use the path of a folder in the vault, such as inbox.',
    group: 'inbox',
    control: { type: 'text', placeholder: 'inbox' },
    env: ['BRAIN_WATCH_DIR', 'text'],
  },
  ingestDestination: {
    name: 'Where ingested notes go',
    desc: 'A page goes to the wiki only when it names a wing and a hall.',
    use: 'Use raw or wiki.',
    group: 'inbox',
    control: { type: 'dropdown', options: { raw: 'The review queue', wiki: 'The wiki' } },
    env: ['BRAIN_INGEST_DESTINATION', 'text'],
  },
  ingestRoots: {
    name: 'Folders to ingest from',
    desc: 'Folders outside the vault that agents may have ingested, between commas. None while this is empty.',
    more: 'Each path is absolute.',
    use: 'List the paths of folders between commas.',
    group: 'inbox',
    control: { type: 'list', placeholder: '/home/me/papers' },
    env: ['BRAIN_INGEST_ROOTS', 'list'],
  },
  maxUpload: {
    name: 'Largest file that is sent',
    desc: 'The size that a file may have which is sent to be ingested, such as 256 MiB; a larger one is refused.',
    more: 'It goes to the disk as it comes.',
    use: 'Use a size such as 256 MiB, or a whole number of bytes.',
    group: 'inbox',
    control: { type: 'size' },
    env: ['BRAIN_MAX_UPLOAD', 'size'],
  },
  vectorStore: {
    name: 'Vectors',
    desc: 'Where the vectors of your notes are kept. On this device they are in files beside the vault, and every device makes its own.',
    more: '`local` stands for `BRAIN_PG_DSN=local:` where no connection string is given.',
    use: 'Use postgres or local.',
    group: 'database',
    control: { type: 'dropdown', options: { postgres: 'In Postgres', local: 'On this device' } },
  },
  pgDsn: {
    name: 'Postgres',
    desc: 'The connection string of a database with pgvector, such as postgres://user:password@localhost/brain. Paths of notes, hashes and vectors are kept there. Needs "Embedder" too.',
    use: 'Use a connection string such as postgres://user@localhost/brain, or local: alone, which keeps the vectors in files of this device and needs no database. There is no database inside the server (pglite:) any more.',
    group: 'database',
    secretId: 'pgDsnSecret',
    env: ['BRAIN_PG_DSN', 'text'],
  },
  pgSchema: {
    name: 'Postgres schema',
    desc: 'Where the table of the vectors is made.',
    more: 'Each vault needs one of its own: the table of another vault is refused.',
    use: 'Use the name of a schema, such as public.',
    group: 'tables',
    control: { type: 'text', placeholder: 'public' },
    env: ['BRAIN_PG_SCHEMA', 'text'],
  },
  pgPool: {
    name: 'Connections to Postgres',
    desc: 'How many are open at a time.',
    use: 'Use a whole number from 1 to 100.',
    group: 'tables',
    env: ['BRAIN_PG_POOL', 'number'],
  },
  embedApi: {
    name: 'Kind of embedder',
    desc: 'The interface that the embedder speaks.',
    use: 'Use ollama or openai.',
    group: 'embedder',
    control: { type: 'dropdown', options: { ollama: 'Ollama', openai: 'OpenAI and compatible' } },
    env: ['BRAIN_EMBED_API', 'text'],
  },
  embedUrl: {
    name: 'Embedder',
    desc: 'The address of Ollama, or the address to which /embeddings is added. The text of your reviewed notes (with "Notes that get vectors" also of your own), and what you search for, is sent to this address. Needs "Postgres" too, or "Vectors" on this device.',
    use: ADDRESS,
    group: 'embedder',
    control: { type: 'text', placeholder: 'http://127.0.0.1:11434' },
    isAddress: true,
    env: ['BRAIN_EMBED_URL', 'text'],
  },
  embedModel: {
    name: 'Embedding model',
    desc: 'After a change run “Backfill embeddings”: vectors of two models cannot be compared.',
    more: 'On the command line that is `brain backfill-embeddings`. Unset, `nomic-embed-text` for Ollama; OpenAI and compatible ones need a name. Of more than 768 numbers for a text the first 768 are kept.',
    use: 'Use the name of a model, such as nomic-embed-text.',
    group: 'embedder',
    control: { type: 'text', placeholder: 'nomic-embed-text' },
    env: ['BRAIN_EMBED_MODEL', 'text'],
  },
  embedKey: {
    name: 'Embedder key',
    desc: 'Sent to an embedder of the kind "OpenAI and compatible" with every text, where it wants one.',
    more: 'It is not sent unencrypted to another machine, unless `BRAIN_PLAIN_HOSTS` names it.',
    use: 'Use the key that the service gave you.',
    group: 'embedder',
    secretId: 'embedKeySecret',
    env: ['BRAIN_EMBED_KEY', 'text'],
  },
  embedDimensions: {
    name: 'Numbers of a vector',
    desc: 'How many leading numbers of each vector are used, for models that are made for that (Matryoshka).',
    more: 'Unset, all up to 768. After a change run `brain backfill-embeddings`.',
    use: 'Use a whole number from 64 to 768, or leave it out.',
    group: 'embedding',
    env: ['BRAIN_EMBED_DIMENSIONS', 'number'],
  },
  embedRoots: {
    name: 'Notes that get vectors',
    desc: 'Your own notes are found by their words alone, unless their text is sent to the embedder too. After a change the vectors follow by themselves.',
    more: '`wiki` embeds the reviewed notes of `wiki/` alone, `all` also `knowledge/` and every note of yours that is read.',
    use: 'Use wiki or all.',
    group: 'embedding',
    control: {
      type: 'dropdown',
      options: { wiki: 'Reviewed notes', all: 'Your own notes too' },
    },
    env: ['BRAIN_EMBED_ROOTS', 'text'],
  },
  fusion: {
    name: 'Words and meaning together',
    desc: 'By ranks, meaning counts as much as words. Measured, it gets the weight that its vectors earn on fragments of your notes, and none where they find too little.',
    more: '`rrf` is reciprocal rank fusion (k 60); `measured` mixes scores. What was measured, `brain doctor` says.',
    use: 'Use rrf or measured.',
    group: 'embedding',
    control: {
      type: 'dropdown',
      options: { rrf: 'By ranks', measured: 'As measured on your notes' },
    },
    env: ['BRAIN_FUSION', 'text'],
  },
  embedDocPrefix: {
    name: 'Prefix for notes',
    desc: 'The text before every note that is embedded.',
    more: 'Unset, `search_document: ` for `nomic-embed-text` and nothing for other models. After a change run `brain backfill-embeddings`.',
    use: SOME_TEXT,
    group: 'embedding',
    env: ['BRAIN_EMBED_DOC_PREFIX', 'text'],
  },
  embedQueryPrefix: {
    name: 'Prefix for queries',
    desc: 'The text before every query that is embedded.',
    more: 'Unset, `search_query: ` for `nomic-embed-text` and nothing for other models.',
    use: SOME_TEXT,
    group: 'embedding',
    env: ['BRAIN_EMBED_QUERY_PREFIX', 'text'],
  },
  embedSyncInterval: {
    name: 'Time between embedding runs',
    desc: 'Seconds. Notes that have changed are also embedded once they have come to rest.',
    more: '1 to 29 count as 30, and 0 is refused.',
    use: 'Use 30 seconds or more, such as 300, 300s or 5m.',
    group: 'embedding',
    control: { type: 'number', min: 30 },
    env: ['BRAIN_EMBED_SYNC_INTERVAL', 'interval'],
  },
  converterUrl: {
    name: 'Converter',
    desc: 'Write local: for the built-in converter, which reads Office documents on this machine. For images as well, give the address of a converter that speaks MCP, such as markitdown-mcp; they are sent to it whole. Without a converter they stay in the inbox.',
    more: 'An outer converter is called through its tool `convert_to_markdown`.',
    use: `Use local:, or a web address that starts with http:// or https://.`,
    group: 'converter',
    control: { type: 'text', placeholder: 'http://127.0.0.1:3001/mcp' },
    isAddress: true,
    env: ['CONVERTER_URL', 'text'],
  },
  converterToken: {
    name: 'Converter token',
    desc: 'Sent to the converter with every document, where it asks for one.',
    more: 'With it no document is sent unencrypted to another machine, unless `BRAIN_PLAIN_HOSTS` names it.',
    use: 'Use the token that the converter gave you.',
    group: 'converter',
    secretId: 'converterTokenSecret',
    env: ['CONVERTER_BEARER_TOKEN', 'text'],
  },
  llmApi: {
    name: 'Kind of language model service',
    desc: 'The interface that the service speaks.',
    use: 'Use ollama or openai.',
    group: 'answers',
    control: { type: 'dropdown', options: { ollama: 'Ollama', openai: 'OpenAI and compatible' } },
    env: ['BRAIN_LLM_API', 'text'],
  },
  llmUrl: {
    name: 'Language model',
    desc: 'The address of the service. Your questions, the text of the notes found for them, and the text of documents that you ingest are sent to this address. Without one, answers are passages of the notes, and documents become notes as they are.',
    use: ADDRESS,
    group: 'answers',
    control: { type: 'text', placeholder: 'http://127.0.0.1:11434' },
    isAddress: true,
    env: ['BRAIN_LLM_URL', 'text'],
  },
  llmModel: {
    name: 'Language model name',
    desc: 'The model that answers, and that takes pages from documents.',
    use: 'Use the name of a model that the service has.',
    group: 'answers',
    control: { type: 'text', placeholder: 'qwen3:14b' },
    env: ['BRAIN_LLM_MODEL', 'text'],
  },
  llmKey: {
    name: 'Language model key',
    desc: 'Sent to the service with everything that it is asked, where it wants one.',
    more: 'With it nothing is sent unencrypted to another machine, unless `BRAIN_PLAIN_HOSTS` names it.',
    use: 'Use the key that the service gave you.',
    group: 'answers',
    secretId: 'llmKeySecret',
    env: ['BRAIN_LLM_KEY', 'text'],
  },
  serverUrl: {
    name: 'Use a server',
    desc: 'The screens then work on the notes of a server elsewhere, and nothing runs inside the app. Its address is saved with the settings of this vault; the token stays on this device.',
    use: 'Use the address of a server, such as https://brain.example, or leave it out.',
    group: 'server',
    isAddress: true,
  },
} as const satisfies Readonly<Record<string, Setting>>;

export type SettingName = keyof typeof ROWS;

/** All settings. Their values and defaults are in the schema of `config.ts`, which the settings page need not load. */
export const SETTINGS: Readonly<Record<SettingName, Setting>> = ROWS;

/** The keys of all settings, in the order of their rows. */
export const SETTING_NAMES = Object.keys(ROWS) as SettingName[]; // Object.keys widens the keys of a constant to string.

/** Returns true for the key of a setting. */
export function isSettingName(key: string): key is SettingName {
  return Object.hasOwn(ROWS, key);
}

/** Splits a text at commas, trims the parts and drops empty ones. */
export function listIn(text: string): string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean);
}

const UNITS = ['B', 'KiB', 'MiB', 'GiB'] as const;

/** Returns a size (bytes) in the largest unit that has it whole: `64 MiB`, `1000 B`; 0 as `0`. */
export function sizeWords(bytes: number): string {
  if (bytes === 0) return '0';
  let power = 0;
  while (power < UNITS.length - 1 && bytes % 1024 ** (power + 1) === 0) power += 1;
  return `${bytes / 1024 ** power} ${UNITS[power] ?? ''}`;
}

/** Parses a size such as `64 MiB`, `1.5GiB` or `1048576` (bytes); another text is returned as it is. */
export function sizeIn(text: string): number | string {
  const [, number, unit = 'B'] = /^\s*(\d+(?:\.\d+)?)\s*(B|KiB|MiB|GiB)?\s*$/i.exec(text) ?? [];
  if (number === undefined) return text;
  const power = UNITS.findIndex((each) => each.toLowerCase() === unit.toLowerCase());
  return Number(number) * 1024 ** power;
}

/** The longest part of an unusable value in a message (code points). */
const MAX_SHOWN = 60;

/**
 * Returns two sentences for an unusable setting: its value, without any secret, and the usable values.
 * @param called the name with which the person has set it: a variable, a flag, or the name in Obsidian
 */
export function unusable({ use, secretId, isAddress }: Setting, called: string, value: unknown): string {
  if (secretId !== undefined) return `${called} cannot be used as it stands. ${use}`;
  const text = asTyped(value);
  // An address may have a password or key before the @, or behind the ? or #; other text may have one anywhere.
  if (isAddress === true && !/^https?:\/\/[\w.:[\]-]*$/i.test(text))
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
