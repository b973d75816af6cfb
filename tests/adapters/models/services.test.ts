import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { outgoingHttp } from '../../../src/adapters/host/http';
import { configuredModel } from '../../../src/adapters/models/configured';
import { type Settings, settleConfig } from '../../../src/core/config/config';
import { type HttpClient, HttpFailure, type HttpRequest } from '../../../src/core/ports/ports';
import { modelAt } from '../../support/configured';
import { refusalOf } from '../../support/refusal';
import {
  clientFor,
  type ScriptedModelServer,
  startScriptedModelServer,
} from '../../support/scripted-model-server';

const QUESTION = { system: 'rules', user: 'question', schema: { type: 'object' }, maxTokens: 77 };
const KEY = 'sk-very-secret';

let server: ScriptedModelServer;
beforeAll(async () => (server = await startScriptedModelServer()));
afterAll(() => server.close());

const kinds = [
  ['Ollama', (http: HttpClient) => modelAt('ollama', server.ollamaUrl, { http, key: KEY })],
  ['OpenAI', (http: HttpClient) => modelAt('openai', `${server.openAiUrl}/`, { http, key: KEY })],
] as const;

describe.each(kinds)('a model on %s', (_, open) => {
  it('sends its key as a bearer token and nowhere else', async () => {
    server.script({ say: '{}' });
    await open(outgoingHttp).complete(QUESTION);
    expect(server.asked[0]?.headers.authorization).toBe(`Bearer ${KEY}`);
    expect(JSON.stringify(server.asked[0]?.body)).not.toContain(KEY);
  });

  it('waits 180 seconds and reads 4 MiB', async () => {
    const seen: HttpRequest[] = [];
    const http: HttpClient = {
      send: async (request) => {
        seen.push(request);
        throw new HttpFailure('timeout', 'late');
      },
    };
    await refusalOf(open(http).complete(QUESTION));
    expect(seen).toEqual([expect.objectContaining({ timeoutMs: 180_000, maxBytes: 4 * 1024 * 1024 })]);
  });

  it.each([
    ['is silent', 'hang', /gave no whole answer within 180 s/],
    ['dies', 'die', /cannot be reached \(\w+\); see that it runs/],
    ['answers far too much', { say: 'x'.repeat(5_000) }, /answered more than 4 MiB/],
    ['sends elsewhere', { status: 307, headers: { location: '/api/chat' } }, /sends to another address/],
    ['answers no JSON', { status: 200, body: '<html>' }, /something else than a reply/],
    ['answers other JSON', { status: 200, body: '{"object":"list"}' }, /something else than a reply/],
    ['refuses the key', { status: 401, body: KEY }, /HTTP 401; see that BRAIN_LLM_KEY is right/],
  ] as const)('fails with the host alone when the service %s', async (_what, turn, message) => {
    server.script(turn);
    const cramped: HttpClient = { send: (request) => clientFor(turn).send({ ...request, maxBytes: 2_000 }) };
    const error = await refusalOf(open(cramped).complete(QUESTION));
    expect(error.code).toBe('llm_error');
    expect(error.message).toMatch(message);
    expect(error.message).toMatch(/^The language model at 127\.0\.0\.1:\d+ /);
    expect(error.message + JSON.stringify(error.details)).not.toMatch(/very-secret|question|rules/);
    // The last request is the only one but where the first was refused.
    expect(server.asked).toHaveLength(1);
  });

  it('never takes what it sends to another host', async () => {
    let reached = 0;
    const other = createServer((_req, res) => {
      reached += 1;
      res.end('{}');
    });
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as AddressInfo; // Only a pipe's address is text.
    for (const status of [301, 302, 303, 307, 308]) {
      server.script({ status, headers: { location: `http://127.0.0.1:${port}/api/chat` } });
      expect((await refusalOf(open(outgoingHttp).complete(QUESTION))).code).toBe('llm_error');
    }
    other.close();
    expect(reached).toBe(0);
  });
});

describe('a request to Ollama', () => {
  const model = () => modelAt('ollama', server.ollamaUrl, { model: 'qwen3' });

  it('is what Ollama documents', async () => {
    server.script({ say: '{}' });
    await model().complete(QUESTION);
    expect(server.asked[0]?.body).toEqual({
      model: 'qwen3',
      messages: [
        { role: 'system', content: 'rules' },
        { role: 'user', content: 'question' },
      ],
      format: { type: 'object' },
      stream: false,
      think: false,
      options: { temperature: 0, num_ctx: 16384 },
    });
    expect(server.asked[0]?.headers.authorization).toBeUndefined();
  });

  it('takes a larger context only when the prompt may not fit: Ollama would cut it without a word', async () => {
    server.script({ say: '{}' });
    await model().complete({ ...QUESTION, user: 'word '.repeat(5_000) });
    await model().complete({ ...QUESTION, user: '漢'.repeat(24_000) });
    expect(server.asked.map(({ body }) => Object(body.options).num_ctx)).toEqual([16384, 24576]);
  });
});

describe('a request to OpenAI', () => {
  const model = () => modelAt('openai', server.openAiUrl, { model: 'gpt' });

  it('is what OpenAI documents', async () => {
    server.script({ say: '{}' });
    await model().complete(QUESTION);
    expect(server.asked[0]?.body).toEqual({
      model: 'gpt',
      messages: [
        { role: 'system', content: 'rules' },
        { role: 'user', content: 'question' },
      ],
      temperature: 0,
      max_tokens: 77,
      response_format: {
        type: 'json_schema',
        json_schema: { name: 'reply', strict: true, schema: { type: 'object' } },
      },
    });
  });

  it.each([400, 422])('is repeated without what is refused with HTTP %i', async (status) => {
    server.script({ status, body: '{"error":"response_format"}' }, { say: '{"a":1}' });
    expect(await model().complete(QUESTION)).toEqual({ text: '{"a":1}', truncated: false });
    expect(server.asked.map(({ body }) => Object.keys(body))).toEqual([
      ['model', 'messages', 'temperature', 'max_tokens', 'response_format'],
      ['model', 'messages'],
    ]);
  });

  it('is repeated once only', async () => {
    server.script({ status: 400 });
    expect((await refusalOf(model().complete(QUESTION))).details).toMatchObject({ status: 400 });
    expect(server.asked).toHaveLength(2);
  });

  it('may be answered with nothing', async () => {
    const message = { role: 'assistant', content: null, refusal: 'no' };
    server.script({ status: 200, body: JSON.stringify({ choices: [{ message, finish_reason: 'stop' }] }) });
    expect(await model().complete(QUESTION)).toEqual({ text: '', truncated: false });
  });
});

describe('the settings', () => {
  const open = (settings: Settings) => configuredModel(settleConfig({}, settings), outgoingHttp);

  it('give a model only when they name its address and its name', () => {
    expect(open({})).toBeNull();
    expect(open({ llmUrl: 'http://localhost:11434' })).toBeNull();
    expect(open({ llmModel: 'qwen3' })).toBeNull();
    expect(open({ llmUrl: 'http://localhost:11434', llmModel: 'qwen3' })?.name).toBe('qwen3');
  });

  it('choose the interface', async () => {
    server.script({ say: '{}' });
    await open({ llmUrl: server.ollamaUrl, llmModel: 'a' })?.complete(QUESTION);
    await open({ llmUrl: server.openAiUrl, llmModel: 'b', llmApi: 'openai' })?.complete(QUESTION);
    expect(server.asked.map(({ api }) => api)).toEqual(['ollama', 'openai']);
  });

  it('may not name what is no address', () => {
    expect(() => open({ llmUrl: 'http://[nonsense', llmModel: 'a' })).toThrow(
      'BRAIN_LLM_URL is no web address',
    );
  });
});
