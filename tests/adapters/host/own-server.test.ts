import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { type OwnServers, openChannel, proofOf } from '../../../src/adapters/host/own-server';
import { withTempFolder } from '../../support/temp-folder';

const KEY = new Uint8Array(32).fill(1);
const OTHER_KEY = new Uint8Array(32).fill(2);

/** Answers the question for a proof, which came with `nonce` to the end that is at `address` and `port`. */
type Answer = (nonce: string, end: { readonly address: string; readonly port: number }) => object;

/** Runs `work` with the address of a program that answers so, and with a configuration folder. */
async function withServer(
  answer: Answer,
  work: (url: URL, servers: OwnServers) => Promise<void>,
): Promise<void> {
  const server: Server = createServer((request, response) => {
    const { localAddress: address = '', localPort: port = 0 }: Socket = request.socket;
    const nonce = new URL(request.url ?? '', 'http://x').searchParams.get('nonce') ?? '';
    response.end(JSON.stringify(answer(nonce, { address, port })));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const { port } = server.address() as AddressInfo;
    await withTempFolder((folder) => work(new URL(`http://127.0.0.1:${port}`), { folder, key: KEY }));
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

describe('a server that is asked for a proof', () => {
  it('is ours when it holds the key of the folder', () =>
    withServer(
      (nonce, end) => ({ proof: proofOf(KEY, nonce, end) }),
      async (url, servers) => {
        const { agent, vault } = await openChannel(url, servers);
        agent.destroy();
        expect(vault).toBeNull();
      },
    ));

  it.each<[string, Answer]>([
    ['says nothing', () => ({})],
    ['says something else', () => ({ proof: 'x' })],
    ['holds another key', (nonce, end) => ({ proof: proofOf(OTHER_KEY, nonce, end) })],
    ['proves it for another question', (nonce, end) => ({ proof: proofOf(KEY, `${nonce}x`, end) })],
    [
      'passes on the proof of another port',
      (nonce, { address, port }) => ({ proof: proofOf(KEY, nonce, { address, port: port + 1 }) }),
    ],
  ])('is not ours when it %s', (_, answer) =>
    withServer(answer, async (url, servers) => {
      await expect(openChannel(url, servers)).rejects.toMatchObject({ name: 'NotOurs', why: 'unproven' });
    }),
  );
});
