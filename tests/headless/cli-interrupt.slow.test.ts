import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { finished, Sandbox } from './brain-process';

const sandbox = new Sandbox();
let server: Server | null = null;

afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});
afterAll(() => sandbox.remove());

type Reply = (req: IncomingMessage, res: ServerResponse) => void;

/** Runs a command on a made-up server; Ctrl-C comes with the first request that `when` accepts. */
async function interrupted(args: readonly string[], reply: Reply, when: (req: IncomingMessage) => boolean) {
  let isSent = false;
  server = createServer((req, res) => {
    res.setHeader('X-Brain-API', '1');
    reply(req, res);
    if (isSent || !when(req)) return;
    isSent = true;
    child.kill('SIGINT');
  });
  const listening = server;
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
  // The address of a server that listens on a port is never a path or null.
  const { port } = listening.address() as AddressInfo;
  const env = { BRAIN_URL: `http://127.0.0.1:${port}`, BRAIN_TOKEN: 'owner' };
  const child = sandbox.start(args, env);
  child.stdin?.end();
  return finished(child);
}

const json = (res: ServerResponse, body: object) => void res.writeHead(200).end(JSON.stringify(body));
const never: Reply = () => undefined;

describe('Ctrl-C', () => {
  it('ends a command with 130, and nothing on standard output', async () => {
    const ended = await interrupted(['query', 'fan'], never, () => true);
    expect(ended).toEqual({ code: 130, stdout: '', stderr: 'brain: Interrupted.\n' });
  });

  it('ends a command with 130 and one object with --json', async () => {
    const { code, stdout } = await interrupted(['pending', '--json'], never, () => true);
    expect([code, JSON.parse(stdout)]).toEqual([
      130,
      { error: { code: 'interrupted', message: 'Interrupted.' } },
    ]);
  });

  it('cancels a job, waits for what was done by then, and says how to go on', async () => {
    let isCancelled = false;
    const job = { job: '0123456789ab', status: 'running', done: 1, total: 5 };
    const counts = { files: 5, ingested: 1, unchanged: 0, skipped: 0, failed: 0 };
    const made = { written: 1, duplicate: 0, rejected_before: 0, skipped_empty_title: 0 };
    const files = [
      { file: 'inbox/all/a.md', extraction: 'passthrough', pages: [], counts: made, warnings: [] },
    ];
    const outcome = {
      path: 'inbox/all',
      files,
      skipped: [],
      counts,
      errors: [],
      warnings: [],
      cancelled: true,
    };
    const reply: Reply = (req, res) => {
      if (req.method === 'DELETE') isCancelled = true;
      json(res, isCancelled && req.method === 'GET' ? outcome : job);
    };
    const ended = await interrupted(
      ['ingest', 'inbox/all'],
      reply,
      (req) => req.method === 'GET' && req.url?.startsWith('/job') === true,
    );
    expect(ended.code).toBe(130);
    expect(ended.stdout).toBe('1 page made\n');
    expect(ended.stderr).toMatch(/^Cancelling job 0123456789ab\. Ctrl-C again leaves it running: "/);
    expect(ended.stderr).toMatch(
      /\nbrain: Cancelled: 4 files not touched\. Run the same command again for the rest/,
    );
  });

  it('stops a sync of embeddings, and says what it has done', async () => {
    let held: ServerResponse | null = null;
    const reply: Reply = (req, res) => {
      if (req.url !== '/backfill-embeddings/cancel') return void (held = res);
      if (held !== null) json(held, { added: 1, deleted: 0, errors: [] });
      json(res, { cancelled: true });
    };
    const ended = await interrupted(['backfill-embeddings'], reply, () => true);
    expect(ended).toEqual({
      code: 130,
      stdout: '1 note embedded, 0 vectors removed.\n',
      stderr: 'brain: The sync was stopped. Run it again for the rest.\n',
    });
  });

  it('stops after the note that is being promoted, and says how many are left', async () => {
    const promoted = {
      path: 'wiki/a/facts/x.md',
      from: 'raw/x.md',
      content_hash: 'x',
      tunnels: [],
      warnings: [],
    };
    const args = ['promote', 'raw/a.md', 'raw/b.md', 'raw/c.md', '--wing', 'a', '--hall', 'facts', '--json'];
    const slowly: Reply = (_, res) => void setTimeout(() => json(res, promoted), 300);
    const { code, stdout, stderr } = await interrupted(args, slowly, () => true);
    expect([code, JSON.parse(stdout)]).toMatchObject([130, { promoted: [promoted], not_tried: 2 }]);
    expect(stderr).toBe('brain: Stopped: 2 notes not tried. Run it again for the rest.\n');
  });
});
