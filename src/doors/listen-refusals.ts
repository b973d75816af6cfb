import type { IncomingMessage, ServerResponse } from 'node:http';
import { commonHeaders } from './http-headers';

/** A refusal of the server itself, before the app sees a request. */
export interface Refusal {
  readonly status: number;
  readonly reason: string;
  readonly code: string;
  readonly message: string;
}

/** More headers than any client sends. Node would drop those beyond the limit without a word, a second Host among them. */
export const MAX_HEADERS = 100;

const NOT_HTTP: Refusal = {
  status: 400,
  reason: 'Bad Request',
  code: 'invalid_request',
  message:
    'This is no request of HTTP/1.1, or it could be read in two ways. Send one method, one length and plain header lines.',
};
const TOO_SLOW: Refusal = {
  status: 408,
  reason: 'Request Timeout',
  code: 'request_timeout',
  message: 'The request did not arrive in time: 10 s for its headers, 30 s for all of it. Send it again.',
};
const MANY_HEADERS: Refusal = {
  status: 431,
  reason: 'Request Header Fields Too Large',
  code: 'headers_too_large',
  message: `A request may have ${MAX_HEADERS} headers and 16 KiB of them, its address included. Send less.`,
};
const PROXYING: Refusal = {
  status: 403,
  reason: 'Forbidden',
  code: 'forbidden_host',
  message: 'This server is no proxy. Send the path alone in the request line.',
};
const EXPECTATION: Refusal = {
  status: 417,
  reason: 'Expectation Failed',
  code: 'invalid_request',
  message: 'Only "Expect: 100-continue" is understood. Leave the header out.',
};
const VERSION: Refusal = {
  status: 505,
  reason: 'HTTP Version Not Supported',
  code: 'invalid_request',
  message: 'This server speaks HTTP/1.1.',
};

/** All that any request may meet before it is told apart which route it is for; for the API description. */
export const LISTEN_REFUSALS: readonly Pick<Refusal, 'status' | 'code'>[] = [
  NOT_HTTP,
  TOO_SLOW,
  MANY_HEADERS,
  PROXYING,
  EXPECTATION,
  VERSION,
];

/** What the parser of Node calls the two faults that have a status of their own. */
const UNREADABLE: Readonly<Record<string, Refusal>> = {
  ERR_HTTP_REQUEST_TIMEOUT: TOO_SLOW,
  HPE_HEADER_OVERFLOW: MANY_HEADERS,
};

/** Why the app shall not see this request, or null. */
export function refusalOf({ url = '', httpVersion, rawHeaders }: IncomingMessage): Refusal | null {
  if (httpVersion !== '1.1' && httpVersion !== '1.0') return VERSION;
  if (rawHeaders.length > 2 * MAX_HEADERS) return MANY_HEADERS;
  // A whole URL in the request line is meant for a proxy, and names a host that the guard has not seen.
  return /^[/*]/.test(url) ? null : PROXYING;
}

/** Answers a request that the app shall not see, and ends its connection. */
export function refuse(res: ServerResponse, refusal: Refusal): void {
  const { headers, body } = answerOf(refusal);
  res.writeHead(refusal.status, refusal.reason, headers);
  res.end(body);
}

/** Refuses an expectation that nobody here can meet. */
export function refuseExpectation(res: ServerResponse): void {
  refuse(res, EXPECTATION);
}

/**
 * The whole answer to what is not HTTP, or came too slowly or with too many headers, before any request could be told apart.
 */
export function answerToUnreadable(code: string | undefined): string {
  return wholeAnswer(UNREADABLE[code ?? ''] ?? NOT_HTTP);
}

/** The whole answer to CONNECT, which comes without the means of an ordinary one. */
export function answerToConnect(): string {
  return wholeAnswer(PROXYING);
}

function wholeAnswer(refusal: Refusal): string {
  const { headers, body } = answerOf(refusal);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${refusal.status} ${refusal.reason}\r\n${lines.join('')}\r\n${body}`;
}

/** The same headers and the same shape of body as every other refusal has. */
function answerOf({ code, message }: Refusal): { headers: Record<string, string>; body: string } {
  const common = commonHeaders();
  const body = JSON.stringify({ error: { code, message, request_id: common['X-Request-Id'] ?? '' } });
  const headers = {
    ...common,
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': String(new TextEncoder().encode(body).length),
    Connection: 'close',
  };
  return { headers, body };
}
