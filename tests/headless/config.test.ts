import fc from 'fast-check';
import { type Config, ConfigError, ENVIRONMENT, settleConfig } from '../../src/core/config/config';
import { SETTING_NAMES } from '../../src/core/config/settings';
import { UsageError } from '../../src/headless/terminal/io';
import { ownerTokenOf, takeEnvironment } from '../../src/headless/server/serve';
import { clientTokenOf } from '../../src/headless/terminal/tokens';
import { vaultFolder } from '../../src/headless/terminal/program';

const HYBRID = { BRAIN_PG_DSN: 'postgres://db/brain', BRAIN_EMBED_URL: 'http://127.0.0.1:11434' };

const PARSED: readonly (readonly [variable: string, text: string, setting: string, value: unknown])[] = [
  ['BRAIN_HOST', '::1', 'host', '::1'],
  ['BRAIN_PORT', '0', 'port', 0],
  ['BRAIN_AUTH', 'off', 'auth', false],
  ['BRAIN_ALLOWED_HOSTS', 'nas.home.arpa, nas', 'allowedHosts', ['nas.home.arpa', 'nas']],
  ['BRAIN_ALLOWED_ORIGINS', 'https://a.example,', 'allowedOrigins', ['https://a.example']],
  ['BRAIN_PLAIN_HOSTS', 'gpu.lan, nas:8080', 'plainHosts', ['gpu.lan', 'nas:8080']],
  ['BRAIN_RATE_LIMIT', '0', 'rateLimit', 0],
  ['BRAIN_RATE_BYTES', '1048576', 'rateBytes', 1_048_576],
  ['BRAIN_DRAIN_SECONDS', '30', 'drainSeconds', 30],
  ['BRAIN_METRICS', 'on', 'metrics', true],
  ['BRAIN_ROOT_NOTE', 'CLAUDE.md', 'rootNote', 'CLAUDE.md'],
  ['BRAIN_READ_SCOPE', 'brain', 'readScope', 'brain'],
  ['BRAIN_ATTACHMENTS', 'off', 'attachments', false],
  ['BRAIN_EXCLUDE', 'Private, *.excalidraw.md', 'exclude', ['Private', '*.excalidraw.md']],
  ['BRAIN_WATCH', 'on', 'watch', true],
  ['BRAIN_WATCH_DIR', 'drop', 'watchDir', 'drop'],
  ['BRAIN_INGEST_DESTINATION', 'wiki', 'ingestDestination', 'wiki'],
  ['BRAIN_INGEST_ROOTS', '/srv/a,/srv/b', 'ingestRoots', ['/srv/a', '/srv/b']],
  ['BRAIN_MAX_UPLOAD', '1.5 MiB', 'maxUpload', 1_572_864],
  ['BRAIN_PG_DSN', 'postgres://other/brain', 'pgDsn', 'postgres://other/brain'],
  ['BRAIN_PG_SCHEMA', 'notes', 'pgSchema', 'notes'],
  ['BRAIN_PG_POOL', '8', 'pgPool', 8],
  ['BRAIN_EMBED_URL', 'http://embed', 'embedUrl', 'http://embed'],
  ['BRAIN_EMBED_API', 'openai', 'embedApi', 'openai'],
  ['BRAIN_EMBED_KEY', 'key', 'embedKey', 'key'],
  ['BRAIN_EMBED_DIMENSIONS', '256', 'embedDimensions', 256],
  ['BRAIN_EMBED_MODEL', 'other-model', 'embedModel', 'other-model'],
  ['BRAIN_EMBED_ROOTS', 'all', 'embedRoots', 'all'],
  ['BRAIN_FUSION', 'measured', 'fusion', 'measured'],
  ['BRAIN_EMBED_DOC_PREFIX', 'd: ', 'embedDocPrefix', 'd: '],
  ['BRAIN_EMBED_QUERY_PREFIX', 'q: ', 'embedQueryPrefix', 'q: '],
  ['BRAIN_EMBED_SYNC_INTERVAL', '5m', 'embedSyncInterval', 300],
  ['CONVERTER_URL', 'http://convert/mcp', 'converterUrl', 'http://convert/mcp'],
  ['CONVERTER_BEARER_TOKEN', 'abc', 'converterToken', 'abc'],
  ['BRAIN_LLM_API', 'openai', 'llmApi', 'openai'],
  ['BRAIN_LLM_URL', 'http://llm', 'llmUrl', 'http://llm'],
  ['BRAIN_LLM_MODEL', 'small', 'llmModel', 'small'],
  ['BRAIN_LLM_KEY', 'key', 'llmKey', 'key'],
];

it('has an example here for every variable', () => {
  expect(PARSED.map(([variable]) => variable).sort()).toEqual(Object.keys(ENVIRONMENT).sort());
});

it('takes local: for the built-in converter, and no other word', () => {
  expect(settleConfig({ CONVERTER_URL: 'local:' }).converterUrl).toBe('local:');
  expect(() => settleConfig({ CONVERTER_URL: 'local' })).toThrow(/Use local:, or a web address/);
});

it.each(PARSED)('reads %s=%s as %s', (variable, text, setting, value) => {
  expect(settleConfig({ ...HYBRID, [variable]: text })).toMatchObject({ [setting]: value });
});

it.each(PARSED)('takes an empty %s for unset', (variable) => {
  const half = variable in HYBRID;
  expect(settleConfig({ ...(half ? {} : HYBRID), [variable]: '' })).toEqual(settleConfig(half ? {} : HYBRID));
});

it.each([
  ['1', 30],
  ['5', 30],
  ['29s', 30],
  ['30', 30],
  ['31', 31],
  ['1m', 60],
])(
  'takes an interval of %s between embedding runs for %i seconds, of which 30 are the least',
  (text, value) => {
    expect(settleConfig({ BRAIN_EMBED_SYNC_INTERVAL: text }).embedSyncInterval).toBe(value);
  },
);

it('takes an interval of a saved setting by the same rule as that of a variable', () => {
  fc.assert(
    fc.property(fc.integer({ min: -5, max: 90 }), (seconds) => {
      const inForce = (settle: () => Config) => {
        try {
          return settle().embedSyncInterval;
        } catch (error) {
          return error instanceof ConfigError ? 'refused' : error;
        }
      };
      const expected = seconds < 1 ? 'refused' : Math.max(30, seconds);
      expect(inForce(() => settleConfig({ BRAIN_EMBED_SYNC_INTERVAL: `${seconds}` }))).toBe(expected);
      expect(inForce(() => settleConfig({}, { embedSyncInterval: seconds }))).toBe(expected);
    }),
    { numRuns: 300 },
  );
});

it('lets a variable win over a setting, and a setting over the default', () => {
  expect(settleConfig({ BRAIN_PORT: '8080' }, { port: 9090, host: '::1' })).toMatchObject({
    port: 8080,
    host: '::1',
  });
  expect(settleConfig({})).toMatchObject({
    host: '127.0.0.1',
    port: 27246,
    auth: true,
    rateLimit: 600,
    rateBytes: 64 * 1024 * 1024,
    rootNote: 'AGENTS.md',
    watchDir: 'inbox',
    ingestDestination: 'raw',
    embedModel: 'nomic-embed-text',
    embedSyncInterval: 300,
    pgSchema: 'public',
    pgPool: 3,
    llmApi: 'ollama',
  });
});

/** One value of each variable that cannot be used, and what is said of it; the others take any text. */
const REFUSED: readonly (readonly [variable: string, text: string, message: string])[] = [
  ['BRAIN_PORT', 'abc', 'BRAIN_PORT is "abc". Use a whole number from 1 to 65535, or 0 for any free port.'],
  [
    'BRAIN_PORT',
    '70000',
    'BRAIN_PORT is "70000". Use a whole number from 1 to 65535, or 0 for any free port.',
  ],
  ['BRAIN_AUTH', 'maybe', 'BRAIN_AUTH is "maybe". Use on or off.'],
  ['BRAIN_WATCH', 'yes', 'BRAIN_WATCH is "yes". Use on or off.'],
  ['BRAIN_RATE_LIMIT', '-1', 'BRAIN_RATE_LIMIT is "-1". Use a whole number; 0 switches the limit off.'],
  [
    'BRAIN_RATE_BYTES',
    '64MB',
    'BRAIN_RATE_BYTES is "64MB". Use a size such as 64 MiB, or a whole number of bytes; 0 switches the limit off.',
  ],
  [
    'BRAIN_ALLOWED_HOSTS',
    'nas, http://nas',
    'BRAIN_ALLOWED_HOSTS is "nas, http://nas". List names without http://, such as brain.local or brain.local:27246, between commas.',
  ],
  [
    'BRAIN_ALLOWED_ORIGINS',
    'notes.example',
    'BRAIN_ALLOWED_ORIGINS is "notes.example". List whole origins without a path, such as https://notes.example, between commas.',
  ],
  [
    'BRAIN_ROOT_NOTE',
    '../AGENTS.md',
    'BRAIN_ROOT_NOTE is "../AGENTS.md". Use the path of a Markdown file in the vault, such as AGENTS.md.',
  ],
  [
    'BRAIN_EMBED_SYNC_INTERVAL',
    '0',
    'BRAIN_EMBED_SYNC_INTERVAL is "0". Use 30 seconds or more, such as 300, 300s or 5m.',
  ],
  [
    'BRAIN_EMBED_SYNC_INTERVAL',
    '0m',
    'BRAIN_EMBED_SYNC_INTERVAL is "0m". Use 30 seconds or more, such as 300, 300s or 5m.',
  ],
  [
    'BRAIN_EMBED_SYNC_INTERVAL',
    '-5',
    'BRAIN_EMBED_SYNC_INTERVAL is "-5". Use 30 seconds or more, such as 300, 300s or 5m.',
  ],
  [
    'BRAIN_EMBED_SYNC_INTERVAL',
    'soon',
    'BRAIN_EMBED_SYNC_INTERVAL is "soon". Use 30 seconds or more, such as 300, 300s or 5m.',
  ],
  ['BRAIN_INGEST_DESTINATION', 'inbox', 'BRAIN_INGEST_DESTINATION is "inbox". Use raw or wiki.'],
  ['BRAIN_LLM_API', 'other', 'BRAIN_LLM_API is "other". Use ollama or openai.'],
  [
    'BRAIN_EMBED_URL',
    'localhost:11434',
    'BRAIN_EMBED_URL cannot be used as it stands. Use a web address that starts with http:// or https://.',
  ],
  [
    'BRAIN_LLM_URL',
    'user:hunter2@llm',
    'BRAIN_LLM_URL cannot be used as it stands. Use a web address that starts with http:// or https://.',
  ],
  [
    'CONVERTER_URL',
    'http://',
    'CONVERTER_URL is "http://". Use local:, or a web address that starts with http:// or https://.',
  ],
];

it.each(REFUSED)('refuses %s=%s in words for people', (variable, text, message) => {
  const settled = () => settleConfig({ ...HYBRID, [variable]: text });
  expect(settled).toThrow(ConfigError);
  expect(settled).toThrow(new ConfigError(message));
});

it('calls a setting that is no variable by its name in the app, and a flag by what was typed', () => {
  expect(() => settleConfig({}, { humanName: '' })).toThrow(
    new ConfigError('The setting "Your name" is "". Use 1 to 48 characters on one line.'),
  );
  expect(() => settleConfig({ BRAIN_PORT: 'x' }, {}, { BRAIN_PORT: '--port' })).toThrow(/^--port is "x"\./);
});

it('names no more of a long value than a line holds, and no control characters', () => {
  const settled = () => settleConfig({ BRAIN_AUTH: `on\u001b[31m\n${'x'.repeat(5_000)}` });
  expect(settled).toThrow(/^BRAIN_AUTH is "on \[31m x{10,60}…"\. Use on or off\.$/);
});

describe('whatever is set wrongly', () => {
  /** How a validation library speaks, which is not how people do. */
  const JARGON = /invalid|expected|received|NaN|undefined|null|boolean|regex|pattern|union|enum|too_/i;
  const anything = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 30 }),
    fc.constantFrom(0, -1, 1.5, NaN, true, [], [1], {}, 'x'.repeat(500)),
  );

  /** Settings whose value is a secret, or an address that may hold one. */
  const KEPT: readonly string[] = [
    'pgDsn',
    'converterToken',
    'llmKey',
    'embedKey',
    'embedUrl',
    'converterUrl',
    'llmUrl',
  ];

  it('is answered with sentences that name the setting and no secret', () => {
    const secret = fc.stringMatching(/^[A-Za-z0-9]{12,20}$/);
    fc.assert(
      fc.property(fc.constantFrom(...SETTING_NAMES), anything, secret, (key, value, password) => {
        const secrets = {
          BRAIN_PG_DSN: `postgres://brain:${password}@db/x`,
          CONVERTER_BEARER_TOKEN: password,
          BRAIN_LLM_KEY: password,
          BRAIN_EMBED_KEY: password,
          BRAIN_EMBED_URL: `http://user:${password}@embed/?key=${password}`,
          CONVERTER_URL: `http://user:${password}@convert`,
        };
        const variable = Object.entries(ENVIRONMENT).find(([, [name]]) => name === key)?.[0] ?? 'NO_VARIABLE';
        const text = typeof value === 'string' ? value : JSON.stringify(value);
        const tainted = KEPT.includes(key) ? `${text} ${password}` : text;
        for (const [env, settings] of [
          [{ ...secrets, [variable]: tainted }, {}],
          [secrets, { [key]: value }],
          [{}, { [key]: KEPT.includes(key) ? [password] : value }],
        ] as const) {
          const message = messageOf(() => settleConfig(env, settings));
          if (message === null) continue;
          expect(message).not.toContain(password);
          if (message.includes('Hybrid retrieval needs both')) continue;
          expect(message).toMatch(
            /^(?:[A-Z]+(?:_[A-Z]+)+|The setting "[A-Z][\w -]+") (?:is "|cannot be used)/,
          );
          expect(message).toMatch(/\. (?:Use|List) .*\.$/s);
          expect(message.replace(/(?<=is )"[^]*"/, '')).not.toMatch(JARGON);
        }
      }),
      { numRuns: 1_000 },
    );
  });
});

function messageOf(work: () => unknown): string | null {
  try {
    work();
    return null;
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
}

it.each([
  ['BRAIN_PG_DSN', 'BRAIN_EMBED_URL'],
  ['BRAIN_EMBED_URL', 'BRAIN_PG_DSN'],
] as const)('refuses %s without %s', (given, missing) => {
  const half = () => settleConfig({ [given]: HYBRID[given] });
  expect(half).toThrow(ConfigError);
  expect(half).toThrow(`${given} is set but ${missing} is not`);
});

describe('vectors in files of this device', () => {
  it('are named where an embedder has no place for its vectors', () => {
    const { BRAIN_EMBED_URL } = HYBRID;
    expect(() => settleConfig({ BRAIN_EMBED_URL })).toThrow(
      'set BRAIN_PG_DSN too (local: keeps the vectors on this device and needs no database), or unset BRAIN_EMBED_URL',
    );
    expect(() => settleConfig({}, { embedUrl: BRAIN_EMBED_URL })).toThrow(
      'choose "On this device" for "Vectors", which needs no database, or set "Postgres", or unset "Embedder"',
    );
  });

  it('are chosen by the address or by the setting, and need an embedder', () => {
    const { BRAIN_EMBED_URL } = HYBRID;
    expect(settleConfig({ BRAIN_EMBED_URL, BRAIN_PG_DSN: 'local:' }).pgDsn).toBe('local:');
    expect(settleConfig({ BRAIN_EMBED_URL }, { vectorStore: 'local' }).pgDsn).toBe('local:');
    expect(settleConfig(HYBRID, { vectorStore: 'local' }).pgDsn).toBe(HYBRID.BRAIN_PG_DSN);
    expect(() => settleConfig({ BRAIN_EMBED_URL }, { vectorStore: 'postgres' })).toThrow(
      'BRAIN_EMBED_URL is set but BRAIN_PG_DSN is not',
    );
    expect(() => settleConfig({ BRAIN_PG_DSN: 'local:' })).toThrow(
      'BRAIN_PG_DSN is set but BRAIN_EMBED_URL is not',
    );
    expect(() => settleConfig({}, { vectorStore: 'local' })).toThrow(
      'The setting "Vectors" is set but "Embedder" is not',
    );
  });

  const USE =
    'cannot be used as it stands. Use a connection string such as postgres://user@localhost/brain, or local: alone, which keeps the vectors in files of this device and needs no database. There is no database inside the server (pglite:) any more.';
  it.each(['local:./vectors', 'local: ', 'local:://'])('have no further address, such as %j', (dsn) => {
    expect(() => settleConfig({ ...HYBRID, BRAIN_PG_DSN: dsn })).toThrow(`BRAIN_PG_DSN ${USE}`);
  });

  it.each(['pglite:./vectors', 'pglite:///srv/vectors', 'pglite:'])(
    'are what to use in the place of a database inside the server, as %j asks for',
    (dsn) => {
      expect(() => settleConfig({ BRAIN_PG_DSN: dsn })).toThrow(`BRAIN_PG_DSN ${USE}`);
      expect(() => settleConfig({}, { embedUrl: HYBRID.BRAIN_EMBED_URL, pgDsn: dsn })).toThrow(
        `The setting "Postgres" ${USE}`,
      );
    },
  );
});

describe('secrets', () => {
  it('leave the environment when they have been read', () => {
    const env: Record<string, string | undefined> = {
      PATH: '/bin',
      BRAIN_TOKEN: 'a',
      BRAIN_PG_DSN: 'b',
      CONVERTER_BEARER_TOKEN: 'c',
      BRAIN_LLM_KEY: 'd',
    };
    const taken = takeEnvironment(env);
    expect(env).toEqual({ PATH: '/bin' });
    expect(taken).toEqual({
      PATH: '/bin',
      BRAIN_TOKEN: 'a',
      BRAIN_PG_DSN: 'b',
      CONVERTER_BEARER_TOKEN: 'c',
      BRAIN_LLM_KEY: 'd',
    });
  });

  it('are refused when they cannot be sent', () => {
    expect(ownerTokenOf({})).toBeUndefined();
    expect(ownerTokenOf({ BRAIN_TOKEN: '' })).toBeUndefined();
    const long = 'aB3-._~+/aB3-._~+/aB3-._~+/aB3-=';
    for (const around of ['', '\n', ' \r\n']) expect(ownerTokenOf({ BRAIN_TOKEN: long + around })).toBe(long);
    for (const BRAIN_TOKEN of ['two words', 'größe', 'a\nb'])
      expect(() => ownerTokenOf({ BRAIN_TOKEN: BRAIN_TOKEN.repeat(12) })).toThrow(ConfigError);
    for (const BRAIN_TOKEN of ['x', ' ', '\n', 'x'.repeat(31), ` ${'x'.repeat(31)}\n`])
      expect(() => ownerTokenOf({ BRAIN_TOKEN })).toThrow(UsageError);
  });

  it('of a client lose the line feed of their file, are nothing when a setting was left empty, and are checked', () => {
    expect(clientTokenOf({})).toBeUndefined();
    expect(clientTokenOf({ BRAIN_TOKEN: ' \n' })).toBeUndefined();
    expect(clientTokenOf({ BRAIN_TOKEN: '${user_config.token}' })).toBeUndefined();
    expect(clientTokenOf({ BRAIN_TOKEN: 'aB3-._~+/=\r\n' })).toBe('aB3-._~+/=');
    for (const BRAIN_TOKEN of ['two words', 'größe', 'a\nb', '${a} ${b}'])
      expect(() => clientTokenOf({ BRAIN_TOKEN })).toThrow(UsageError);
  });
});

it('finds the vault by flag, by variable, else in ./brain', () => {
  expect(vaultFolder('/a', { BRAIN_VAULT: '/b' })).toBe('/a');
  expect(vaultFolder(undefined, { BRAIN_VAULT: '/b' })).toBe('/b');
  expect(vaultFolder(undefined, { BRAIN_VAULT: '' })).toBe(`${process.cwd()}/brain`);
  expect(() => vaultFolder('', { BRAIN_VAULT: '/b' })).toThrow(UsageError);
});
