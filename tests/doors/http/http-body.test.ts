import * as fc from 'fast-check';
import { once } from 'node:events';
import { connect } from 'node:net';
import { BrainError } from '../../../src/core/base/errors';
import { MIB } from '../../../src/core/base/hash';
import { parseJson } from '../../../src/doors/http/body';
import { refusal } from '../../support/refusal';
import { call, codeOf, exchange, OWNER, post, serve, stopServers } from '../http-support';
import { cpuMs } from '../../support/cpu';

let base = '';
let port = 0;
beforeAll(async () => {
  ({ url: base, port } = await serve());
});
afterAll(stopServers);

const bytes = (text: string): Uint8Array<ArrayBuffer> => new Uint8Array(Buffer.from(text));
const nested = (depth: number): string => `${'['.repeat(depth)}${']'.repeat(depth)}`;

describe('media types', () => {
  it.each([
    ['application/json', 200],
    ['application/json; charset=utf-8', 200],
    ['Application/JSON;Charset="UTF-8"', 200],
    ['application/json; profile=x', 200],
    ['application/json; charset=latin1', 415],
    ['application/json; charset=utf-16le', 415],
    ['application/json; charset=utf-8; charset=latin1', 415],
    ['application/jsonp', 415],
    ['application/vnd.api+json', 415],
    ['text/plain', 415],
    ['text/plain; application/json', 415],
    ['application/x-www-form-urlencoded', 415],
    ['multipart/form-data; boundary=x', 415],
    ['', 415],
  ])('%s is %i', async (type, status) => {
    const answer = await call(base, 'POST', '/echo', {
      headers: { 'content-type': type },
      body: bytes('{}'),
    });
    expect(answer.status).toBe(status);
    if (status === 415) expect(codeOf(answer)).toBe('unsupported_media_type');
  });

  it.each([
    ['gzip', 415],
    ['br', 415],
    ['identity', 200],
  ])('content encoding %s is %i', async (encoding, status) => {
    const headers = { 'content-type': 'application/json', 'content-encoding': encoding };
    expect((await call(base, 'POST', '/echo', { headers, body: '{}' })).status).toBe(status);
  });

  it('are checked before the body arrives', async () => {
    const head = `POST /echo HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${OWNER}\r\nConnection: close\r\n`;
    const answer = await exchange(port, `${head}Content-Type: text/plain\r\nContent-Length: 1000\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 415 /);
  });
});

describe('no body', () => {
  const head = (more: string): string =>
    `POST /echo HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${OWNER}\r\nConnection: close\r\n${more}\r\n`;

  it.each([
    ['no length', '', 200],
    ['length 0', 'Content-Length: 0\r\n', 200],
    ['length 0 of another type', 'Content-Length: 0\r\nContent-Type: text/plain\r\n', 200],
    ['no chunks', 'Transfer-Encoding: chunked\r\nContent-Type: application/json\r\n\r\n0\r\n', 200],
    ['no chunks and no type', 'Transfer-Encoding: chunked\r\n\r\n0\r\n', 415],
  ])('(%s) counts as an empty object', async (_name, more, status) => {
    const answer = await exchange(port, head(more));
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    if (status === 200) expect(answer).toContain('"input":{}');
  });
});

describe('size', () => {
  const head = (path: string, length: number): string =>
    `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${OWNER}\r\n` +
    `Connection: close\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`;

  it('is refused by its length alone, before the body arrives', async () => {
    expect(await exchange(port, head('/echo', 8 * MIB + 1))).toMatch(
      /^HTTP\/1\.1 413 [^]*"code":"too_large"/,
    );
    expect(await exchange(port, head('/large', 9 * MIB + 1))).toMatch(
      /^HTTP\/1\.1 413 [^]*"limit_bytes":9437184/,
    );
  });

  it('of chunks is counted while they arrive', async () => {
    // The body has no end: the answer must come without it, and the time limit for requests must end the connection.
    const limits = { headersTimeout: 3_000, requestTimeout: 3_000, connectionsCheckingInterval: 20 };
    const { port: short } = await serve({ limits });
    const socket = connect(short, '127.0.0.1');
    let answer = '';
    socket.setEncoding('utf8').on('data', (text: string) => (answer += text));
    socket.on('error', () => undefined); // the connection is cut while we write
    socket.write(
      `POST /echo HTTP/1.1\r\nHost: 127.0.0.1:${short}\r\nAuthorization: Bearer ${OWNER}\r\n` +
        'Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n',
    );
    const chunk = `${MIB.toString(16)}\r\n${' '.repeat(MIB)}\r\n`;
    const send = (): void => void socket.write(chunk, () => !socket.destroyed && setImmediate(send));
    send();
    await once(socket, 'close');
    expect(answer).toMatch(/^HTTP\/1\.1 413 [^]*"code":"too_large"/);
  });

  it('may be exactly the limit, and a route may allow more', async () => {
    const text = (size: number): string => `{"text":"${'a'.repeat(size - '{"text":""}'.length)}"}`;
    const send = async (path: string, size: number): Promise<number> => {
      const headers = { 'content-type': 'application/json' };
      return (await call(base, 'POST', path, { headers, body: text(size) })).status;
    };
    expect(await send('/echo', 8 * MIB)).toBe(200);
    expect(await send('/large', 8 * MIB + 1)).toBe(200);
  });
});

describe('JSON', () => {
  it.each<[string, Uint8Array<ArrayBuffer>, string]>([
    ['text', bytes('hello'), 'invalid_json'],
    ['a trailing comma', bytes('{"text":"a",}'), 'invalid_json'],
    ['single quotes', bytes("{'text':'a'}"), 'invalid_json'],
    ['a torn object', bytes('{"text":"a"'), 'invalid_json'],
    ['a torn string', bytes('{"text":"a'), 'invalid_json'],
    ['two values', bytes('{}{}'), 'invalid_json'],
    ['NaN', bytes('{"text":NaN}'), 'invalid_json'],
    ['white space only', bytes('  '), 'invalid_json'],
    ['latin-1', new Uint8Array([0x22, 0xe9, 0x22]), 'invalid_json'],
    ['an overlong slash', new Uint8Array([0x22, 0xc0, 0xaf, 0x22]), 'invalid_json'],
    ['UTF-16', new Uint8Array([0x7b, 0, 0x7d, 0]), 'invalid_json'],
    ['half a surrogate pair', bytes('{"text":"\\ud83d"}'), 'invalid_json'],
    ['a key with half a surrogate pair', bytes('{"\\udc00":1}'), 'invalid_json'],
    ['the key __proto__', bytes('{"__proto__":{"dry_run":true}}'), 'invalid_json'],
    ['the key __proto__ in disguise', bytes('{"list":[{"__pro\\u0074o__":1}]}'), 'invalid_json'],
    ['the key constructor', bytes('{"list":[{"constructor":{"prototype":{}}}]}'), 'ok'],
    ['the key prototype', bytes('{"list":[[{"prototype":{}}]]}'), 'ok'],
    ['the field constructor', bytes('{"constructor":{"prototype":{"dry_run":true}}}'), 'unknown_field'],
    ['the field prototype', bytes('{"prototype":{}}'), 'unknown_field'],
    ['65 levels', bytes(`{"list":${nested(64)}}`), 'invalid_json'],
    ['a million levels', bytes('['.repeat(1_000_000)), 'invalid_json'],
    ['an array', bytes('[]'), 'invalid_field'],
    ['a string', bytes('"text"'), 'invalid_field'],
    ['null', bytes('null'), 'invalid_field'],
    ['a number', bytes('1'), 'invalid_field'],
    ['an unknown field', bytes('{"texts":"a"}'), 'unknown_field'],
    ['64 levels', bytes(`{"list":${nested(63)}}`), 'ok'],
    ['brackets in strings', bytes(`{"text":"${'[{'.repeat(100)}\\"[\\\\"}`), 'ok'],
    ['a byte order mark', bytes('\ufeff{"text":"a"}'), 'ok'],
    ['a whole surrogate pair', bytes('{"text":"\\ud83d\\ude00"}'), 'ok'],
    ['dangerous words as values', bytes('{"text":"__proto__","list":["constructor"]}'), 'ok'],
  ])('%s', async (_name, body, code) => {
    const answer = await call(base, 'POST', '/echo', {
      headers: { 'content-type': 'application/json' },
      body,
    });
    expect([answer.status, codeOf(answer)]).toEqual([code === 'ok' ? 200 : 400, code]);
  });

  it('never quotes the body in its refusal', async () => {
    const answer = await call(base, 'POST', '/echo', {
      headers: { 'content-type': 'application/json' },
      body: '{"text": private',
    });
    expect(JSON.stringify(answer.body)).not.toContain('private');
  });

  it('takes the last of two equal keys, as the parser does', async () => {
    const headers = { 'content-type': 'application/json' };
    const { body } = await call(base, 'POST', '/echo', { headers, body: '{"text":"a","text":"b"}' });
    expect(body.input).toEqual({ text: 'b' });
  });

  it('treats null at the top level as not given', async () => {
    expect((await post(base, '/echo', { text: null })).body.input).toEqual({});
  });
});

describe('parseJson', () => {
  /** Depth of a value by plain recursion: the oracle for the scan of the text. */
  const depthOf = (value: unknown): number =>
    typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0;
  const isDangerous = (value: unknown): boolean =>
    typeof value === 'object' &&
    value !== null &&
    Object.entries(value).some(([key, inner]) => key === '__proto__' || isDangerous(inner));

  it('reads what JSON.parse reads', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 8, stringUnit: 'binary' }), (text) => {
        const value: unknown = JSON.parse(text);
        fc.pre(!isDangerous(value));
        expect(parseJson(bytes(text))).toEqual(value);
      }),
      { numRuns: 1000 },
    );
  });

  it('counts levels as they are, whatever stands in strings', () => {
    const string = fc.string({ unit: fc.constantFrom('[', ']', '{', '}', '"', '\\', 'a') });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 70 }), string, string, (depth, key, leaf) => {
        let value: unknown = leaf;
        for (let i = 0; i < depth; i++) value = i % 2 === 0 ? [leaf, value] : { [key]: value };
        const text = bytes(JSON.stringify(value));
        expect(depthOf(value)).toBe(depth);
        if (depth <= 64) expect(parseJson(text)).toEqual(value);
        else expect(refusal(() => parseJson(text)).code).toBe('invalid_json');
      }),
      { numRuns: 1000 },
    );
  });

  it('refuses any bytes with nothing worse than invalid_json', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (data) => {
        try {
          parseJson(data);
        } catch (error) {
          expect(error instanceof BrainError && error.code).toBe('invalid_json');
        }
      }),
      { numRuns: 1000 },
    );
  });

  it.each([
    ['quotes', '\\"'],
    ['backslashes', '\\\\'],
    ['brackets', '{['],
  ])('takes linear time for a string of 4 MiB of %s', (_name, unit) => {
    const text = `"${unit.repeat((4 * MIB) / unit.length)}"`;
    const start = cpuMs();
    parseJson(bytes(text));
    expect(cpuMs() - start).toBeLessThan(2_000);
  });
});
