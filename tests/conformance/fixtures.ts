import * as z from 'zod';
import { BrainError } from '../../src/core/base/errors';
import { operation } from '../../src/core/operation/operation';
import type { RpcRequest, Method, Result, Surface } from '../../src/doors/mcp/exchange';
import { SURFACE } from '../../src/doors/mcp/methods';
import { RpcError } from '../../src/doors/mcp/rpc-error';
import { defineTool, type Tool, TOOLS } from '../../src/doors/mcp/tools';

/** One red pixel, and a WAV file of no samples. */
const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';
const WAV = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=';

const image = { type: 'image', data: PNG, mimeType: 'image/png' };
const text = (words: string) => ({ type: 'text', text: words });
const embedded = (uri: string, mimeType: string, words: string) => ({
  type: 'resource',
  resource: { uri, mimeType, text: words },
});

/** What the suite calls by name, with the answers that it wants. No tool of ours gives such content. */
const CONTENTS: ReadonlyMap<unknown, readonly object[]> = new Map([
  ['test_simple_text', [text('This is a simple text response for testing.')]],
  ['test_image_content', [image]],
  ['test_audio_content', [{ type: 'audio', data: WAV, mimeType: 'audio/wav' }]],
  [
    'test_embedded_resource',
    [embedded('test://embedded-resource', 'text/plain', 'This is an embedded resource content.')],
  ],
  [
    'test_multiple_content_types',
    [
      text('Multiple content types test:'),
      image,
      embedded('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
    ],
  ],
]);

const answer = z.object({});
const empty = z.strictObject({});
const named = (name: string, run: Parameters<typeof operation<typeof empty, typeof answer>>[0]['run']) =>
  defineTool({
    name,
    title: name,
    description: 'For the conformance suite.',
    operation: operation({ name, scope: 'read', mutates: false, input: empty, output: answer, run }),
    fields: {},
  });

/** Our own tools, and two that go the whole way of one of ours. */
export const WIRED_TOOLS: readonly Tool[] = [
  ...TOOLS,
  named('test_error_handling', async () => {
    throw new BrainError('note_not_found', 'This tool intentionally returns an error for testing.');
  }),
  named('test_tool_with_progress', async (_brain, _input, _caller, watch) => {
    for (const done of [0, 50, 100]) watch?.progress?.({ done, total: 100 });
    return {};
  }),
];

const paramsOf = ({ params }: RpcRequest): Readonly<Record<string, unknown>> => Object(params);

const callTool: Method = async (exchange, asked) => {
  const content = CONTENTS.get(paramsOf(asked).name);
  return content === undefined ? own('tools/call')(exchange, asked) : { content };
};

const readResource: Method = async (exchange, asked) => {
  const uri = String(paramsOf(asked).uri);
  const [, id] = /^test:\/\/template\/([^/]+)\/data$/.exec(uri) ?? [];
  const json = { id, templateTest: true, data: `Data for ID: ${id}` };
  const found =
    uri === 'test://static-text'
      ? { mimeType: 'text/plain', text: 'This is the content of the static text resource.' }
      : uri === 'test://static-binary'
        ? { mimeType: 'image/png', blob: PNG }
        : id !== undefined && { mimeType: 'application/json', text: JSON.stringify(json) };
  return found ? { contents: [{ uri, ...found }] } : own('resources/read')(exchange, asked);
};

const PROMPTS: ReadonlyMap<string, (args: Readonly<Record<string, unknown>>) => readonly object[]> = new Map<
  string,
  (args: Readonly<Record<string, unknown>>) => readonly object[]
>([
  ['test_simple_prompt', () => [text('This is a simple prompt for testing.')]],
  [
    'test_prompt_with_arguments',
    ({ arg1, arg2 }) => [text(`Prompt with arguments: arg1='${String(arg1)}', arg2='${String(arg2)}'`)],
  ],
  [
    'test_prompt_with_embedded_resource',
    ({ resourceUri }) => [
      embedded(String(resourceUri), 'text/plain', 'Embedded resource content for testing.'),
      text('Please process the embedded resource above.'),
    ],
  ],
  ['test_prompt_with_image', () => [image, text('Please analyze the image above.')]],
]);

const cached: Result = { ttlMs: 0, cacheScope: 'private' };

const listPrompts: Method = async () => ({
  prompts: [...PROMPTS.keys()].map((name) => ({ name, description: 'For the conformance suite.' })),
  ...cached,
});

const getPrompt: Method = async (_, asked) => {
  const { name, arguments: args } = paramsOf(asked);
  const prompt = PROMPTS.get(String(name));
  if (prompt === undefined) throw new RpcError(-32602, 'Unknown prompt');
  return { messages: prompt(Object(args)).map((content) => ({ role: 'user', content })) };
};

const complete: Method = async (exchange, asked) =>
  Object(paramsOf(asked).ref).type === 'ref/prompt'
    ? { completion: { values: [], total: 0, hasMore: false } }
    : own('completion/complete')(exchange, asked);

function own(name: string): Method {
  const method = SURFACE.methods.get(name);
  if (method === undefined) throw new Error(`The product does not answer ${name}.`);
  return method;
}

/** The product's table of methods with what the suite asks for beside it. */
export const WIRED_SURFACE: Surface = {
  capabilities: SURFACE.capabilities,
  methods: new Map([
    ...SURFACE.methods,
    ['tools/call', callTool],
    ['resources/read', readResource],
    ['prompts/list', listPrompts],
    ['prompts/get', getPrompt],
    ['completion/complete', complete],
  ]),
};
