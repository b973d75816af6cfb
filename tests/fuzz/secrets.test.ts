import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import * as fc from 'fast-check';
import { ConfigError, settleConfig } from '../../src/core/config/config';
import { UsageError } from '../../src/headless/terminal/io';
import { ownerTokenOf, takeEnvironment } from '../../src/headless/server/serve';
import { Sandbox, type ServerProcess } from '../headless/brain-process';
import { fuzz } from './fuzz';

const NAMES = ['BRAIN_TOKEN', 'BRAIN_PG_DSN', 'CONVERTER_BEARER_TOKEN', 'BRAIN_LLM_KEY', 'BRAIN_EMBED_KEY'];
/** Long enough to stand nowhere by chance. */
const secret = fc.stringMatching(/^[A-Za-z0-9]{24}$/);

fuzz(
  'credentials are taken out of the environment that children get, and everything else stays',
  300,
  fc.property(
    fc.dictionary(fc.constantFrom(...NAMES, 'PATH', 'BRAIN_PORT', 'HOME', 'CONVERTER_URL'), secret),
    (given) => {
      const left: Record<string, string | undefined> = { ...given };
      expect(takeEnvironment(left)).toEqual(given);
      expect(left).toEqual(
        Object.fromEntries(Object.entries(given).filter(([name]) => !NAMES.includes(name))),
      );
    },
  ),
);

fuzz(
  'no message about a setting quotes a credential',
  500,
  fc.property(
    secret,
    fc.constantFrom(
      (s: string) => s,
      (s: string) => `postgres://u:${s}@h/d`,
      (s: string) => `${s}\n`,
      (s: string) => ` ${s} é`,
      (s: string) => `postgres://${s}`,
    ),
    fc.subarray(NAMES, { minLength: 1 }),
    fc.subarray([
      'BRAIN_PORT',
      'BRAIN_EMBED_URL',
      'BRAIN_LLM_URL',
      'CONVERTER_URL',
      'BRAIN_PG_SCHEMA',
      'BRAIN_AUTH',
    ]),
    (word, form, names, spoiled) => {
      const env = {
        ...Object.fromEntries(names.map((name) => [name, form(word)])),
        ...Object.fromEntries(spoiled.map((name) => [name, 'no such value'])),
      };
      for (const work of [() => settleConfig(env), () => ownerTokenOf(env)]) {
        try {
          work();
        } catch (error) {
          expect(error instanceof ConfigError || error instanceof UsageError).toBe(true);
          expect(String(error)).not.toContain(word);
        }
      }
    },
  ),
);

describe('a running server that was given credentials', () => {
  const words = {
    token: 'TokenOfTheOwner7f3a9c2e51TokenOfTheOwner',
    dsn: 'PasswordOfPostgres81b2d7',
    converter: 'TokenOfTheConverter44c0e9',
    key: 'KeyOfTheModel9d2e7b6a1f',
  };
  const sandbox = new Sandbox();
  let server: ServerProcess;
  const said: string[] = [];

  async function ask(method: string, route: string, body?: unknown, token = words.token): Promise<void> {
    const answer = await fetch(server.url + route, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    said.push(`${answer.status} ${[...answer.headers].join('\n')} ${await answer.text()}`);
  }

  beforeAll(async () => {
    // Nobody answers at these addresses, so that every failure of a service is told.
    server = await sandbox.serve([], {
      BRAIN_TOKEN: words.token,
      BRAIN_PG_DSN: `postgres://brain:${words.dsn}@127.0.0.1:9/brain`,
      BRAIN_EMBED_API: 'openai',
      BRAIN_EMBED_URL: 'http://127.0.0.1:9',
      BRAIN_EMBED_MODEL: 'm',
      BRAIN_EMBED_KEY: words.key,
      CONVERTER_URL: 'http://127.0.0.1:9',
      CONVERTER_BEARER_TOKEN: words.converter,
      BRAIN_LLM_API: 'openai',
      BRAIN_LLM_URL: 'http://127.0.0.1:9',
      BRAIN_LLM_MODEL: 'm',
      BRAIN_LLM_KEY: words.key,
    });
    await ask('POST', '/write', { content: '# MTU\n\n1420 bytes.', wing: 'net', hall: 'facts', slug: 'mtu' });
    await ask('POST', '/query', { query: 'mtu' });
    await ask('POST', '/answer', { query: 'What is the MTU?' });
    await ask('POST', '/ingest', { text: 'A text about backups at night.', title: 'Backups' });
    await ask('POST', '/backfill-embeddings', {});
    await ask('POST', '/write', '{"broken');
    await ask('POST', '/write', { content: words.key, wing: '..', hall: 'facts' }, `${words.token}x`);
    await ask('GET', '/status');
    await ask('GET', '/audit');
    await ask('POST', '/mcp', {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'brain_query', arguments: { query: 'mtu' } },
    });
    await ask('GET', `/nothing?token=${words.token}`);
  }, 120_000);
  afterAll(() => sandbox.remove());

  /** Where a credential stands that stands in one of these texts. */
  const leaks = (texts: Readonly<Record<string, string>>): string[] =>
    Object.entries(texts).flatMap(([where, text]) =>
      Object.entries(words).flatMap(([name, word]) => (text.includes(word) ? [`${name} in ${where}`] : [])),
    );

  it('says none of them in an answer', () => {
    expect(said.length).toBeGreaterThan(10);
    expect(leaks({ answers: said.join('\n') })).toEqual([]);
  });

  it('is not called with one', () => {
    const line = execFileSync('ps', ['-o', 'args=', '-p', String(server.child.pid)], { encoding: 'utf8' });
    expect(line).toContain('serve');
    expect(leaks({ arguments: line })).toEqual([]);
  });

  it('writes none of them into the vault, its settings folder or what it prints', async () => {
    const { stdout, stderr } = await server.stop();
    const files = readdirSync(sandbox.folder, { recursive: true, encoding: 'utf8' })
      .map((name) => path.join(sandbox.folder, name))
      .filter((file) => statSync(file).isFile());
    expect(files.some((file) => file.endsWith('mtu.md'))).toBe(true);
    const texts = Object.fromEntries(files.map((file) => [file, readFileSync(file, 'latin1')]));
    expect(leaks({ ...texts, stdout, stderr })).toEqual([]);
  });
});
