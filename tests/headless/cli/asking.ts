import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brainCommand } from '../../support/command-line';

/** Runs a command on a made-up server that gives these answers in turn, the last one again and again. */
export async function asking(
  answers: readonly object[],
  args: readonly string[],
  { tty = false, env = {} }: { tty?: boolean; env?: Record<string, string> } = {},
) {
  let asked = 0;
  const listener: RequestListener = (_, res) => {
    const answer = answers[Math.min(asked++, answers.length - 1)];
    res.writeHead(200, { 'X-Brain-API': '1' }).end(JSON.stringify(answer));
  };
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // The address of a server that listens on a port is never a path or null.
  const { port } = server.address() as AddressInfo;
  const printed = await brainCommand(args, {
    env: { BRAIN_URL: `http://127.0.0.1:${port}`, BRAIN_TOKEN: 'owner', ...env },
    tty,
  });
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  return { ...printed, asked };
}
