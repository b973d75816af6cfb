import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import type { Client } from 'pg';
import { cancel } from '../../../src/adapters/postgres/cancel';

/** A server, and a client whose connection to it holds a statement; `close` ends both. */
async function connected(answer: (request: Socket) => void) {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    if (sockets.push(socket.on('error', () => undefined)) > 1) answer(socket);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const stream = connect(address.port, '127.0.0.1');
  await once(stream, 'connect');
  const client = { connection: { stream }, processID: 7, secretKey: 11 } as unknown as Client;
  const close = (): void => {
    stream.destroy();
    sockets.forEach((socket) => socket.destroy());
    server.close();
  };
  return { client, server, close };
}

it('resolves true once the server has taken the request and closed the connection', async () => {
  const asked: string[] = [];
  const { client, close } = await connected((request) =>
    request.once('data', (bytes) => {
      asked.push(bytes.toString('hex'));
      request.end();
    }),
  );
  expect([await cancel(client), asked]).toEqual([true, ['0000001004d2162e000000070000000b']]);
  close();
});

it('resolves false when nobody takes the request', async () => {
  const { client, server, close } = await connected(() => undefined);
  server.close();
  expect(await cancel(client)).toBe(false);
  close();
});
