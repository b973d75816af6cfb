import * as z from 'zod';
import { createPageToken, joinTokenStores } from '../../../src/core/access/tokens';
import { ERROR_CODES, type ErrorCode } from '../../../src/core/base/errors';
import type { StopSignal } from '../../../src/core/base/host';
import { operation } from '../../../src/core/operation/operation';
import { HTTP_STATUS } from '../../../src/doors/http/errors';
import {
  call,
  codeOf,
  errorOf,
  fakeBrain,
  namesOf,
  OWNER,
  post,
  SECRET,
  serve,
  stopServers,
  TOKENS,
} from '../http-support';
import { alone, type ChangeFeed } from '../../../src/core/ports/ports';

let base = '';
beforeAll(async () => {
  ({ url: base } = await serve());
});
afterAll(stopServers);

/** Servers that share a vault whose database answers, unless told otherwise. */
const onFeed = (feed: Partial<ChangeFeed>) => ({
  servers: {
    ...alone,
    feed: { position: 41, reach: async () => 41, silentMs: 0, unconfirmedMs: 0, ...feed },
  },
});

const ANONYMOUS = { headers: { authorization: '' } };

describe('headers', () => {
  it.each([
    ['GET', '/health', 200],
    ['GET', '/ready', 200],
    ['GET', '/find?text=a', 200],
    ['GET', '/find', 400],
    ['GET', '/nowhere', 404],
    ['PATCH', '/find', 405],
    ['GET', '/.well-known/x', 404],
    ['POST', '/fail', 500],
  ])('are complete on %s %s (%i)', async (method, path, status) => {
    const { status: got, headers } = await call(base, method, path, {
      headers: { 'x-request-id': 'mine', origin: base },
    });
    expect(got).toBe(status);
    expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    expect(headers.get('x-brain-api')).toBe('1');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    const unwanted = namesOf(headers).filter((name) =>
      /^(?:access-control-|x-powered-by|etag|set-cookie)/.test(name),
    );
    expect(unwanted).toEqual([]);
  });

  it('give each request an id of its own, which its error repeats', async () => {
    const [one, two] = await Promise.all([call(base, 'GET', '/nowhere'), call(base, 'GET', '/nowhere')]);
    expect(errorOf(one).request_id).toBe(one.headers.get('x-request-id'));
    expect(one.headers.get('x-request-id')).not.toBe(two.headers.get('x-request-id'));
  });
});

it('calls off what a client that has left had asked for, a change that has not begun as well', async () => {
  const signals = new Map<string, StopSignal | undefined>();
  let hear: (name: string) => void = () => undefined;
  const waits = (name: string, mutates: boolean) =>
    operation({
      name,
      scope: 'read',
      mutates,
      input: z.strictObject({}),
      output: z.strictObject({}),
      run: async (_brain, _input, _caller, watch) => {
        signals.set(name, watch?.signal);
        hear(name);
        await new Promise<void>((resolve) => watch?.signal?.onStop(resolve));
        return {};
      },
    });
  const routes = (['change', 'read'] as const).map((name) => ({
    method: 'POST' as const,
    path: `/${name}`,
    operation: waits(name, name === 'change'),
    tag: 'notes' as const,
    summary: name,
  }));
  const { url } = await serve({ routes });
  for (const { path } of routes) {
    const client = new AbortController();
    hear = () => client.abort();
    const headers = { authorization: `Bearer ${OWNER}`, 'content-type': 'application/json' };
    const asked = fetch(url + path, { method: 'POST', headers, body: '{}', signal: client.signal });
    await expect(asked).rejects.toThrow();
  }
  await new Promise<void>((resolve) => signals.get('read')?.onStop(resolve));
  await new Promise<void>((resolve) => signals.get('change')?.onStop(resolve));
});

describe('open to all', () => {
  it('tells that it is up, and which version', async () => {
    const { status, body } = await call(base, 'GET', '/health', ANONYMOUS);
    expect([status, body]).toEqual([200, { status: 'ok', version: '1.2.3' }]);
  });

  it('tells when it cannot go on without a restart', async () => {
    const { url } = await serve({ isLost: () => true });
    const { status, body } = await call(url, 'GET', '/health', ANONYMOUS);
    expect([status, body]).toMatchObject([503, { status: 'failed' }]);
  });

  it('tells a balancer that it takes calls, and nothing else', async () => {
    const { status, body } = await call(base, 'GET', '/ready', ANONYMOUS);
    expect([status, body]).toEqual([200, { ready: true }]);
  });

  it.each([
    ['the vault is read', { unready: () => 'The vault is still being read.' }, false, /still being read/],
    ['it cannot be read', { unready: () => 'Disk away: EIO.' }, false, /^Disk away: EIO. Try again/],
    ['it stops', {}, true, /is stopping/],
    ['its database is silent', onFeed({ silentMs: 7_400 }), false, /not answered for 7 s/],
    ['no change is kept', onFeed({ unconfirmedMs: 9_000 }), false, /acknowledged no change for 9 s/],
  ])('tells a balancer to wait while %s', async (_name, state, stops, message) => {
    const { brain } = fakeBrain();
    const { url } = await serve({ brain: { ...brain, ...state }, isStopping: () => stops });
    const { status, headers, body } = await call(url, 'GET', '/ready', ANONYMOUS);
    expect([status, headers.get('retry-after')]).toEqual([503, '5']);
    expect(body).toEqual({
      ready: false,
      error: {
        code: 'servers' in state ? 'busy' : 'starting',
        message: expect.stringMatching(message),
        details: { retry_after: 5 },
        request_id: headers.get('x-request-id'),
      },
    });
    expect((await call(url, 'HEAD', '/ready', ANONYMOUS)).status).toBe(503);
    // Other calls are answered, on connections that end with them.
    const other = await call(url, 'GET', '/find?text=a');
    expect([other.status, other.headers.get('connection')]).toEqual([200, stops ? 'close' : 'keep-alive']);
  });

  it('tells a balancer that it takes calls while its database answers', async () => {
    const { url } = await serve({ brain: { ...fakeBrain().brain, ...onFeed({ silentMs: 4_900 }) } });
    expect((await call(url, 'GET', '/ready', ANONYMOUS)).status).toBe(200);
  });

  it('tells that it is still starting, without waiting for the end of it', async () => {
    const { brain } = fakeBrain({}, () => new Promise(() => undefined));
    const { url } = await serve({ brain });
    expect((await call(url, 'GET', '/health', ANONYMOUS)).body).toEqual({
      status: 'starting',
      version: '1.2.3',
    });
  });

  it('describes the API', async () => {
    const { status, body } = await call(base, 'GET', '/openapi.json', ANONYMOUS);
    expect([status, body.openapi]).toEqual([200, '3.1.0']);
  });

  it.each([
    '/.well-known',
    '/.well-known/oauth-authorization-server',
    '/.well-known/oauth-protected-resource/mcp',
  ])('shows no sign of OAuth at %s', async (path) => {
    const { status, headers, body } = await call(base, 'GET', path, ANONYMOUS);
    expect([status, body, headers.get('www-authenticate')]).toEqual([404, { error: 'not_found' }, null]);
  });
});

describe('a vault that several servers share', () => {
  /** Serves one whose feed gets as far as `reached`; `asked` are the positions that it was asked for. */
  const shared = async (reached: number) => {
    const asked: number[] = [];
    const reach = async (position: number): Promise<number> => {
      asked.push(position);
      return reached;
    };
    const { url } = await serve({ brain: { ...fakeBrain().brain, ...onFeed({ reach }) } });
    const get = (path: string, headers: Record<string, string> = {}) => call(url, 'GET', path, { headers });
    return { url, asked, get };
  };

  it('tells its position with every answer to a token, a refusal included', async () => {
    const { get } = await shared(0);
    for (const path of ['/find?text=a', '/find', '/nowhere'])
      expect((await get(path)).headers.get('x-brain-seq')).toBe('41');
    expect((await get('/find?text=a', { authorization: '' })).headers.has('x-brain-seq')).toBe(false);
  });

  it('reads up to the position that a caller has seen, and says when that took too long', async () => {
    const { get, asked } = await shared(100);
    const there = await get('/find?text=a', { 'x-brain-after': '100' });
    expect([there.status, there.headers.has('x-brain-behind')]).toEqual([200, false]);
    const behind = await get('/find?text=a', { 'x-brain-after': '101' });
    expect([behind.status, behind.headers.get('x-brain-behind')]).toEqual([200, '100']);
    expect(asked).toEqual([100, 101]);
  });

  it.each(['', '-1', '1.5', 'abc', '1, 2', '1000000000000000'])(
    'refuses "%s" as a position',
    async (given) => {
      const { get, asked } = await shared(100);
      const refused = await get('/find?text=a', { 'x-brain-after': given });
      expect([refused.status, codeOf(refused)]).toEqual([400, 'invalid_field']);
      expect(errorOf(refused)).toMatchObject({ details: { field: 'X-Brain-After' } });
      expect(asked).toEqual([]);
    },
  );

  it('asks no position of a stranger, and none of a vault of its own', async () => {
    const { get, asked } = await shared(100);
    const stranger = await get('/find?text=a', { authorization: '', 'x-brain-after': 'abc' });
    expect([stranger.status, asked]).toEqual([401, []]);
    const alone = await call(base, 'GET', '/find?text=a', { headers: { 'x-brain-after': '100' } });
    expect([alone.status, alone.headers.has('x-brain-seq')]).toEqual([200, false]);
  });
});

describe('paths and methods', () => {
  it.each([
    ['GET', '/nowhere', 404, null],
    ['GET', '/Find', 404, null],
    ['GET', '/find/x', 404, null],
    ['GET', '/find//', 404, null],
    ['GET', '//find', 404, null],
    ['GET', '/fin%64', 404, null],
    ['GET', '/%', 404, null],
    ['GET', '/', 404, null],
    ['GET', '/mcps', 404, null],
    ['OPTIONS', '/nowhere', 404, null],
    ['GET', '/find/?text=a', 200, null],
    ['GET', '/health/', 200, null],
    ['HEAD', '/health', 200, null],
    ['GET', '/ready/', 200, null],
    ['HEAD', '/ready', 200, null],
    ['HEAD', '/find?text=a', 200, null],
    ['HEAD', '/find', 400, null],
    ['DELETE', '/job?id=1', 200, null],
    ['POST', '/find', 405, 'GET, HEAD'],
    ['OPTIONS', '/find', 405, 'GET, HEAD'],
    ['POST', '/health', 405, 'GET, HEAD'],
    ['POST', '/ready', 405, 'GET, HEAD'],
    ['PUT', '/openapi.json', 405, 'GET, HEAD'],
    ['GET', '/echo', 405, 'POST'],
    ['HEAD', '/echo', 405, 'POST'],
    ['OPTIONS', '/echo/', 405, 'POST'],
    ['PROPFIND', '/job', 405, 'GET, HEAD, DELETE'],
  ])('%s %s is %i', async (method, path, status, allow) => {
    const answer = await call(base, method, path);
    expect([answer.status, answer.headers.get('allow')]).toEqual([status, allow]);
    if (method !== 'HEAD' && status === 404) expect(codeOf(answer)).toBe('not_found');
    if (method !== 'HEAD' && status === 405) expect(codeOf(answer)).toBe('method_not_allowed');
  });

  it.each([
    ['GET', '/nowhere'],
    ['DELETE', '/find'],
    ['OPTIONS', '/echo'],
    ['POST', '/health'],
    ['POST', '/mcp'],
  ])('%s %s tells a stranger nothing but that a token is needed', async (method, path) => {
    expect((await call(base, method, path, ANONYMOUS)).status).toBe(401);
  });

  it('tells the two methods of one path apart', async () => {
    expect((await call(base, 'GET', '/job?id=1')).body).toEqual({ id: '1', name: 'job' });
    expect((await call(base, 'DELETE', '/job?id=1')).body).toEqual({ id: '1', name: 'cancel_job' });
  });
});

describe('query strings', () => {
  it.each<[string, object]>([
    ['text=a', { text: 'a', limit: 10 }],
    ['text=7&limit=7&share=0.5', { text: '7', limit: 7, share: 0.5 }],
    ['text=a%20b%C3%A9+c&deep=true', { text: 'a bé c', limit: 10, deep: true }],
    ['text=true&deep=false&kind=b', { text: 'true', limit: 10, deep: false, kind: 'b' }],
    ['text=a=b', { text: 'a=b', limit: 10 }],
  ])('%s is understood', async (query, input) => {
    const { status, body } = await call(base, 'GET', `/find?${query}`);
    expect([status, body]).toEqual([200, { input }]);
  });

  it.each([
    ['', 'missing_field'],
    ['text=a&limit=0', 'invalid_field'],
    ['text=a&limit=', 'invalid_field'],
    ['text=a&limit=1e1', 'invalid_field'],
    ['text=a&limit=0x10', 'invalid_field'],
    ['text=a&limit=1.5', 'invalid_field'],
    ['text=a&limit=99999999999999999999', 'invalid_field'],
    ['text=a&deep=yes', 'invalid_field'],
    ['text=a&text=b', 'invalid_field'],
    ['text=a&limit=1&limit=2', 'invalid_field'],
    ['text=a&kind=c', 'invalid_field'],
    ['text=a&domain=x', 'unknown_field'],
    ['text[]=a', 'unknown_field'],
    ['text=a&__proto__=x', 'unknown_field'],
    ['text=a&toString=x', 'unknown_field'],
  ])('%s is %s', async (query, code) => {
    const answer = await call(base, 'GET', `/find?${query}`);
    expect([answer.status, codeOf(answer)]).toEqual([400, code]);
  });
});

describe('a query string where the body is the input', () => {
  it.each(['dry_run=true', 'domain=x', 'text', '__proto__=x', 'a[b]=c'])('%s is refused', async (query) => {
    const answer = await post(base, `/echo?${query}`, {});
    expect([answer.status, codeOf(answer)]).toEqual([400, 'unknown_field']);
  });

  it('may be empty', async () => {
    expect((await post(base, '/echo?', {})).status).toBe(200);
  });
});

describe('errors', () => {
  it.each(ERROR_CODES)('%s has its status and the one shape of body', async (code: ErrorCode) => {
    const answer = await post(base, '/fail', { code, details: { hash: 'x' } });
    expect(answer.status).toBe(HTTP_STATUS[code]);
    expect(answer.body).toEqual({
      error: {
        code,
        message: `refused with ${code}`,
        details: { hash: 'x' },
        request_id: answer.headers.get('x-request-id'),
      },
    });
  });

  it('leave details out when there are none', async () => {
    expect(Object.keys(errorOf(await post(base, '/fail', { code: 'locked' })))).toEqual([
      'code',
      'message',
      'request_id',
    ]);
  });

  it.each<[ErrorCode]>([['rate_limited'], ['starting'], ['busy']])(
    '%s says when to come back',
    async (code) => {
      const answer = await post(base, '/fail', { code, details: { retry_after: 7 } });
      expect(answer.headers.get('retry-after')).toBe('7');
    },
  );

  it('hide what went wrong inside, and log where but not what', async () => {
    const { url, lines } = await serve();
    const answer = await post(url, '/fail', {});
    expect([answer.status, codeOf(answer)]).toEqual([500, 'internal']);
    expect(JSON.stringify(answer.body)).not.toContain(SECRET);
    expect(lines).toEqual([
      {
        level: 'error',
        event: 'http.internal',
        fields: {
          request_id: answer.headers.get('x-request-id'),
          error: 'TypeError',
          code: 'ENOENT',
          at: expect.stringContaining('http-support.ts'),
        },
      },
    ]);
    expect(JSON.stringify(lines)).not.toContain(SECRET);
  });

  it('of a caller are not logged', async () => {
    const { url, lines } = await serve();
    await post(url, '/fail', { code: 'locked' });
    expect(lines).toEqual([]);
  });

  it('of an operation that is counted come with the wait in seconds', async () => {
    const { url } = await serve({ settings: { rateLimit: 2 } });
    expect((await post(url, '/echo', { dry_run: true })).status).toBe(200);
    expect((await post(url, '/echo', {})).status).toBe(200);
    const second = await post(url, '/echo', {});
    expect([second.status, second.headers.get('retry-after')]).toEqual([429, '60']);
  });
});

describe('who is calling', () => {
  it('is the token, with what the client claims to be', async () => {
    const { body } = await post(base, '/echo', {}, { 'x-brain-client': 'brain-cli/1.0 <b>\t' });
    expect(body.caller).toMatchObject({
      origin: 'http',
      name: 'laptop',
      human: false,
      client: 'brain-cli/1.0 b',
    });
  });

  it('has no client when none is claimed', async () => {
    const { body } = await post(base, '/echo', {});
    expect(body.caller).not.toHaveProperty('client');
  });

  it('needs the scope of the route', async () => {
    const answer = await post(base, '/echo', {}, { authorization: 'Bearer read-token' });
    expect([answer.status, codeOf(answer)]).toEqual([403, 'forbidden_scope']);
  });

  it('is a person with the page token, and others stay themselves', async () => {
    const page = createPageToken();
    const { url } = await serve({
      tokens: joinTokenStores(TOKENS, page.store),
      settings: { humanName: 'Ada' },
    });
    const person = await post(url, '/echo', {}, { authorization: `Bearer ${page.token}` });
    expect(person.body.caller).toMatchObject({ origin: 'web', name: 'Ada', human: true });
    const program = await post(url, '/echo', {}, { authorization: `Bearer ${OWNER}` });
    expect(program.body.caller).toMatchObject({ origin: 'http', name: 'laptop', human: false });
  });

  it('is "local" when authentication is off, whatever token is sent', async () => {
    const { url } = await serve({ settings: { auth: false } });
    for (const authorization of ['', 'Bearer wrong']) {
      const { body } = await post(url, '/echo', {}, { authorization });
      expect(body.caller).toMatchObject({
        origin: 'http',
        name: 'local',
        human: false,
        scopes: expect.arrayContaining(['admin']),
      });
    }
  });
});
