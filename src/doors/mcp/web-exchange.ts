import type { Request as NodeRequest, Response as NodeResponse } from 'express';

/** The headers that the protocol gives a meaning. No others go on: least of all the token. */
const OF_THE_PROTOCOL = /^(?:content-type|accept|mcp-.+)$/;

/**
 * A request of Node's in the form that web servers use, without its body, which has been read. Who may knock was decided
 * before: a browser's own class drops `Host` and `Origin`, so behind this nobody could tell any more.
 */
export function webRequest({ headers }: NodeRequest): Request {
  const kept = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    typeof value === 'string' && OF_THE_PROTOCOL.test(name) ? [[name, value]] : [],
  );
  return new Request('http://127.0.0.1/mcp', { method: 'POST', headers: kept });
}

/**
 * Sends a web response as it comes, and no faster than the client takes it. Resolves when all is sent or the client has left;
 * the rest is then taken back from its source. Read with a reader: not every runtime of the app can iterate over a stream.
 */
export async function sendResponse(response: Response, res: NodeResponse): Promise<void> {
  const reader = response.body?.getReader();
  if (res.destroyed) {
    await reader?.cancel();
    return;
  }
  res.status(response.status);
  response.headers.forEach((value, name) => {
    if (name !== 'connection') res.setHeader(name, value); // Node's own affair
  });
  if (reader === undefined) {
    res.end();
    return;
  }
  res.flushHeaders();
  const gone = () => void reader.cancel();
  res.once('close', gone);
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    if (!res.write(value)) await drained(res);
  }
  res.off('close', gone);
  res.end();
}

/** Resolves when more can be written, or never will. */
function drained(res: NodeResponse): Promise<void> {
  if (res.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    const over = () => {
      res.off('drain', over).off('close', over);
      resolve();
    };
    res.once('drain', over).once('close', over);
  });
}
