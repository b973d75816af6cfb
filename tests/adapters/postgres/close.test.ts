import { createServer, type Socket } from 'node:net';
import { sqlVectorStore } from '../../../src/adapters/postgres/vector-store';
import { StoreDown } from '../../../src/core/embeddings/store';
import { connect } from '../../support/vector-databases';
import { nodePace } from '../../support/node-pace';

/** Answers a start-up, the settings of the session and BEGIN, then nothing any more: a server that is busy with one long statement. */
async function busyServer() {
  const sockets = new Set<Socket>();
  const asked: string[] = [];
  const message = (type: string, body: Buffer) => {
    const head = Buffer.alloc(5);
    head.write(type);
    head.writeInt32BE(body.length + 4, 1);
    return Buffer.concat([head, body]);
  };
  const ready = message('Z', Buffer.from('I'));
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => undefined);
    socket.once('data', () => {
      socket.write(Buffer.concat([message('R', Buffer.alloc(4)), ready]));
      socket.on('data', (data) => {
        const text = data.toString('latin1');
        asked.push(text);
        if (text.includes('set_config')) {
          const none = ['1', '2', 'n'].map((type) => message(type, Buffer.alloc(0)));
          socket.write(Buffer.concat([...none, message('C', Buffer.from('SELECT 0\0')), ready]));
        }
        if (text.includes('BEGIN'))
          socket.write(Buffer.concat([message('C', Buffer.from('BEGIN\0')), ready]));
      });
    });
  });
  const port = await new Promise<number>((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : 0);
    });
  });
  return {
    dsn: `postgres://me:secret@127.0.0.1:${port}/x`,
    asked,
    sockets,
    connections: () => connections,
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

it('ends a statement that runs, and opens nothing for who comes later', async () => {
  const server = await busyServer();
  const sql = connect(server.dsn);
  const store = sqlVectorStore(sql, 'public', nodePace());
  const opening = store.open().then(
    () => null,
    (error: unknown) => error,
  );
  while (!server.asked.some((text) => text.includes('pg_extension'))) await turn();
  await store.close();
  expect(await opening).toBeInstanceOf(StoreDown);
  while (server.sockets.size > 0) await turn();
  await expect(store.count({ model: 'm', vault: 'v' })).rejects.toBeInstanceOf(StoreDown);
  await expect(sql.transaction(async () => 1)).rejects.toThrow('The database was closed.');
  expect(server.connections()).toBe(1);
  await server.close();
}, 10_000);
