import * as fc from 'fast-check';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { convert } from '../../../src/adapters/documents/converter';
import { configuredEmbedder, configuredModel } from '../../../src/adapters/models/configured';
import { holdsKey, mayCarryKey } from '../../../src/core/base/redact';
import { settleConfig } from '../../../src/core/config/config';
import type { HttpClient } from '../../../src/core/ports/ports';
import { modelCheck } from '../../../src/core/status/checks';
import { fillFromFiles } from '../../../src/headless/terminal/secrets';
import { brainCommand } from '../../support/command-line';
import { refusalOf } from '../../support/refusal';
import { withTempFolder } from '../../support/temp-folder';

/** Other users of the machine read the list of processes, and programs on the way read plain http. */

async function brain(args: readonly string[], env: Record<string, string> = {}) {
  const { code, out, err } = await brainCommand(args, { env });
  return { code, said: out + err };
}

const STORE_CALLS = [
  ['serve'],
  ['store', 'import'],
  ['store', 'export'],
  ['store', 'mirror', '--once'],
  ['token', 'list'],
  ['token', 'add', 'x'],
  ['token', 'revoke', 'x'],
  ['token', 'revoke', 'owner'],
];
const WITH_PASSWORD = [
  'postgres://ada:hunter2@db.lan:5432/brain',
  'postgresql://ada:hunter2@/brain?host=/run/postgresql',
  'postgres://:hunter2@db.lan/brain',
  'postgres://ada:hun@ter/hunter2@db.lan/brain',
  'postgres://ada:hunter2%40@db.lan/brain',
  'postgres://ada%3Ahunter2@db.lan/brain',
  'postgres://ada@db.lan/brain?password=hunter2',
  'postgres://db.lan/brain?user=ada&PassWord=hunter2',
  'postgres://ada@db.lan/brain?pass%77ord=hunter2',
  'host=db.lan user=ada password=hunter2',
];

it.each(STORE_CALLS)('a password in an argument is refused: brain %s %s', async (...call) => {
  for (const address of WITH_PASSWORD) {
    for (const given of [['--store', address], [`--store=${address}`]]) {
      const { code, said } = await brain([...call.filter(Boolean), ...given]);
      expect([address, code, said]).toEqual([address, 2, expect.stringMatching(/BRAIN_STORE.*\.pgpass/)]);
      expect(said).not.toContain('hunter2');
    }
  }
});

it.each([
  'postgres://ada@127.0.0.1:1/brain',
  'postgres://127.0.0.1:1/brain?user=ada',
  'postgres://ada:@127.0.0.1:1/x',
])('an address without one goes on: %s', async (address) => {
  const { code, said } = await brain(['token', 'list', '--store', address], { PGPASSWORD: 'hunter2' });
  expect([code, said]).toEqual([1, expect.stringContaining('refuses connections')]);
});

it.each(['http://ada:hunter2@127.0.0.1:1', 'https://gpu.lan/v1?key=hunter2'])(
  'a key in the address of an embedder is refused as an argument: %s',
  async (url) => {
    const { code, said } = await brain(['embed', 'setup', '--url', url]);
    expect([code, said]).toEqual([2, expect.stringContaining('BRAIN_EMBED_URL_FILE')]);
    expect(said).not.toContain('hunter2');
  },
);

it('every credential comes from a file too', async () => {
  await withTempFolder(async (folder) => {
    const file = path.join(folder, 'secret');
    writeFileSync(file, 'hunter2\n');
    const named = Object.fromEntries(
      [
        'BRAIN_TOKEN',
        'BRAIN_STORE',
        'BRAIN_PG_DSN',
        'BRAIN_EMBED_KEY',
        'BRAIN_LLM_KEY',
        'CONVERTER_BEARER_TOKEN',
      ].map((name) => [`${name}_FILE`, file]),
    );
    const env: Record<string, string | undefined> = { ...named };
    fillFromFiles(env);
    expect(Object.keys(env).filter((name) => name.endsWith('_FILE'))).toEqual([]);
    for (const name of Object.keys(named))
      expect([name, env[name.replace(/_FILE$/, '')]]).toEqual([name, 'hunter2']);
    expect(await brain(['status'], { ...named, BRAIN_TOKEN: 'other' })).toMatchObject({
      code: 2,
      said: expect.stringContaining('BRAIN_TOKEN and BRAIN_TOKEN_FILE are both set'),
    });
    const missing = await brain(['status'], { BRAIN_TOKEN_FILE: path.join(folder, 'none') });
    expect(missing).toMatchObject({ code: 1, said: expect.stringContaining('there is no such file') });
    expect(readFileSync(file, 'utf8')).toBe('hunter2\n');
  });
});

/** Where a key may go, with these hosts named. */
const NAMED = ['gpu.lan', 'nas:8080', '[fd00::1]'];
const PLACES: readonly (readonly [string, boolean])[] = [
  ['http://127.0.0.1:1234/v1', true],
  ['http://localhost/v1', true],
  ['http://[::1]:8080', true],
  ['https://api.example/v1', true],
  ['http://api.example/v1', false],
  ['http://gpu.lan:9/v1', true],
  ['http://GPU.LAN/v1', true],
  ['http://nas:8080/v1', true],
  ['http://nas:8081/v1', false],
  ['http://[fd00::1]:9', true],
  ['http://gpu.lan.evil.example', false],
  ['http://127.0.0.1.evil.example', false],
  ['http://127.0.0.1@evil.example', false],
  ['http://gpu.lan@evil.example', false],
  ['http://evil.example/@gpu.lan', false],
  ['http://evil.example?@127.0.0.1', false],
  ['http://evil.example#@localhost', false],
  ['http:evil.example', false],
];

it.each(PLACES)('a key goes to %s: %s', (url, may) => {
  expect(mayCarryKey(url, NAMED)).toBe(may);
});

it('no place gets a key that the parser of addresses sees elsewhere', () => {
  const part = fc.constantFrom(
    '127.0.0.1',
    'localhost',
    'gpu.lan',
    'evil.example',
    '@',
    ':',
    '/',
    '\\',
    '?',
    '#',
    '%40',
    '\t',
    '.',
  );
  fc.assert(
    fc.property(fc.array(part, { minLength: 1, maxLength: 7 }), (parts) => {
      const url = `http://${parts.join('')}`;
      if (!URL.canParse(url) || !mayCarryKey(url, NAMED)) return;
      expect(['127.0.0.1', 'localhost', 'gpu.lan']).toContain(new URL(url).hostname);
    }),
  );
});

it('an address with a name, a password or a query holds a key', () => {
  expect(['http://a@b', 'http://a:b@c/d', 'https://a/?k=1'].every(holdsKey)).toBe(true);
  expect(['http://a', 'http://a/b@c', 'https://a:1/b'].some(holdsKey)).toBe(false);
});

describe('a service of another machine over plain http', () => {
  const sent: { url: string; key: string | undefined }[] = [];
  const http: HttpClient = {
    send: ({ url, headers }) => {
      sent.push({ url, key: headers.authorization });
      return Promise.resolve({ status: 500, headers: {}, body: '' });
    },
  };
  beforeEach(() => sent.splice(0));

  const ask = {
    model: (env: Record<string, string>) =>
      configuredModel(settleConfig(env), http)?.complete({ system: '', user: '', schema: {}, maxTokens: 1 }),
    embedder: (env: Record<string, string>) => {
      const config = settleConfig(env);
      return configuredEmbedder(config.embedUrl ?? '', config, http).embed(['a'], 'query');
    },
    converter: ({ CONVERTER_URL: url, CONVERTER_BEARER_TOKEN: token, ...env }: Record<string, string>) => {
      const { plainHosts } = settleConfig(env);
      const settings = () => ({ url, plainHosts, ...(token !== undefined && { token }) });
      const file = { name: 'a.docx', bytes: new Uint8Array(3) };
      return convert(file, 'x/y', { http, settings, breathe: () => Promise.resolve() });
    },
  };
  const VARIABLES = {
    model: ['BRAIN_LLM_URL', 'BRAIN_LLM_KEY', { BRAIN_LLM_MODEL: 'm', BRAIN_LLM_API: 'openai' }],
    embedder: [
      'BRAIN_EMBED_URL',
      'BRAIN_EMBED_KEY',
      { BRAIN_EMBED_MODEL: 'm', BRAIN_EMBED_API: 'openai', BRAIN_PG_DSN: 'local:' },
    ],
    converter: ['CONVERTER_URL', 'CONVERTER_BEARER_TOKEN', {}],
  } as const;

  it.each(['model', 'embedder', 'converter'] as const)(
    'gets no key, and with its host named it does: %s',
    async (kind) => {
      const [url, key, more] = VARIABLES[kind];
      const call = (env: Record<string, string>) =>
        refusalOf(Promise.resolve(ask[kind]({ ...more, [url]: 'http://gpu.lan/v1', ...env })));
      const refused = await call({ [key]: 'k' });
      expect(sent.every((each) => each.key === undefined)).toBe(true);
      if (kind !== 'embedder') {
        expect(sent).toEqual([]);
        expect(refused.message).toContain('name gpu.lan in BRAIN_PLAIN_HOSTS');
      }
      sent.splice(0);
      await call({ [key]: 'k', BRAIN_PLAIN_HOSTS: 'gpu.lan' });
      expect(sent.map((each) => each.key)).toContain('Bearer k');
      sent.splice(0);
      await call({});
      expect(sent).not.toEqual([]);
      sent.splice(0);
      // The address has the key in it.
      const inside = await call({ [url]: 'http://ada:hunter2@gpu.lan/v1' });
      expect(sent).toEqual([]);
      expect(inside.message).toContain('BRAIN_PLAIN_HOSTS');
      expect(JSON.stringify(inside)).not.toContain('hunter2');
    },
  );

  it('is told by the doctor', () => {
    const check = (more: Record<string, string>) =>
      modelCheck({
        config: settleConfig({ BRAIN_LLM_URL: 'http://gpu.lan/v1', BRAIN_LLM_MODEL: 'm', ...more }),
      }).state;
    expect(check({})).toBe('ok');
    expect(check({ BRAIN_LLM_KEY: 'k' })).toBe('failed');
    expect(check({ BRAIN_LLM_KEY: 'k', BRAIN_PLAIN_HOSTS: 'GPU.lan' })).toBe('ok');
  });
});
