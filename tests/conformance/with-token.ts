import { once } from 'node:events';
import * as http from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server in front of another one. */
export interface Front {
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Passes every request on with a token, for programs that cannot send one. Host and Origin go through, so that refusing
 * foreign ones can be seen; where they name this front they name the server behind it instead, as if there were nothing in
 * between.
 */
export async function withToken(target: string, token: string): Promise<Front> {
  const behind = new URL(target);
  const server = http.createServer((req, res) => {
    const headers: http.OutgoingHttpHeaders = { ...req.headers, authorization: `Bearer ${token}` };
    for (const name of ['host', 'origin']) {
      const value = headers[name];
      if (typeof value === 'string') headers[name] = value.replace(ownPort, `:${behind.port}`);
    }
    const { method, url } = req;
    const passed = http.request({ hostname: behind.hostname, port: behind.port, method, path: url, headers });
    passed.on('response', (answer) => {
      res.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
      answer.pipe(res);
    });
    passed.on('error', () => res.destroy());
    res.on('close', () => passed.destroy());
    req.pipe(passed);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // A TCP server's address is always an object.
  const { port } = server.address() as AddressInfo;
  const ownPort = new RegExp(`:${port}$`);
  return {
    url: `http://127.0.0.1:${port}`,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
