import type { RequestUrlParam, RequestUrlResponse, RequestUrlResponsePromise } from 'obsidian';
import { currentHost } from './host-state';
import { toBuffer, toBytes, toText } from './text';

/** Asks the handler of the test; no host goes to the network. A status of 400 or more rejects unless `throw` is false. */
export function requestUrl(request: RequestUrlParam | string): RequestUrlResponsePromise {
  const asked = typeof request === 'string' ? { url: request } : request;
  const answer = send(asked);
  return Object.assign(answer, {
    arrayBuffer: lazily(answer, (response) => response.arrayBuffer),
    json: lazily(answer, (response): unknown => response.json),
    text: lazily(answer, (response) => response.text),
  });
}

async function send(asked: RequestUrlParam): Promise<RequestUrlResponse> {
  const host = currentHost();
  host.requests.push(asked);
  const { status, headers = {}, body = '' } = await host.requestHandler(asked);
  if (status >= 400 && asked.throw !== false) {
    throw Object.assign(new Error(`Request failed, status ${status}`), { status, headers });
  }

  const bytes = typeof body === 'string' ? toBytes(body) : new Uint8Array(body);
  return {
    status,
    headers,
    arrayBuffer: toBuffer(bytes),
    text: toText(bytes),
    get json(): unknown {
      return JSON.parse(toText(bytes));
    },
  };
}

/** A part of the answer; its failure belongs to whoever takes that part. */
function lazily<T>(
  answer: Promise<RequestUrlResponse>,
  part: (response: RequestUrlResponse) => T,
): Promise<T> {
  const taken = answer.then(part);
  taken.catch(() => undefined);
  return taken;
}
