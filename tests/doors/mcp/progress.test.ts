import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import * as z from 'zod';
import { operation } from '../../../src/core/operation/operation';
import type { Watch } from '../../../src/core/base/steps';
import { defineTool } from '../../../src/doors/mcp/tools';
import { type RunningDoor, startDoor } from '../../support/mcp-door';

const doors: RunningDoor[] = [];
afterEach(async () => {
  await Promise.all(doors.splice(0).map((door) => door.close()));
});

/** A door with one tool that does what the test says, and a client of it. */
async function withTool(work: (watch: Watch) => Promise<void>) {
  const long = operation({
    name: 'long',
    scope: 'read',
    mutates: false,
    input: z.strictObject({}),
    output: z.object({}),
    async run(_brain, _input, _caller, watch = {}) {
      await work(watch);
      return {};
    },
  });
  const tool = defineTool({
    name: 'long',
    title: 'Long',
    description: 'Takes long.',
    operation: long,
    fields: {},
  });
  const door = await startDoor({ tools: [tool] });
  doors.push(door);
  const client = new Client({ name: 'claude-code', version: '2.1.300' });
  const requestInit = { headers: { Authorization: 'Bearer laptop' } };
  await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', door.url), { requestInit }));
  return { client, door };
}

it('tells a client that asked for it how far its call is, each number larger than the last', async () => {
  const { client } = await withTool(async ({ progress }) => {
    for (const done of [0, 0, 3, 2, 3, 5]) progress?.({ done, total: 5 });
  });
  const told: unknown[] = [];
  await client.callTool({ name: 'long' }, undefined, { onprogress: (progress) => told.push(progress) });
  expect(told).toEqual([
    { progress: 0, total: 5 },
    { progress: 3, total: 5 },
    { progress: 5, total: 5 },
  ]);
});

it.each([3, 300, 30_000])(
  'tells of %d steps by at most 102 notifications, the last one among them',
  async (total) => {
    const { client } = await withTool(async ({ progress }) => {
      for (const phase of ['reading', 'writing'] as const)
        for (let done = 0; done <= total; done += 1) progress?.({ done, total, phase });
    });
    const told: { progress: number }[] = [];
    await client.callTool({ name: 'long' }, undefined, { onprogress: (progress) => told.push(progress) });
    expect(told.length).toBeGreaterThan(Math.min(total, 90));
    expect(told.length).toBeLessThanOrEqual(102);
    expect(told.at(-1)).toEqual({ progress: 2 * total, total: 2 * total });
  },
);

it('tells nothing to a client that did not ask', async () => {
  let seen: Watch | undefined;
  const { client } = await withTool(async (watch) => {
    seen = watch;
  });
  await client.callTool({ name: 'long' });
  expect(seen?.progress).toBeUndefined();
  expect(seen?.signal?.stopped).toBe(false);
});

it('tells the work that its client has left', async () => {
  let begun = (): void => undefined;
  const running = new Promise<void>((resolve) => (begun = resolve));
  const { client, door } = await withTool(async ({ signal }) => {
    begun();
    await new Promise<void>((resolve) => signal?.onStop(resolve));
  });
  const calling = client.callTool({ name: 'long' }).catch(() => 'gone');
  await running;
  await client.close();
  expect(await calling).toBe('gone');
  // The line is written when the work has ended, so it has been told.
  expect(await door.lines()).toMatchObject([{ tool: 'long' }]);
});
