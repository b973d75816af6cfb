import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { fork } from 'node:child_process';
import { once, setMaxListeners } from 'node:events';
import { join } from 'node:path';
import { makeVault } from './start';
import { ms, serve, table, Timings, withFolder } from './support';

interface Arm {
  readonly name: string;
  readonly client: Client;
  readonly call: { readonly name: string; readonly arguments: Record<string, unknown> };
  readonly timings: Timings;
}

async function connect(url: string, token: string): Promise<Client> {
  const client = new Client({ name: 'bench', version: '1' });
  const headers = { authorization: `Bearer ${token}` };
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit: { headers } }),
  );
  return client;
}

/** Resolves when a search no longer says that the vault is being read. */
async function untilRead(client: Client): Promise<void> {
  for (;;) {
    const { structuredContent } = await client.callTool({
      name: 'brain_query',
      arguments: { query: 'note' },
    });
    if (typeof structuredContent !== 'object' || structuredContent === null)
      throw new Error('The search gave no answer.');
    if (!('reading' in structuredContent)) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

const NOTES = 10_000;
const WARM_UP = 200;
const STEP = 250;
/** The most that a query may take above the idle server (ms, p50). */
const GOAL_MS = 0.5;

/** Round trips of `tools/call`, the arms taking turns, against a server on the same SDK that does nothing. */
export async function benchMcp(calls: number): Promise<void> {
  console.log('## tools/call round trip\n');
  // The SDK's client hands one abort signal to every request; the listeners go with the requests.
  setMaxListeners(0);
  await withFolder(async (folder) => {
    const [vault, config] = [join(folder, 'vault'), join(folder, 'config')];
    console.error(`making a vault of ${NOTES} notes`);
    await makeVault(vault, NOTES);
    const served = await serve(vault, config, 'bench-token-that-is-long-enough-0123456789');
    const idle = fork(join('bench', 'idle-mcp-server.mjs'));
    try {
      const [idleUrl] = (await once(idle, 'message')) as [string];
      const [ours, theirs] = [
        await connect(served.url, 'bench-token-that-is-long-enough-0123456789'),
        await connect(idleUrl, 'none'),
      ];
      const path = 'wiki/wing-0/facts/note-0.md';
      const arms: Arm[] = [
        {
          name: 'SDK server that does nothing',
          client: theirs,
          call: { name: 'nothing', arguments: {} },
          timings: new Timings(),
        },
        {
          name: 'brain_get, 2 kB note',
          client: ours,
          call: { name: 'brain_get', arguments: { path } },
          timings: new Timings(),
        },
        {
          name: `brain_query, 3 words, ${NOTES} notes (goal: ${GOAL_MS} ms above)`,
          client: ours,
          call: { name: 'brain_query', arguments: { query: 'note kalomi rentas', limit: 8 } },
          timings: new Timings(),
        },
        {
          name: 'brain_pending, empty queue',
          client: ours,
          call: { name: 'brain_pending', arguments: {} },
          timings: new Timings(),
        },
      ];
      console.error('waiting until the vault is read');
      await untilRead(ours);
      for (let n = -WARM_UP; n < calls; n += 1) {
        if (n === -WARM_UP) console.error('warming up');
        if (n >= 0 && n % STEP === 0) console.error(`calling: ${n} of ${calls} rounds`);
        for (const { client, call, timings } of arms) {
          const ask = async () => {
            const result = await client.callTool(call);
            if (result.isError === true) throw new Error(JSON.stringify(result.content));
          };
          await (n < 0 ? ask() : timings.time(ask));
        }
      }
      const base = arms[0]?.timings.quantile(0.5) ?? 0;
      table(
        ['call', 'p50', 'p95', 'p50 above the idle server'],
        arms.map(({ name, timings }) => [
          name,
          ms(timings.quantile(0.5)),
          ms(timings.quantile(0.95)),
          ms(timings.quantile(0.5) - base),
        ]),
      );
      await ours.close();
      await theirs.close();
    } finally {
      idle.kill();
      await served.stop();
    }
  });
}
