import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { randomBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import * as z from 'zod';
import { cleanClient } from '../../core/access/tokens';

/** The client's description of itself, cut and cleaned; never a credential. */
export interface ClaimedClient {
  readonly name: string;
  readonly version?: string | undefined;
}

const payloadSchema = z.tuple([z.string(), z.string(), z.number(), z.string()]);

/** Cleans a client's description of itself; undefined when it has no usable name. */
export function claimedClient(info: unknown): ClaimedClient | undefined {
  const parsed = z.object({ name: z.unknown(), version: z.unknown() }).safeParse(info);
  const name = cleanClient(parsed.data?.name);
  return name === undefined ? undefined : { name, version: cleanClient(parsed.data?.version) };
}

/**
 * Returns a session id that holds the session: `base64url(JSON [name, version, time, nonce]).base64url(HMAC-SHA256)`.
 * Clients send it back with every request, so that each call names its client although the server stores nothing and may
 * have been restarted. `owner` is the verified token's name; `time` is in milliseconds since the epoch.
 */
export function issueSessionId(client: ClaimedClient, owner: string, key: Uint8Array, now: Date): string {
  const nonce = Buffer.from(randomBytes(9)).toString('base64url');
  const payload = [client.name, client.version ?? '', now.getTime(), nonce];
  const encoded = Buffer.from(JSON.stringify(payload)).toString('base64url');
  return `${encoded}.${sign(encoded, owner, key).toString('base64url')}`;
}

/**
 * Returns the client of a session id; undefined when the id is absent, forged, signed with another key or issued to another
 * token. That is no error: the token proves the caller, and a server that refuses old ids would make every client fail
 * after a restart.
 */
export function readSessionId(id: unknown, owner: string, key: Uint8Array): ClaimedClient | undefined {
  if (typeof id !== 'string') return undefined;
  const [encoded, mac, ...rest] = id.split('.');
  if (encoded === undefined || mac === undefined || rest.length > 0) return undefined;
  if (!sameBytes(Buffer.from(mac, 'base64url'), sign(encoded, owner, key))) return undefined;
  const parsed = payloadSchema.safeParse(JSON.parse(Buffer.from(encoded, 'base64url').toString()));
  if (!parsed.success) return undefined;
  const [name, version] = parsed.data;
  return claimedClient({ name, version });
}

function sign(encoded: string, owner: string, key: Uint8Array): Buffer {
  return Buffer.from(hmac(sha256, key, utf8ToBytes(`${owner}.${encoded}`)));
}

/** Compares in time that depends on the length alone, so that a signature cannot be guessed byte by byte. */
function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  let difference = a.length ^ b.length;
  for (let i = 0; i < b.length; i += 1) difference |= (a[i] ?? 0) ^ (b[i] ?? 0);
  return difference === 0;
}
