import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import {
  type ConverterTurn,
  type ScriptedConverter,
  startScriptedConverter,
} from '../support/scripted-converter';
import { ServedVault, sha } from './served-vault';

/** What a converter may do with a document, seen from outside of a running server: by a call, and by a file that is dropped. */
const TOKEN = 'only-for-the-converter';
const JSON_TYPE = { 'content-type': 'application/json' };

/** What becomes of a file that is dropped: some causes pass by themselves. */
type Ending = 'quarantine' | 'retrying';

interface Case {
  readonly does: string;
  readonly turn: (other: ScriptedConverter) => ConverterTurn;
  readonly says: RegExp;
  readonly ending: Ending;
}

const CASES: readonly Case[] = [
  {
    does: 'wants other argument names',
    turn: () => ({
      toolError:
        '2 validation errors for convert_to_markdownArguments\nfilename\n  Field required\ncontent_base64\n  Field required',
    }),
    says: /could not read it: 2 validation errors.*filename Field required content_base64 Field required/,
    ending: 'quarantine',
  },
  {
    does: 'has no such tool',
    turn: () => ({
      status: 200,
      headers: JSON_TYPE,
      body: '{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Unknown tool"}}',
    }),
    says: /could not read it: Unknown tool/,
    ending: 'quarantine',
  },
  {
    does: 'says that the tool failed, and repeats the token',
    turn: () => ({ toolError: `File is not a zip file, Bearer ${TOKEN}` }),
    says: /not a zip file, Bearer \*\*\*/,
    ending: 'quarantine',
  },
  { does: 'finds no text', turn: () => ({ text: ' \n' }), says: /found no text.*OCR/, ending: 'quarantine' },
  {
    does: 'answers something else',
    turn: () => ({ status: 200, body: '<html>Welcome</html>' }),
    says: /something else than an MCP tool.*CONVERTER_URL/,
    ending: 'quarantine',
  },
  {
    does: 'does not know the token',
    turn: () => ({ status: 401, body: `who is ${TOKEN}?` }),
    says: /HTTP 401; see that CONVERTER_BEARER_TOKEN/,
    ending: 'quarantine',
  },
  {
    does: 'stands elsewhere',
    turn: () => ({ status: 404 }),
    says: /HTTP 404; see that CONVERTER_URL.*\/mcp/,
    ending: 'quarantine',
  },
  { does: 'is overloaded', turn: () => ({ status: 503 }), says: /HTTP 503/, ending: 'retrying' },
  { does: 'dies', turn: () => 'die', says: /cannot be reached/, ending: 'retrying' },
  {
    does: 'sends to another origin',
    turn: (other) => ({ status: 307, headers: { location: other.url } }),
    says: /sends to another address/,
    ending: 'quarantine',
  },
  {
    does: 'sends in circles',
    turn: () => ({ status: 308, headers: { location: '/mcp/' } }),
    says: /sends to another address/,
    ending: 'quarantine',
  },
];

const vault = new ServedVault();
const roots = path.join(vault.sandbox.folder, 'documents');
let converter: ScriptedConverter;
let other: ScriptedConverter;
let wasSent: ScriptedConverter['asked'] = [];

/** A file that makes the converter do this. */
const fileOf = (does: string) => `${does.replace(/\W+/g, '-')}.docx`;

beforeAll(async () => {
  [converter, other] = [await startScriptedConverter(), await startScriptedConverter()];
  converter.script(({ file, url }) => {
    const text = file?.bytes.toString('utf8');
    if (text === 'moved')
      return url === '/mcp' ? { status: 307, headers: { location: '/mcp/' } } : { text: 'Found.' };
    const found = CASES.find(({ does }) => does === text);
    return found === undefined ? { text: `# Converted\n\n${text}\n`, as: 'sse' } : found.turn(other);
  });
  mkdirSync(roots);
  await vault.start({
    CONVERTER_URL: converter.url,
    CONVERTER_BEARER_TOKEN: TOKEN,
    BRAIN_INGEST_ROOTS: roots,
  });
  for (const { does } of CASES) {
    writeFileSync(path.join(roots, fileOf(does)), does);
    vault.write(`inbox/${fileOf(does)}`, does);
  }
  // All of them are taken in one go; those that may yet succeed stay.
  const stays = CASES.filter(({ ending }) => ending === 'retrying').map(
    ({ does }) => `inbox/${fileOf(does)}`,
  );
  await vault.drained(stays);
  await vault.until(async () => Object(await vault.status()).retrying.length === stays.length);
}, 60_000);
afterAll(async () => {
  await converter.close();
  await other.close();
  await vault.remove();
});

describe.each(CASES)('a converter that $does', ({ does, says, ending }) => {
  it('is told of over HTTP, and nothing is written', async () => {
    const before = vault.image();
    const answer = await vault.ask('POST', '/ingest-path', { path: path.join(roots, fileOf(does)) });
    expect(answer).toEqual({
      status: 502,
      body: {
        error: {
          code: 'converter_error',
          message: expect.stringMatching(says),
          details: expect.objectContaining({ tool: 'convert_to_markdown', file: fileOf(does) }),
          request_id: expect.any(String),
        },
      },
    });
    expect(JSON.stringify(answer.body)).not.toContain(TOKEN);
    expect(vault.image()).toEqual(before);
  });

  it(`puts a dropped file into ${ending === 'retrying' ? 'the line of those tried again' : 'quarantine'}`, async () => {
    const file = `inbox/${fileOf(does)}`;
    if (ending === 'retrying') {
      expect(await vault.status()).toMatchObject({
        retrying: expect.arrayContaining([
          expect.objectContaining({
            path: file,
            // It is tried again after ten seconds.
            attempts: expect.any(Number),
            code: 'converter_error',
            message: expect.stringMatching(says),
          }),
        ]),
      });
      expect(vault.bytes(file).toString('utf8')).toBe(does);
      return;
    }
    const [place = ''] = vault.files('inbox/quarantine').filter((each) => each.endsWith(`/${fileOf(does)}`));
    expect(vault.bytes(place).toString('utf8')).toBe(does);
    expect(JSON.parse(vault.bytes(`${place}.error.json`).toString('utf8'))).toEqual({
      file,
      code: 'converter_error',
      message: expect.stringMatching(says),
      at: expect.any(String),
      attempts: 1,
      source_hash: sha(does),
    });
  });
});

it('reads what is there, with one request that holds all of it', async () => {
  writeFileSync(path.join(roots, 'good.docx'), 'Größe');
  const before = converter.asked.length;
  const answer = await vault.get('POST', '/ingest-path', { path: path.join(roots, 'good.docx') });
  expect(answer).toMatchObject({ converted: true, extraction: 'passthrough', counts: { written: 1 } });
  expect(converter.asked.slice(before)).toEqual([
    expect.objectContaining({
      headers: expect.objectContaining({
        authorization: `Bearer ${TOKEN}`,
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
      }),
      body: {
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: {
          name: 'convert_to_markdown',
          arguments: { uri: expect.stringMatching(/^data:application\/vnd/) },
        },
      },
      file: expect.objectContaining({ bytes: Buffer.from('Größe') }),
    }),
  ]);
});

it('follows one move on the same origin, with the token', async () => {
  writeFileSync(path.join(roots, 'moved.docx'), 'moved');
  const before = converter.asked.length;
  expect(await vault.get('POST', '/ingest-path', { path: path.join(roots, 'moved.docx') })).toMatchObject({
    counts: { written: 1 },
  });
  const asked = converter.asked.slice(before);
  expect(asked.map(({ url, headers }) => [url, headers.authorization])).toEqual([
    ['/mcp', `Bearer ${TOKEN}`],
    ['/mcp/', `Bearer ${TOKEN}`],
  ]);
});

it('never sends anything to another origin', () => {
  expect(other.asked).toEqual([]);
});

it('takes a file out of quarantine once the converter can read it', async () => {
  wasSent = [...converter.asked];
  converter.script(({ file }) => ({ text: `At last: ${file?.bytes.toString('utf8')}` }));
  const name = fileOf('finds no text');
  const [place = ''] = vault.files('inbox/quarantine').filter((each) => each.endsWith(`/${name}`));
  await vault.get('POST', '/quarantine/retry', { path: place });
  await vault.until(() => vault.files('inbox/processed').some((each) => each.endsWith(`/${name}`)));
  expect(vault.pages().map(({ body }) => body)).toContainEqual(
    expect.stringContaining('At last: finds no text'),
  );
  expect(vault.files('inbox/quarantine').filter((each) => each.includes(name))).toEqual([]);
});

it('writes the token nowhere', async () => {
  const printed = await vault.stop();
  expect(printed).toContain('inbox.failed');
  expect(printed).not.toContain(TOKEN);
  for (const file of vault.files()) expect(vault.bytes(file).includes(TOKEN)).toBe(false);
  expect(new Set(wasSent.map(({ headers }) => headers.authorization))).toEqual(new Set([`Bearer ${TOKEN}`]));
});

it('is not missed where there is none: a call is refused, a dropped file stays', async () => {
  await vault.start({ BRAIN_INGEST_ROOTS: roots });
  vault.write('inbox/later.docx', 'later');
  vault.write('inbox/now.txt', 'A text that is read without it.\n');
  await vault.until(() => !vault.standing().includes('inbox/now.txt'));
  expect(await vault.ask('POST', '/ingest-path', { path: path.join(roots, 'good.docx') })).toMatchObject({
    status: 400,
    body: { error: { code: 'unsupported_type', message: expect.stringMatching(/CONVERTER_URL/) } },
  });
  await vault.until(async () => JSON.stringify(await vault.status()).includes('no_converter'));
  expect(vault.standing()).toContain('inbox/later.docx');
  expect(vault.files('inbox/quarantine').some((file) => file.includes('later'))).toBe(false);
  expect(await vault.stop()).toMatch(
    /"event":"inbox\.left","path":"inbox\/later\.docx","reason":"no_converter"/,
  );
});
