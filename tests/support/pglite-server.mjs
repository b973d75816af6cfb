// A Postgres on the port of this machine that it is told, with the extension that it is told, for tests: PGlite behind a socket, in
// a process of its own because Jest's modules cannot import as PGlite does. It prints the port once it listens, and ends with its
// standard input. `stop` and `start` on that input cut every connection and listen again.
import { PGlite } from '@electric-sql/pglite';
import { pg_textsearch } from '@electric-sql/pglite-pg_textsearch';
import { vector } from '@electric-sql/pglite-pgvector';
import { PGLiteSocketServer } from '@electric-sql/pglite-socket';
import process from 'node:process';
import { createInterface } from 'node:readline';

const EXTENSIONS = { pg_textsearch, vector };
const [, , given, extension] = process.argv;
const db = await PGlite.create({ extensions: { [extension]: EXTENSIONS[extension] } });
// The socket gives all connections one session, message by message, and keeps to one connection only within a transaction. The
// messages of a statement with parameters, from its first to its Sync, would come between those of another one, so they count as
// within a transaction.
const PARTS = new Set(Buffer.from('PBDECH'));
let isWithin = false;
const session = {
  waitReady: db.waitReady,
  isInTransaction: () => isWithin || db.isInTransaction(),
  runExclusive: (work) => db.runExclusive(work),
  exec: (text) => db.exec(text),
  execProtocolRawStream(message, options) {
    isWithin = PARTS.has(message[0]);
    return db.execProtocolRawStream(message, options);
  },
};
const port = Number(given);
let server = null;
const acts = {
  async start() {
    server = new PGLiteSocketServer({ db: session, port, host: '127.0.0.1', maxConnections: 20 });
    await server.start();
  },
  async stop() {
    await server?.stop();
    server = null;
  },
};
await acts.start();
process.stdout.write(`${port}\n`);
for await (const line of createInterface({ input: process.stdin })) {
  await acts[line]?.();
  process.stdout.write(`${line}\n`);
}
process.exit(0);
