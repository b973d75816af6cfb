import { Readable } from 'node:stream';
import { ConnectionError, type FileBody, type HttpAnswer, httpRequest } from '../../adapters/host/http';
import { hostOf } from '../../core/base/redact';
import { DESCRIPTORS } from '../../core/operation/descriptors';
import { CallError } from '../../core/registry/client';
import { API_VERSION } from '../../doors/http/errors';
import type { Fetch } from '../../ui/client/http';
import { UNREADABLE_FILE } from './control';

/** The longest silence of the server (ms): while it reads, while it writes or asks a model, and while it embeds every note. */
const READ_MS = 15_000;
const WRITE_MS = 600_000;
const BACKFILL_MS = 24 * 60 * 60 * 1000;

/** Files are sent in parts of this size (bytes). */
const PART_BYTES = 1024 * 1024;

/**
 * Returns the requests to a server elsewhere. They go over Node and not over the app's own client, which follows redirects and
 * would take the token with it, nor over the page's `fetch`, whose origin no server knows. A request that gets no answer of a
 * Brain Server rejects with a CallError that says why.
 * @param signal ends every request when it is aborted
 */
export function remoteFetch(signal: AbortSignal): Fetch {
  return async (address, { method, headers, body }) => {
    const url = new URL(address);
    const isRead = method === 'GET';
    const timeoutMs = isRead
      ? READ_MS
      : url.pathname.endsWith(DESCRIPTORS.backfill.path)
        ? BACKFILL_MS
        : WRITE_MS;
    const send = (isAlone: boolean): Promise<HttpAnswer> =>
      httpRequest(url, {
        method,
        headers,
        timeoutMs,
        signal,
        isAlone,
        ...(body !== undefined && { body: typeof body === 'string' ? body : fileBody(body) }),
      });
    // A kept connection may have died unnoticed. Nothing but a read is sent over one, and a read is asked again.
    const answer = await send(!isRead)
      .catch((error: unknown) => {
        if (isRead && error instanceof ConnectionError && error.code === 'ECONNRESET') return send(true);
        throw error;
      })
      .catch((error: unknown) => {
        throw error instanceof ConnectionError ? unreachable(url, error) : error;
      });
    refuseOthers(url, answer);
    return {
      status: answer.status,
      async json() {
        const data: unknown = JSON.parse(answer.text);
        return data;
      },
      // An image is shown by an address within the app, which must not open as a page.
      blob: async () => new Blob([answer.bytes], { type: imageType(answer) }),
    };
  };
}

function imageType({ headers }: HttpAnswer): string {
  const type = headers['content-type'] ?? '';
  return type.startsWith('image/') ? type : '';
}

/** Returns a file as a stream. A file of another window is no `Blob` of this one, so it is read in parts. */
function fileBody(file: Blob): FileBody {
  const read = async function* (): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < file.size; at += PART_BYTES) {
      const part = await file
        .slice(at, at + PART_BYTES)
        .arrayBuffer()
        .catch(() => {
          throw Object.assign(new Error(UNREADABLE_FILE), { code: 'EUNREADABLE' });
        });
      yield new Uint8Array(part);
    }
  };
  return { size: file.size, stream: Readable.from(read(), { objectMode: false }) };
}

/** @throws CallError for an answer that no Brain Server of this version gave */
function refuseOthers(url: URL, { status, headers }: HttpAnswer): void {
  const version = headers['x-brain-api'];
  if (version === API_VERSION) return;
  const at = hostOf(url.href);
  if (typeof version === 'string') {
    throw new CallError(
      'unreachable',
      `The server at ${at} is of another version: it speaks contract ${version}, this plugin ${API_VERSION}. Update the older of the two.`,
    );
  }
  const next =
    status >= 300 && status < 400
      ? 'It sends to another address; use that one in the settings.'
      : status >= 500
        ? 'A proxy may stand before a server that does not run.'
        : 'Check the address in the settings.';
  throw new CallError('unreachable', `What answers at ${at} is not Brain Server (HTTP ${status}). ${next}`);
}

/** Returns why no answer came, with what a person can do. */
function unreachable(url: URL, { code, message }: ConnectionError): CallError {
  if (code === 'EUNREADABLE') return new CallError('source_missing', UNREADABLE_FILE);
  const at = hostOf(url.href);
  const reason = (): string => {
    switch (code) {
      case 'ECONNREFUSED':
        return `Nothing listens at ${at}. Start the server there, or check the address in the settings.`;
      case 'ENOTFOUND':
      case 'EAI_AGAIN':
        return `The name ${url.hostname} is not found. Check the network, and the address in the settings.`;
      case 'ETIMEDOUT':
        return `No answer came from ${at} in time. Check the network, and whether the server runs.`;
      default:
        return /CERT|SELF_SIGNED|UNABLE_TO/.test(code)
          ? `The certificate of ${at} is not accepted (${code}). The server needs one for this name from a public authority.`
          : `No answer from ${at}: ${message.replace(/\.$/, '')}. Check the network, and whether the server runs.`;
    }
  };
  return new CallError('unreachable', reason());
}
