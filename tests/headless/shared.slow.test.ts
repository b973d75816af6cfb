import { randomBytes } from 'node:crypto';
import { scriptedEmbedder } from '../support/scripted-embedder';
import { freePort } from '../support/free-port';
import { describeWithPostgres } from '../support/postgres-server';
import { socketDatabase } from '../support/vector-databases';
import { Sandbox, ServerProcess, type Variables } from './brain-process';

const TOKEN = 'a-token-for-these-tests-alone-0123456789';

interface Answer {
  readonly status: number;
  /** The position of the answer. */
  readonly seq: string | null;
  readonly body: {
    readonly seq?: number;
    readonly job?: string;
    readonly status?: string;
    readonly path?: string;
    readonly content_hash?: string;
    readonly body?: string;
    readonly mode?: string;
    readonly added?: number;
    readonly results?: readonly { readonly path: string }[];
    readonly error?: { readonly code: string; readonly message: string };
  };
}

describeWithPostgres('several servers on one database', (postgres) => {
  let sandbox: Sandbox;
  let database: string;
  beforeEach(() => {
    sandbox = new Sandbox();
    database = `v${randomBytes(6).toString('hex')}`;
    postgres().sql('postgres', `CREATE DATABASE ${database}`);
  });
  afterEach(() => sandbox.remove());

  const start = (drain = '0', env: Variables = {}): Promise<ServerProcess> =>
    ServerProcess.listening(
      sandbox.start(['serve', '--port', '0', '--drain-seconds', drain], {
        BRAIN_STORE: postgres().dsn(database),
        BRAIN_TOKEN: TOKEN,
        BRAIN_RATE_LIMIT: '0',
        ...env,
      }),
    );
  const ask = async (
    { url }: ServerProcess,
    route: string,
    body?: object,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answer> => {
    const answer = await fetch(url + route, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json', ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    // What the server answers is looked at field by field.
    return {
      status: answer.status,
      seq: answer.headers.get('x-brain-seq'),
      body: (await answer.json()) as Answer['body'],
    };
  };
  /** Asks until the answer is as wished; Jest ends a test that waits in vain. */
  const until = async (asked: () => Promise<Answer>, wished: (answer: Answer) => boolean): Promise<void> => {
    while (!wished(await asked())) await new Promise((resolve) => setTimeout(resolve, 20));
  };
  const write = (server: ServerProcess, slug: string, content = `# ${slug}\n\nText of ${slug}.\n`) =>
    ask(server, '/write', { wing: 'net', hall: 'facts', slug, content, overwrite: false });

  it('makes the vectors at one server, and searches by them at all', async () => {
    const [embedder, vectors] = await Promise.all([scriptedEmbedder(), socketDatabase()]);
    try {
      const env = { BRAIN_PG_DSN: vectors.dsn, BRAIN_EMBED_URL: embedder.url };
      const [one, two] = [await start('0', env), await start('0', env)];
      await write(one, 'wheels', '# Wheels\n\nAn automobile.\n');
      const made = [await ask(one, '/backfill-embeddings', {}), await ask(two, '/backfill-embeddings', {})];
      const other = { added: 0, errors: [{ error: expect.stringContaining('another server') }] };
      expect(made.map(({ body }) => body)).toEqual(
        expect.arrayContaining([
          expect.objectContaining({ added: 1, errors: [] }),
          expect.objectContaining(other),
        ]),
      );
      for (const server of [one, two]) {
        await until(
          () => ask(server, '/query', { query: 'physician car' }),
          ({ body }) => body.mode === 'hybrid' && body.results?.length === 1,
        );
        await server.stop();
      }
    } finally {
      await Promise.all([embedder.stop(), vectors.close()]);
    }
  }, 60_000);

  it('refuses vectors that only one server would have', async () => {
    const env = {
      BRAIN_STORE: postgres().dsn(database),
      BRAIN_PG_DSN: 'local:',
      BRAIN_EMBED_URL: 'http://127.0.0.1:1',
    };
    expect(await sandbox.run(['serve', '--port', '0'], { env })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('BRAIN_PG_DSN names vectors on this machine'),
    });
  }, 30_000);

  it('shows what one wrote at the others, after a restart too', async () => {
    const [one, two] = [await start(), await start()];
    const written = await write(one, 'mtu', '# MTU\n\nA wireguard tunnel has 1420 bytes.\n');
    expect(written).toMatchObject({ status: 200 });
    await until(
      () => ask(two, '/query', { query: 'wireguard' }),
      ({ body }) => body.results?.length === 1,
    );
    await one.stop();
    await two.stop();
    const three = await start();
    await until(
      () => ask(three, '/query', { query: 'wireguard' }),
      ({ body }) => body.results?.[0]?.path === written.body.path,
    );
    await three.stop();
  }, 60_000);

  it('shows at one what a client has just written at another, when told the position', async () => {
    const [one, two] = [await start(), await start()];
    for (let at = 0; at < 10; at += 1) {
      const [writer, reader] = at % 2 === 0 ? [one, two] : [two, one];
      const { seq } = await write(writer, `seen-${at}`, `# Seen\n\nThe word is seenat${at}.\n`);
      const found = await ask(reader, '/query', { query: `seenat${at}` }, { 'x-brain-after': seq ?? '' });
      expect(found.body.results).toHaveLength(1);
      const { body } = await ask(reader, '/revision');
      expect(body.seq).toBeGreaterThanOrEqual(Number(seq));
    }
    const call = { name: 'brain_query', arguments: { query: 'seenatmcp' } };
    const { seq } = await write(one, 'by-mcp', '# Mcp\n\nThe word is seenatmcp.\n');
    const answer = await ask(
      two,
      '/mcp',
      { jsonrpc: '2.0', id: 1, method: 'tools/call', params: call },
      { 'x-brain-after': seq ?? '', accept: 'application/json' },
    );
    expect(JSON.stringify(answer.body)).toContain('wiki/net/facts/by-mcp.md');
    expect(Number(answer.seq)).toBeGreaterThanOrEqual(Number(seq));
    await one.stop();
    await two.stop();
  }, 60_000);

  it('takes tokens and sessions of all servers at each, until they are taken away', async () => {
    const servers = [await start(), await start()];
    const [one, two] = servers;
    if (one === undefined || two === undefined) throw new Error('There are no two servers.');
    const BRAIN_STORE = postgres().dsn(database);
    const added = await sandbox.run(['token', 'add', 'ada', '--scopes', 'read'], { env: { BRAIN_STORE } });
    expect(added).toMatchObject({ code: 0 });
    const asAda = { authorization: `Bearer ${added.stdout.trim()}` };
    for (const server of servers) {
      await until(
        () => ask(server, '/revision', undefined, asAda),
        ({ status }) => status === 200,
      );
      expect(await ask(server, '/write', { content: 'x' }, asAda)).toMatchObject({ status: 403 });
    }
    const initialized = await fetch(`${one.url}/mcp`, {
      method: 'POST',
      headers: {
        ...asAda,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify({
        ...{ jsonrpc: '2.0', id: 1, method: 'initialize' },
        params: {
          protocolVersion: '2025-06-18',
          capabilities: {},
          clientInfo: { name: 'a-client', version: '9' },
        },
      }),
    });
    const session = initialized.headers.get('mcp-session-id') ?? '';
    expect(session).not.toBe('');
    const call = { name: 'brain_query', arguments: { query: 'router' } };
    // The server that did not issue the id knows the client by it.
    const called = await ask(
      two,
      '/mcp',
      { jsonrpc: '2.0', id: 2, method: 'tools/call', params: call },
      { ...asAda, 'mcp-session-id': session, accept: 'application/json' },
    );
    expect(called.status).toBe(200);
    await until(
      () => ask(two, '/audit'),
      ({ body }) => JSON.stringify(body).includes('a-client'),
    );
    const listed = await sandbox.run(['token', 'list', '--json'], { env: { BRAIN_STORE } });
    expect(JSON.parse(listed.stdout)).toMatchObject({ tokens: [{ name: 'ada', scopes: ['read'] }] });
    expect((await sandbox.run(['token', 'list', '--json'])).stdout).not.toContain('ada');
    expect(await sandbox.run(['token', 'revoke', 'ada'], { env: { BRAIN_STORE } })).toMatchObject({
      code: 0,
    });
    for (const server of servers) {
      await until(
        () => ask(server, '/revision', undefined, asAda),
        ({ status }) => status === 401,
      );
    }
    for (const server of servers) await server.stop();
  }, 60_000);

  it('tells at one of a job that another has taken', async () => {
    const [one, two] = [await start(), await start()];
    const text = Array.from({ length: 30 }, (_, at) => `# Part ${at}\n\nA router has port ${at}.\n`).join(
      '\n',
    );
    const { status, body } = await ask(one, '/ingest', { text, title: 'Ports', background: true });
    expect([status, body.status]).toEqual([200, 'running']);
    await until(
      () => ask(two, `/job?id=${body.job ?? ''}`),
      (answer) => answer.status === 200 && answer.body.status === undefined,
    );
    const [mine, other] = await Promise.all(
      [one, two].map((server) => ask(server, `/job?id=${body.job ?? ''}`)),
    );
    expect(other?.body).toEqual(mine?.body);
    await one.stop();
    await two.stop();
  }, 60_000);

  it('has one of the servers make the maps, of what all of them write', async () => {
    const servers = [await start(), await start()];
    for (const [at, server] of servers.entries()) await write(server, `note-${at}`);
    const map = (): string =>
      postgres().sql(
        database,
        "SELECT convert_from(body, 'UTF8') FROM brain.files WHERE path = 'wiki/net/_index.md'",
      );
    while (!(map().includes('note-0') && map().includes('note-1')))
      await new Promise((resolve) => setTimeout(resolve, 100));
    const holders = postgres().sql(database, "SELECT count(*) FROM brain.leases WHERE name = 'duty maps'");
    expect(holders).toBe('1');
    for (const server of servers) await server.stop();
  }, 60_000);

  it('lets one of two have an address, and loses no update of a note', async () => {
    const servers = [await start(), await start()];
    const won = await Promise.all(
      servers.map((server, at) => write(server, 'same', `# Same\n\nOf ${at}.\n`)),
    );
    expect(won.map(({ status }) => status).sort()).toEqual([200, 409]);
    const path = won.find(({ status }) => status === 200)?.body.path ?? '';
    const appended: string[] = [];
    const append = async (server: ServerProcess, line: string): Promise<void> => {
      for (;;) {
        const note = await ask(server, `/note?path=${encodeURIComponent(path)}`);
        const done = await ask(server, '/update', {
          path,
          content: `${note.body.body ?? ''}\n\n${line}`,
          reason: 'one line more',
          expected_hash: note.body.content_hash,
        });
        if (done.status === 200) {
          appended.push(line);
          return;
        }
        expect([409, 503]).toContain(done.status);
      }
    };
    await Promise.all(
      servers.flatMap((server, at) => [0, 1, 2, 3].map((turn) => append(server, `line ${at} ${turn}`))),
    );
    const [first] = servers;
    if (first === undefined) throw new Error('There is no server.');
    const { body } = await ask(first, `/note?path=${encodeURIComponent(path)}`);
    for (const line of appended) expect(body.body).toContain(line);
    for (const server of servers) await server.stop();
  }, 60_000);

  it('waits for a database that is away at its start, says so, and goes on by itself', async () => {
    postgres().stop();
    const port = String(await freePort());
    const url = `http://127.0.0.1:${port}`;
    const child = sandbox.start(['serve', '--port', port], {
      BRAIN_STORE: postgres().dsn(database),
      BRAIN_TOKEN: TOKEN,
    });
    const answer = async (route: string): Promise<string> => {
      const got = await fetch(url + route).catch(() => null);
      return got === null ? '' : `${got.status} ${await got.text()}`;
    };
    let ready = '';
    while (!ready.startsWith('503')) ready = await answer('/ready');
    // Whoever asks without a token learns no place.
    expect(ready).toMatch(/The database of the vault does not answer\. It is tried again by itself/);
    expect(await answer('/health')).toMatch(/^200 .*"starting"/);
    expect(await answer('/query')).toMatch(/^503 .*database of the vault does not answer/);
    postgres().start();
    const server = await ServerProcess.listening(child);
    await until(
      () => ask(server, '/ready'),
      ({ status }) => status === 200,
    );
    await server.stop();
  }, 60_000);

  it('ends one that loses its place while it drains, and says so', async () => {
    const server = await start('600');
    server.child.kill('SIGTERM');
    await until(
      () => ask(server, '/ready'),
      ({ status }) => status === 503,
    );
    postgres().sql(database, "UPDATE brain.leases SET holder = 'another', until = now() + interval '1 hour'");
    const { code, stderr } = await server.ended;
    expect([code, stderr]).toEqual([1, expect.stringContaining('took the place of this one')]);
  }, 60_000);
});
