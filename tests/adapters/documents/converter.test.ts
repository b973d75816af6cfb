import { type ConverterSettings, converterSettings } from '../../../src/adapters/documents/converter';
import { documentReader, type OpenDocumentReader } from '../../../src/adapters/documents/reader';
import { HttpFailure } from '../../../src/core/ports/ports';
import { converterCheck } from '../../../src/core/status/checks';
import { settleConfig } from '../../../src/core/config/config';
import { StopController } from '../../../src/core/base/concurrency';
import { document, fixture, nodeReader } from '../../support/document-readers';
import { docx } from '../../support/made-office';
import { refusalOf } from '../../support/refusal';
import {
  type ConverterTurn,
  likeMarkitdown,
  type ScriptedConverter,
  startScriptedConverter,
} from '../../support/scripted-converter';

const TOKEN = 'tok-4f1c-secret';
let converter: ScriptedConverter;
let other: ScriptedConverter;
let settings: ConverterSettings;
let reader: OpenDocumentReader;

beforeAll(async () => {
  [converter, other] = await Promise.all([startScriptedConverter(), startScriptedConverter()]);
  reader = nodeReader(() => settings);
});
beforeEach(() => {
  settings = { url: converter.url, token: TOKEN };
  converter.script(likeMarkitdown);
  other.script(likeMarkitdown);
});
afterAll(async () => {
  reader.close();
  await Promise.all([converter.close(), other.close()]);
});

it.each([
  ['minutes.docx', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
  ['costs.xlsx', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'],
  ['slides.pptx', 'application/vnd.openxmlformats-officedocument.presentationml.presentation'],
  ['scan.png', 'image/png'],
  ['scan.jpg', 'image/jpeg'],
  ['scan.jpeg', 'image/jpeg'],
])('sends %s whole, in one call', async (name, mediaType) => {
  converter.script({ text: `# ${name}` });
  const file = fixture(name);
  expect(await reader.read(file)).toEqual({ markdown: `# ${name}`, converted: true, warnings: [] });
  const [asked, ...more] = converter.asked;
  expect(more).toEqual([]);
  expect(asked?.file?.mediaType).toBe(mediaType);
  expect(asked?.file?.bytes.equals(file.bytes)).toBe(true);
  expect(asked?.body).toEqual({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'convert_to_markdown', arguments: { uri: expect.stringMatching(/^data:/) } },
  });
  expect(asked?.headers).toMatchObject({
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    authorization: `Bearer ${TOKEN}`,
  });
});

it('reads answers that come as a stream of events, and several pieces of text', async () => {
  converter.script({ text: 'zwölf\nlines', as: 'sse' });
  expect((await reader.read(document('a.docx', 'x'))).markdown).toBe('zwölf\nlines');
  const content = [
    { type: 'text', text: 'one' },
    { type: 'image', data: '' },
    { type: 'text', text: 'two' },
  ];
  converter.script({ status: 200, body: JSON.stringify({ jsonrpc: '2.0', id: 1, result: { content } }) });
  expect((await reader.read(document('a.docx', 'x'))).markdown).toBe('one\n\ntwo');
});

it('cuts a text that is too long', async () => {
  converter.script({ text: 'x'.repeat(2_000_001) });
  const { markdown, warnings } = await reader.read(document('a.docx', 'x'));
  expect(markdown).toHaveLength(2_000_000);
  expect(warnings).toHaveLength(1);
});

it('sends no token when there is none', async () => {
  settings = { url: converter.url };
  await reader.read(document('a.docx', 'x'));
  expect(converter.asked[0]?.headers).not.toHaveProperty('authorization');
});

const WRONG_ARGUMENT = 'Unknown argument: uri. Use content_base64.';
it.each<[string, ConverterTurn, number | undefined, RegExp]>([
  [
    'the tool fails',
    { toolError: 'File is\npassword protected' },
    200,
    /could not read it: File is password protected\./,
  ],
  ['it wants another argument', { toolError: WRONG_ARGUMENT }, 200, /Unknown argument: uri/],
  [
    'the protocol fails',
    { status: 200, body: '{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Unknown tool"}}' },
    200,
    /could not read it: Unknown tool/,
  ],
  ['it finds no text', { text: ' \n' }, 200, /found no text.*OCR/],
  [
    'it answers no content',
    { status: 200, body: '{"jsonrpc":"2.0","id":1,"result":{}}' },
    200,
    /found no text/,
  ],
  ['it is no converter', { status: 200, body: '<html>hello' }, 200, /something else than an MCP tool/],
  [
    'its stream holds no answer',
    { status: 200, headers: { 'content-type': 'text/event-stream' }, body: ': nothing\n\n' },
    200,
    /something else/,
  ],
  ['the token is wrong', { status: 401, body: 'no' }, 401, /HTTP 401; see that CONVERTER_BEARER_TOKEN/],
  ['the path is wrong', { status: 404 }, 404, /HTTP 404; see that CONVERTER_URL.*\/mcp/],
  ['it is broken', { status: 500, body: 'Traceback' }, 500, /HTTP 500/],
  ['it says no content', { status: 204 }, 204, /something else/],
  ['it dies', 'die', undefined, /cannot be reached/],
  ['it sends far too much', { text: 'x'.repeat(17 * 1024 * 1024) }, undefined, /more than 16 MiB/],
  ['it sends to a page', { status: 302, headers: { location: '/login' } }, 302, /another address/],
  [
    'it sends elsewhere',
    { status: 307, headers: { location: 'http://other.test/' } },
    307,
    /another address/,
  ],
])('says what is wrong when %s', async (_, turn, status, message) => {
  converter.script(turn);
  const error = await refusalOf(reader.read(document('a.docx', 'x')));
  expect(error.code).toBe('converter_error');
  expect(error.message).toMatch(message);
  expect(error.details).toStrictEqual({
    tool: 'convert_to_markdown',
    ...(status !== undefined && { status }),
    upstream: expect.any(String),
    file: 'a.docx',
    // What asking again cannot help: it is not tried again.
    ...(/16 MiB|another address/.test(error.message) && { lasting: true }),
  });
});

it('passes on the beginning of what the converter says, on one line, without the token', async () => {
  converter.script({ status: 500, body: `bad token ${TOKEN}\n\u001b[31m${'é'.repeat(500)}` });
  const { message, details } = await refusalOf(reader.read(document('a.docx', 'x')));
  expect(details?.upstream).toMatch(/^bad token \*\*\* \[31mé+$/);
  expect(String(details?.upstream)).toHaveLength(200);
  expect(message + JSON.stringify(details)).not.toContain(TOKEN);
  converter.script({ toolError: `got ${TOKEN}` });
  const failed = await refusalOf(reader.read(document('a.docx', 'x')));
  expect(failed.message + JSON.stringify(failed.details)).not.toContain(TOKEN);
});

describe('a redirect', () => {
  it.each([307, 308])('%i is followed once on the same server, with the token', async (status) => {
    converter.script({ status, headers: { location: '/mcp/' } }, { text: 'there' });
    expect((await reader.read(document('a.docx', 'x'))).markdown).toBe('there');
    expect(
      converter.asked.map(({ url, headers, file }) => [url, headers.authorization, file?.bytes.toString()]),
    ).toEqual([
      ['/mcp', `Bearer ${TOKEN}`, 'x'],
      ['/mcp/', `Bearer ${TOKEN}`, 'x'],
    ]);
  });

  it('to another server is not followed, so that neither token nor document get there', async () => {
    converter.script({ status: 307, headers: { location: other.url } });
    expect((await refusalOf(reader.read(document('a.docx', 'x')))).message).toMatch(/another address/);
    expect(other.asked).toEqual([]);
  });

  it('is followed no second time', async () => {
    converter.script(
      { status: 307, headers: { location: '/a' } },
      { status: 307, headers: { location: '/b' } },
    );
    expect((await refusalOf(reader.read(document('a.docx', 'x')))).message).toMatch(/another address/);
    expect(converter.asked).toHaveLength(2);
  });
});

it('says that nobody listens, and that an address is none', async () => {
  settings = { url: 'http://127.0.0.1:9/mcp' };
  expect((await refusalOf(reader.read(document('a.docx', 'x')))).message).toMatch(
    /cannot be reached \(ECONNREFUSED\)/,
  );
  settings = { url: 'http://[' };
  expect((await refusalOf(reader.read(document('a.docx', 'x')))).message).toMatch(/set CONVERTER_URL/);
});

it('waits two minutes and no longer', async () => {
  let waited = 0;
  const late = documentReader({
    startThread: () => {
      throw new Error('no thread is needed');
    },
    http: {
      send({ timeoutMs, redirects }) {
        waited = timeoutMs;
        expect(redirects).toBe('same-origin-once');
        return Promise.reject(new HttpFailure('timeout', 'x'));
      },
    },
    settings: () => settings,
    used: () => 0,
    sleep: () => new Promise(() => undefined),
    breathe: async () => undefined,
  });
  expect((await refusalOf(late.read(document('a.docx', 'x')))).message).toMatch(/within 120 s/);
  expect(waited).toBe(120_000);
});

it('is called off', async () => {
  converter.script('hang');
  const stop = new StopController();
  const read = reader.read(document('a.docx', 'x'), stop);
  while (converter.asked.length === 0) await new Promise((resolve) => setImmediate(resolve));
  stop.stop();
  expect((await refusalOf(read)).code).toBe('busy');
});

it('is looked up anew for every document', async () => {
  settings = {};
  expect(reader.readability('a.docx')).toBe('no_converter');
  const error = await refusalOf(reader.read(document('a.docx', 'x')));
  expect(error.code).toBe('unsupported_type');
  expect(error.message).toMatch(/Set CONVERTER_URL/);
  settings = { url: converter.url };
  expect(reader.readability('a.docx')).toBe('converter');
  await reader.read(document('a.docx', 'x'));
});

it('is what the environment says, else the setting', () => {
  const env: Record<string, string | undefined> = {};
  const tell = converterSettings(env, { converterUrl: 'http://a', converterToken: 't' });
  expect(tell()).toEqual({ url: 'http://a', token: 't' });
  env.CONVERTER_URL = 'http://b';
  env.CONVERTER_BEARER_TOKEN = '';
  expect(tell()).toEqual({ url: 'http://b', token: 't' });

  // What the configuration got from the environment is no setting.
  const set: Record<string, string | undefined> = { CONVERTER_URL: 'http://c' };
  const told = converterSettings(set, settleConfig(set));
  expect(told().url).toBe('http://c');
  delete set.CONVERTER_URL;
  expect(told().url).toBeUndefined();
});

it.each([
  [{}, 'ok', /None is set/],
  [
    { CONVERTER_URL: 'http://127.0.0.1:3001/mcp', CONVERTER_BEARER_TOKEN: TOKEN },
    'ok',
    /sent to 127\.0\.0\.1:3001\./,
  ],
  [{ CONVERTER_URL: 'https://u:p@convert.lan/mcp' }, 'ok', /sent to convert\.lan\./],
  [{ CONVERTER_URL: 'http://convert.lan/mcp' }, 'warning', /They cross the network unencrypted/],
  [
    { CONVERTER_URL: 'http://convert.lan/mcp', CONVERTER_BEARER_TOKEN: TOKEN },
    'failed',
    /No document is sent to convert\.lan: the token would cross/,
  ],
  [
    {
      CONVERTER_URL: 'http://convert.lan/mcp',
      CONVERTER_BEARER_TOKEN: TOKEN,
      BRAIN_PLAIN_HOSTS: 'convert.lan',
    },
    'ok',
    /sent to convert\.lan\./,
  ],
])('is looked at by the doctor: %j', (env, state, message) => {
  const check = converterCheck({ config: settleConfig(env) });
  expect(check).toMatchObject({ state, message: expect.stringMatching(message) });
  expect(JSON.stringify(check)).not.toMatch(/secret|u:p/);
});

it.each(['tok-4f1c-secret\n', 'tok secret', 't\u00f6k'])(
  'says that the token %j cannot be sent, asks nobody and does not repeat it',
  async (token) => {
    settings = { url: converter.url, token };
    const error = await refusalOf(reader.read(document('a.docx', 'x')));
    expect(error.code).toBe('converter_error');
    expect(error.message).toContain('CONVERTER_BEARER_TOKEN');
    expect(JSON.stringify(error)).not.toContain(token.trim());
    expect(converter.asked).toEqual([]);
  },
);

describe('the built-in converter', () => {
  beforeEach(() => (settings = { url: 'local:' }));

  it.each(['minutes.docx', 'costs.xlsx'])('reads %s in a thread, and asks no other one', async (name) => {
    expect(reader.readability(name)).toBe('converter');
    const { markdown, ...text } = await reader.read(fixture(name));
    expect(text.converted).toBe(true);
    expect(`${JSON.stringify(text, null, 2)}\n\n${markdown}`).toMatchSnapshot();
    expect([...converter.asked, ...other.asked]).toEqual([]);
  });

  it('reads no images, and says what does', async () => {
    expect(reader.readability('scan.png')).toBe('no_converter');
    const { code, message } = await refusalOf(reader.read(fixture('scan.png')));
    expect(code).toBe('unsupported_type');
    expect(message).toMatch(
      /CONVERTER_URL to the address of a converter.*the built-in one \(local:\) reads none/,
    );
  });

  it('is named where an Office file is refused without a converter', async () => {
    settings = {};
    const { code, message } = await refusalOf(reader.read(fixture('minutes.docx')));
    expect(code).toBe('unsupported_type');
    expect(message).toMatch(
      /Set CONVERTER_URL to local: for the built-in converter, or to the address of another/,
    );
  });

  it('says that a file is damaged', async () => {
    const { bytes } = fixture('minutes.docx');
    const { code, message } = await refusalOf(reader.read({ name: 'cut.docx', bytes: bytes.slice(0, 3000) }));
    expect(code).toBe('unsupported_type');
    expect(message).toMatch(/damaged/);
  });

  it('refuses what is nested too deep', async () => {
    const deep = { name: 'deep.docx', bytes: docx('<w:sdt>'.repeat(10_000)) };
    expect((await refusalOf(reader.read(deep))).code).toBe('too_large');
  });

  it('is told by the doctor', () =>
    expect(converterCheck({ config: settleConfig({ CONVERTER_URL: 'local:' }) })).toEqual({
      name: 'converter',
      state: 'ok',
      message:
        'Office documents are read on this machine by the built-in converter. Images stay where they are.',
    }));
});
