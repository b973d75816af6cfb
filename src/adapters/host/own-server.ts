import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { lstat, stat } from 'node:fs/promises';
import * as http from 'node:http';
import * as https from 'node:https';
import { connect, type Socket } from 'node:net';
import path from 'node:path';
import { isRecord, parsedJson } from '../../core/base/json';
import { orNull } from '../files/file-system';
import { ConnectionError, httpRequest } from './http';

// The tokens of the configuration folder are for the servers of this folder alone, and any program can listen on a port. So a
// server first proves over the very connection that it holds the key of the folder, and only then gets a token over it.

/** The server's end of a connection: its own address and port; over a local socket the address is ''. */
export interface ServerEnd {
  readonly address: string;
  readonly port: number;
}

/** The path of the route that answers a proof. */
const PROOF_PATH = '/proof';
/** The time for a proof (ms). A server that starts answers once the vault is open. */
const PROOF_MS = 30_000;
const PROOF_BYTES = 16 * 1024;
/** The longest path of a local socket on every system (bytes): macOS has room for 104 with the zero at the end. */
const MAX_SOCKET_PATH = 103;

/**
 * Returns the proof of a server that holds `key`, for one connection. The server signs the end at which it sees the connection:
 * a program that passes the nonce on to it from another port or address gets a proof that does not fit there.
 * @param nonce what the client has drawn for this connection
 */
export function proofOf(key: Uint8Array, nonce: string, { address, port }: ServerEnd): string {
  // A key of its own, as the session key signs other texts too.
  const own = createHmac('sha256', key).update('brain-server proof').digest();
  return createHmac('sha256', own)
    .update([nonce, plainAddress(address), port].join('\n'))
    .digest('base64url');
}

/** Returns an address in one spelling: a socket that takes IPv4 and IPv6 sees IPv4 addresses as IPv6. */
function plainAddress(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, '');
}

/**
 * Returns where the server on a port has its local socket: in the configuration folder, when nobody else may enter that, else null;
 * on Windows a named pipe. Null also where the path is too long for a socket.
 */
export async function localSocket(folder: string, port: number): Promise<string | null> {
  if (process.platform === 'win32') {
    const name = createHmac('sha256', 'brain-server').update(folder.toLowerCase()).digest('hex').slice(0, 16);
    return `\\\\.\\pipe\\brain-server-${name}-${port}`;
  }
  const file = path.join(folder, `serve-${port}.sock`);
  if (Buffer.byteLength(file) > MAX_SOCKET_PATH) return null;
  const found = await orNull(stat(folder));
  return found !== null && (found.mode & 0o077) === 0 && found.uid === process.getuid?.() ? file : null;
}

/** What listens at an address has not proven to be a server of the configuration folder, so it gets no token of the folder. */
export class NotOurs extends Error {
  override readonly name = 'NotOurs';

  /** @param why there is no proof, or what was said could be read and passed on by others on the way */
  constructor(readonly why: 'unproven' | 'open') {
    super(`The server is not ours: ${why}.`);
  }
}

/** A connection to a server that has proven to be one of the configuration folder. */
export interface Channel {
  /** The address for requests over it. */
  readonly url: URL;
  /** Holds the one connection, for one request after another; it opens no other. Destroy it at the end. */
  readonly agent: http.Agent;
  /** The vault that the server serves; null when it does not tell, as over TCP. */
  readonly vault: string | null;
}

/** The servers of a configuration folder. */
export interface OwnServers {
  readonly folder: string;
  /** The key of the folder. */
  readonly key: Uint8Array;
}

/**
 * Opens a connection to the server at `url`, over its local socket where it has one, and has it prove that it holds the key of the
 * folder.
 * @throws NotOurs without a proof, ConnectionError when nothing answers
 */
export async function openChannel(
  url: URL,
  servers: OwnServers,
  { timeoutMs = PROOF_MS, signal }: { readonly timeoutMs?: number; readonly signal?: AbortSignal } = {},
): Promise<Channel> {
  const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80));
  const socket = ['127.0.0.1', 'localhost'].includes(url.hostname)
    ? await localSocket(servers.folder, port)
    : null;
  const options = { timeoutMs, ...(signal && { signal }) };
  if (socket !== null && (process.platform === 'win32' || (await orNull(lstat(socket))) !== null)) {
    const here = new URL(url);
    here.protocol = 'http:';
    here.port = String(port);
    try {
      return await proven(here, servers.key, options, { path: socket, port });
    } catch (error) {
      // What is left of a server that was killed; the port tells whether there is another one.
      if (!(error instanceof ConnectionError) || !['ECONNREFUSED', 'ENOENT'].includes(error.code))
        throw error;
    }
  }
  return proven(url, servers.key, options);
}

/** A local socket, and the port of the server behind it. */
interface LocalEnd {
  readonly path: string;
  readonly port: number;
}

async function proven(
  url: URL,
  key: Uint8Array,
  options: { readonly timeoutMs: number; readonly signal?: AbortSignal },
  local?: LocalEnd,
): Promise<Channel> {
  const { agent, connection } = oneConnection(url, local);
  try {
    const nonce = randomBytes(32).toString('base64url');
    const ask = new URL(`${url.pathname.replace(/\/$/, '')}${PROOF_PATH}?nonce=${nonce}`, url);
    const { status, text } = await httpRequest(ask, {
      ...{ method: 'GET', agent, maxBytes: PROOF_BYTES },
      ...options,
    });
    const { localAddress, remoteAddress = '', remotePort = 0 } = connection() ?? {};
    const end = local ? { address: '', port: local.port } : { address: remoteAddress, port: remotePort };
    const answer = status === 200 ? parsed(text) : {};
    if (!isEqual(answer.proof, proofOf(key, nonce, end))) throw new NotOurs('unproven');
    // Who sits on the way could pass on the whole connection.
    const staysHere = local !== undefined || localAddress === remoteAddress || isLoopback(remoteAddress);
    if (!staysHere && url.protocol !== 'https:') throw new NotOurs('open');
    return { url, agent, vault: typeof answer.vault === 'string' ? answer.vault : null };
  } catch (error) {
    agent.destroy();
    throw error;
  }
}

/** Returns an agent that opens one connection, so that nothing is sent to another program that has taken the port since. */
function oneConnection(url: URL, local?: LocalEnd): { agent: http.Agent; connection: () => Socket | null } {
  const { Agent } = url.protocol === 'https:' ? https : http;
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const open = agent.createConnection.bind(agent);
  let socket: Socket | null = null;
  agent.createConnection = (options, callback) => {
    if (socket !== null) {
      const lost = Object.assign(new Error('The connection was lost.'), { code: 'ECONNRESET' });
      callback?.(lost, socket);
      return null;
    }
    // Both make sockets: the type allows for other streams.
    socket = (local ? connect(local.path) : open(options, callback)) as Socket;
    return socket;
  };
  return { agent, connection: () => socket };
}

function isLoopback(address: string): boolean {
  return address === '::1' || /^127\./.test(plainAddress(address));
}

function parsed(text: string): Record<string, unknown> {
  const answer = parsedJson(text);
  return isRecord(answer) ? answer : {};
}

function isEqual(given: unknown, expected: string): boolean {
  const [a, b] = [Buffer.from(typeof given === 'string' ? given : ''), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}
