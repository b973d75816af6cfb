import { ConfigError, ENVIRONMENT, settleConfig } from '../../src/core/config';
import { ownerTokenOf, takeEnvironment } from '../../src/headless/secrets';
import { vaultFolder } from '../../src/headless/vault-folder';

const HYBRID = { BRAIN_PG_DSN: 'postgres://db/brain', BRAIN_EMBED_URL: 'http://127.0.0.1:11434' };

const PARSED: readonly (readonly [variable: string, text: string, setting: string, value: unknown])[] = [
  ['BRAIN_HOST', '::1', 'host', '::1'],
  ['BRAIN_PORT', '0', 'port', 0],
  ['BRAIN_AUTH', 'off', 'auth', false],
  ['BRAIN_ALLOWED_HOSTS', 'nas.home.arpa, nas', 'allowedHosts', ['nas.home.arpa', 'nas']],
  ['BRAIN_ALLOWED_ORIGINS', 'https://a.example,', 'allowedOrigins', ['https://a.example']],
  ['BRAIN_RATE_LIMIT', '0', 'rateLimit', 0],
  ['BRAIN_ROOT_NOTE', 'CLAUDE.md', 'rootNote', 'CLAUDE.md'],
  ['BRAIN_WATCH', 'on', 'watch', true],
  ['BRAIN_WATCH_DIR', 'drop', 'watchDir', 'drop'],
  ['BRAIN_INGEST_DESTINATION', 'wiki', 'ingestDestination', 'wiki'],
  ['BRAIN_INGEST_ROOTS', '/srv/a,/srv/b', 'ingestRoots', ['/srv/a', '/srv/b']],
  ['BRAIN_PG_DSN', 'postgres://other/brain', 'pgDsn', 'postgres://other/brain'],
  ['BRAIN_PG_SCHEMA', 'notes', 'pgSchema', 'notes'],
  ['BRAIN_EMBED_URL', 'http://embed', 'embedUrl', 'http://embed'],
  ['BRAIN_EMBED_MODEL', 'other-model', 'embedModel', 'other-model'],
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

it.each(PARSED)('reads %s=%s as %s', (variable, text, setting, value) => {
  expect(settleConfig({ ...HYBRID, [variable]: text })).toMatchObject({ [setting]: value });
});

it.each(PARSED)('takes an empty %s for unset', (variable) => {
  const half = variable in HYBRID;
  expect(settleConfig({ ...(half ? {} : HYBRID), [variable]: '' })).toEqual(settleConfig(half ? {} : HYBRID));
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
    rootNote: 'AGENTS.md',
    watchDir: 'inbox',
    ingestDestination: 'raw',
    embedModel: 'nomic-embed-text',
    embedSyncInterval: 300,
    pgSchema: 'public',
    llmApi: 'ollama',
  });
});

it.each([
  ['BRAIN_PORT', '70000'],
  ['BRAIN_PORT', 'http'],
  ['BRAIN_AUTH', 'no'],
  ['BRAIN_WATCH', 'yes'],
  ['BRAIN_RATE_LIMIT', '-1'],
  ['BRAIN_EMBED_SYNC_INTERVAL', '10'],
  ['BRAIN_INGEST_DESTINATION', 'inbox'],
  ['BRAIN_LLM_API', 'other'],
])('refuses %s=%s, naming the variable', (variable, text) => {
  expect(() => settleConfig({ [variable]: text })).toThrow(ConfigError);
  expect(() => settleConfig({ [variable]: text })).toThrow(variable);
});

it.each([
  ['BRAIN_PG_DSN', 'BRAIN_EMBED_URL'],
  ['BRAIN_EMBED_URL', 'BRAIN_PG_DSN'],
])('refuses %s without %s', (given, missing) => {
  const half = () => settleConfig({ [given]: 'x' });
  expect(half).toThrow(ConfigError);
  expect(half).toThrow(`${given} is set but ${missing} is not`);
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
    expect(ownerTokenOf({ BRAIN_TOKEN: 'aB3-._~+/=' })).toBe('aB3-._~+/=');
    for (const BRAIN_TOKEN of ['two words', 'größe', 'a\nb'])
      expect(() => ownerTokenOf({ BRAIN_TOKEN })).toThrow(ConfigError);
  });
});

it('finds the vault by flag, by variable, else in ./brain', () => {
  expect(vaultFolder('/a', { BRAIN_VAULT: '/b' })).toBe('/a');
  expect(vaultFolder(undefined, { BRAIN_VAULT: '/b' })).toBe('/b');
  expect(vaultFolder(undefined, { BRAIN_VAULT: '' })).toBe(`${process.cwd()}/brain`);
});
