import { call, codeOf, exchange, namesOf, OWNER, serve, stopServers } from '../http-support';

let base = '';
let port = 0;
beforeAll(async () => {
  const settings = {
    allowedHosts: ['Brain.lan', 'proxy.lan:8443'],
    allowedOrigins: ['https://brain.example'],
  };
  ({ url: base, port } = await serve({ settings, mcp: async (_req, res) => void res.json({}) }));
});
afterAll(stopServers);

/** Sends one raw request with these header lines; `PORT` stands for the server's own port. */
async function send(lines: readonly string[], target = '/health'): Promise<{ status: number; body: string }> {
  const head = [`GET ${target} HTTP/1.1`, ...lines, 'Connection: close'].join('\r\n');
  const answer = await exchange(port, `${head}\r\n\r\n`.replaceAll('PORT', String(port)));
  return { status: Number(answer.slice(9, 12)), body: answer };
}

describe('Host', () => {
  it.each<[string, string[], number]>([
    ['our address', ['Host: 127.0.0.1:PORT'], 200],
    ['our name', ['Host: localhost:PORT'], 200],
    ['our name in capitals', ['HOST: LocalHost:PORT'], 200],
    ['our IPv6 address', ['Host: [::1]:PORT'], 200],
    ['a listed name, at any port', ['Host: brain.lan'], 200],
    ['a listed name at another port', ['Host: BRAIN.lan:8080'], 200],
    ['a listed name at its listed port', ['Host: proxy.lan:8443'], 200],
    ['a listed name at a port that is not listed', ['Host: proxy.lan:8444'], 403],
    ['a listed name without its port', ['Host: proxy.lan'], 403],
    ['a foreign name', ['Host: evil.example'], 403],
    ['a foreign name at our port', ['Host: evil.example:PORT'], 403],
    ['our address at another port', ['Host: 127.0.0.1:1'], 403],
    ['our address without a port', ['Host: 127.0.0.1'], 403],
    ['our address as a prefix', ['Host: 127.0.0.1.evil.example:PORT'], 403],
    ['our name with a dot', ['Host: localhost.:PORT'], 403],
    ['our address in another spelling', ['Host: 127.1:PORT'], 403],
    ['our address with a user', ['Host: localhost:PORT@evil.example'], 403],
    ['a listed name as a suffix', ['Host: evil-brain.lan'], 403],
    ['two hosts in one', ['Host: localhost:PORT, evil.example'], 403],
    ['two hosts, ours first', ['Host: localhost:PORT', 'Host: evil.example'], 403],
    ['the same host twice', ['Host: localhost:PORT', 'Host: localhost:PORT'], 403],
    ['no host', [], 403],
    ['an empty host', ['Host:'], 403],
    ['a forwarded host', ['Host: evil.example', 'X-Forwarded-Host: localhost:PORT'], 403],
  ])('%s', async (_name, lines, status) => {
    const answer = await send(lines);
    expect(answer.status).toBe(status);
    if (status === 403) expect(answer.body).toContain('"code":"forbidden_host"');
  });

  it.each([
    'http://evil.example/health',
    'http://127.0.0.1:PORT/health',
    'http://[',
    'http://',
    'http://[::1/x',
    'ftp://x/',
  ])('a request for a proxy is refused: %s', async (target) => {
    const answer = await send(['Host: 127.0.0.1:PORT'], target);
    expect(answer.body).toMatch(/^HTTP\/1\.1 403 [^]*X-Request-Id: [^]*"code":"forbidden_host"/i);
  });

  it('is checked for every path, before the token and before the body', async () => {
    for (const path of ['/nowhere', '/.well-known/x', '/openapi.json', '/mcp', '/find?text=a']) {
      expect((await send(['Host: evil.example'], path)).status).toBe(403);
    }
    const head = `POST /echo HTTP/1.1\r\nHost: evil.example\r\nAuthorization: Bearer ${OWNER}\r\nContent-Type: text/plain\r\n`;
    expect(await exchange(port, `${head}Connection: close\r\nContent-Length: 100\r\n\r\n`)).toMatch(
      /^HTTP\/1\.1 403 /,
    );
  });
});

describe('Origin', () => {
  it.each<[string, string[], number]>([
    ['ours', ['Origin: http://127.0.0.1:PORT'], 200],
    ['ours by name', ['Origin: http://localhost:PORT'], 200],
    ['ours by IPv6 address', ['Origin: http://[::1]:PORT'], 200],
    ['a listed one', ['Origin: https://brain.example'], 200],
    ['a listed one with another scheme', ['Origin: http://brain.example'], 403],
    ['a listed one with a port', ['Origin: https://brain.example:8443'], 403],
    ['the name of a listed host', ['Origin: http://brain.lan:PORT'], 403],
    ['ours with another port', ['Origin: http://localhost:1'], 403],
    ['ours with another scheme', ['Origin: https://localhost:PORT'], 403],
    ['ours with a path', ['Origin: http://localhost:PORT/'], 403],
    ['null', ['Origin: null'], 403],
    ['empty', ['Origin:'], 403],
    ['a foreign one', ['Origin: https://evil.example'], 403],
    ['an extension', ['Origin: chrome-extension://abc'], 403],
    ['Obsidian', ['Origin: app://obsidian.md'], 403],
    ['two', ['Origin: http://localhost:PORT', 'Origin: http://localhost:PORT'], 403],
    [
      'a listed one, as its page sends it',
      ['Origin: https://brain.example', 'Sec-Fetch-Site: cross-site'],
      200,
    ],
    [
      'a foreign one that claims to be ours',
      ['Origin: https://evil.example', 'Sec-Fetch-Site: same-origin'],
      403,
    ],
    ['a typed address', ['Sec-Fetch-Site: none'], 200],
    ['our own page', ['Origin: http://localhost:PORT', 'Sec-Fetch-Site: same-origin'], 200],
    ['a page of the same site', ['Sec-Fetch-Site: same-site'], 403],
    ['a page of another site', ['Sec-Fetch-Site: cross-site'], 403],
    [
      'a page of another site that claims two things',
      ['Sec-Fetch-Site: none', 'Sec-Fetch-Site: cross-site'],
      403,
    ],
  ])('%s', async (_name, lines, status) => {
    const answer = await send(['Host: localhost:PORT', ...lines]);
    expect(answer.status).toBe(status);
    expect(answer.body).not.toMatch(/access-control/i);
    if (status === 403) expect(answer.body).toContain('"code":"forbidden_origin"');
  });

  it('of a page that asks for leave is refused without a word of CORS', async () => {
    const headers = { origin: 'https://evil.example', 'access-control-request-method': 'POST' };
    const answer = await call(base, 'OPTIONS', '/echo', { headers });
    expect([answer.status, codeOf(answer)]).toEqual([403, 'forbidden_origin']);
    expect(namesOf(answer.headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
  });

  it('is checked at the MCP door as well', async () => {
    const answer = await call(base, 'POST', '/mcp', { headers: { origin: 'https://evil.example' } });
    expect(answer.status).toBe(403);
    expect((await call(base, 'POST', '/mcp')).status).toBe(200);
  });
});
