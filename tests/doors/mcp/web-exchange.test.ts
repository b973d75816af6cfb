import { once } from 'node:events';
import * as http from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { sendResponse, webRequest } from '../../../src/doors/mcp/era-2026';

const servers: http.Server[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  }
});

async function serve(handler: express.RequestHandler): Promise<URL> {
  const app = express();
  app.post('/', handler);
  const server = app.listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  // A TCP server's address is always an object.
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
}

it('passes on what the protocol knows, and neither the token nor who knocks', async () => {
  let seen: Request | undefined;
  const url = await serve((req, res) => {
    seen = webRequest(req);
    res.end();
  });
  const headers = {
    Authorization: 'Bearer secret',
    Cookie: 'a=b',
    'X-Brain-Client': 'x',
    'Content-Type': 'application/json',
    Accept: 'text/event-stream',
    'MCP-Protocol-Version': '2026-07-28',
    'Mcp-Name': 'brain_get',
    'Mcp-Param-Path': 'a',
  };
  await fetch(url, { method: 'POST', headers });
  expect([...(seen?.headers ?? [])].sort()).toEqual([
    ['accept', 'text/event-stream'],
    ['content-type', 'application/json'],
    ['mcp-name', 'brain_get'],
    ['mcp-param-path', 'a'],
    ['mcp-protocol-version', '2026-07-28'],
  ]);
  expect(seen?.method).toBe('POST');
});

it('sends status, headers and every byte, without iterating over the stream', async () => {
  const chunks = ['data: 1\n\n', 'data: ü\n\n'].map((text) => new TextEncoder().encode(text));
  const url = await serve(async (_, res) => {
    const body = new ReadableStream({
      start(controller) {
        for (const chunk of chunks) controller.enqueue(chunk);
        controller.close();
      },
    });
    // As in a runtime whose streams cannot be iterated over.
    Object.defineProperty(body, Symbol.asyncIterator, { value: undefined });
    const headers = { 'Content-Type': 'text/event-stream', Connection: 'close' };
    const response = new Response(null, { status: 201, headers });
    Object.defineProperty(response, 'body', { value: body });
    await sendResponse(response, res);
  });
  const answer = await fetch(url, { method: 'POST' });
  expect(answer.status).toBe(201);
  expect(answer.headers.get('content-type')).toBe('text/event-stream');
  expect(answer.headers.get('connection')).toBe('keep-alive');
  expect(await answer.text()).toBe('data: 1\n\ndata: ü\n\n');
});

it('sends an answer without a body', async () => {
  const url = await serve((_, res) => sendResponse(new Response(null, { status: 202 }), res));
  const answer = await fetch(url, { method: 'POST' });
  expect([answer.status, await answer.text()]).toEqual([202, '']);
});

it('waits while its client takes nothing, and stops the source when the client leaves', async () => {
  let isCancelled = false;
  let over: Promise<void> | undefined;
  let sent: express.Response | undefined;
  const url = await serve((_, res) => {
    const body = new ReadableStream({
      pull: (controller) => controller.enqueue(new Uint8Array(64 * 1024)),
      cancel() {
        isCancelled = true;
      },
    });
    sent = res;
    over = sendResponse(new Response(body), res);
  });
  const asked = http.request(url, { method: 'POST' });
  asked.end();
  const [answer] = await once(asked, 'response');
  answer.pause();
  // The source has no end: whoever did not wait for the client would never come to this.
  while (sent?.writableNeedDrain !== true) await new Promise((resolve) => setImmediate(resolve));
  asked.destroy();
  await over;
  expect(isCancelled).toBe(true);
});

it('takes an answer back for which nobody is left', async () => {
  let isCancelled = false;
  let begun = (): void => undefined;
  const asking = new Promise<void>((resolve) => (begun = resolve));
  let ended = (): void => undefined;
  const over = new Promise<void>((resolve) => (ended = resolve));
  const url = await serve(async (_, res) => {
    begun();
    await once(res, 'close');
    const body = new ReadableStream({
      cancel() {
        isCancelled = true;
      },
    });
    await sendResponse(new Response(body), res);
    ended();
  });
  const asked = http.request(url, { method: 'POST' });
  asked.on('error', () => undefined);
  asked.end();
  await asking;
  asked.destroy();
  await over;
  expect(isCancelled).toBe(true);
});
