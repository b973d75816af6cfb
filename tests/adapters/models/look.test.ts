import { lookForEmbedders } from '../../../src/adapters/models/look';
import { outgoingHttp } from '../../../src/adapters/host/http';
import { type LoopbackServer, startLoopbackServer } from '../../support/loopback-server';

type Answers = Readonly<Record<string, (body: string) => unknown>>;

const opened: LoopbackServer[] = [];
afterEach(async () => {
  for (const server of opened.splice(0)) await server.stop();
});

/** A server that answers these addresses with JSON, a text as it is, and 404 everywhere else; `asked` has what was asked. */
async function serve(answers: Answers) {
  const asked: string[] = [];
  const server = await startLoopbackServer((text, req, res) => {
    asked.push(`${req.method} ${req.url} ${text}`.trim());
    const answer = answers[`${req.method} ${req.url}`]?.(text);
    res.writeHead(answer === undefined ? 404 : 200, { 'content-type': 'application/json' });
    res.end(typeof answer === 'string' ? answer : JSON.stringify(answer ?? { error: 'no such path' }));
  });
  opened.push(server);
  return { url: server.url, asked };
}

/** An address where nothing listens. */
async function nowhere(): Promise<string> {
  const { url } = await serve({});
  await opened.pop()?.stop();
  return url;
}

const look = async (ollama: Answers | null, lmStudio: Answers | null) => {
  const [a, b] = [ollama && (await serve(ollama)), lmStudio && (await serve(lmStudio))];
  const found = await lookForEmbedders(outgoingHttp, {
    ollama: a?.url ?? (await nowhere()),
    lmStudio: b?.url ?? (await nowhere()),
  });
  return { found, asked: [...(a?.asked ?? []), ...(b?.asked ?? [])] };
};
const models = async (ollama: Answers | null, lmStudio: Answers | null) =>
  (await look(ollama, lmStudio)).found.map((each) => (each.runs ? each.models : null));

it('finds nothing where nothing runs, and rejects never', async () => {
  const { found } = await look(null, null);
  expect(found).toEqual([
    expect.objectContaining({ api: 'ollama', name: 'Ollama', runs: false, models: [] }),
    expect.objectContaining({ api: 'openai', name: 'LM Studio', runs: false, models: [] }),
  ]);
});

it('lists what embeds by what Ollama says of each model, and loads none', async () => {
  const can: Record<string, string[]> = {
    'nomic-embed-text:latest': ['embedding'],
    'qwen3:14b': ['completion', 'tools'],
    'mine:v2': ['embedding'],
  };
  const { found, asked } = await look(
    {
      'GET /api/tags': () => ({ models: Object.keys(can).map((name) => ({ name })) }),
      'POST /api/show': (body) => ({ capabilities: can[JSON.parse(body).model] }),
    },
    null,
  );
  expect(found[0]).toMatchObject({ runs: true, models: ['nomic-embed-text', 'mine:v2'] });
  expect(asked.map((line) => line.split(' ').slice(0, 2).join(' '))).toEqual([
    'GET /api/tags',
    ...Object.keys(can).map(() => 'POST /api/show'),
  ]);
});

it('goes by names where an old Ollama does not say what a model can do', async () => {
  const tags = ['all-minilm:latest', 'llama3:8b', 'bge-m3:567m', 'snowflake-arctic-embed:22m'];
  const show = { 'GET /api/tags': () => ({ models: tags.map((name) => ({ name })) }) };
  expect(await models(show, null)).toEqual([
    ['all-minilm', 'bge-m3:567m', 'snowflake-arctic-embed:22m'],
    null,
  ]);
});

it('lists what embeds by LM Studio’s types, else by names', async () => {
  const data = [
    { id: 'text-embedding-nomic-embed-text-v1.5', type: 'embeddings' },
    { id: 'oddly-named', type: 'embeddings' },
    { id: 'embedded-systems-llm', type: 'llm' },
  ];
  expect(await models(null, { 'GET /api/v0/models': () => ({ data }) })).toEqual([
    null,
    ['text-embedding-nomic-embed-text-v1.5', 'oddly-named'],
  ]);
  const common = { 'GET /v1/models': () => ({ data: [{ id: 'text-embedding-3' }, { id: 'gemma' }] }) };
  expect(await models(null, common)).toEqual([null, ['text-embedding-3']]);
});

it.each([
  ['no JSON', '<html>'],
  ['null', 'null'],
  ['a list', '[]'],
  ['models that are no list', '{"models": 3, "data": "x"}'],
])('takes a program that answers %s for none', async (_, answer) => {
  const any = {
    'GET /api/tags': () => answer,
    'GET /api/v0/models': () => answer,
    'GET /v1/models': () => answer,
  };
  expect(await models(any, any)).toEqual([null, null]);
});

it('leaves out models without a name', async () => {
  const odd = [null, 3, {}, { name: '' }, { name: 7 }, { id: '' }];
  expect(
    await models(
      { 'GET /api/tags': () => ({ models: odd }) },
      { 'GET /api/v0/models': () => ({ data: odd }) },
    ),
  ).toEqual([[], []]);
});
