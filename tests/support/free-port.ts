import { createServer } from 'node:net';

/** Below the ports that systems give to outgoing connections: none of those may take the number of a server that stopped. */
const FIRST = 10_000;
/** Each worker of Jest has numbers of its own. */
const WORKERS = 16;
const EACH = 1_000;

const own = FIRST + (Number(process.env.JEST_WORKER_ID ?? 0) % WORKERS) * EACH;
let given = Math.trunc(Math.random() * EACH);

/** Returns a port of this machine on which nobody listens, and which no other worker of this run takes while its server is being started again. */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < EACH; tries += 1) {
    given += 1;
    const port = own + (given % EACH);
    if (await isFree(port)) return port;
  }
  throw new Error(`Every port from ${own} to ${own + EACH - 1} is taken.`);
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
