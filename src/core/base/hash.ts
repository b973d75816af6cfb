import { sha256 as pureDigest } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { finish, type Steps } from './steps';

/** A SHA-256 as 64 lower-case hex digits. */
export type Sha = string & { readonly __brand: 'Sha' };

/** A change looks at the hash of one text several times on its way; so many texts are remembered for that. */
const MAX_RECENT = 8;
const recent = new Map<string, Sha>();

/** So much is hashed in one step, in bytes or in UTF-16 units of a text, where the host brings no faster way. */
const UNITS_PER_STEP = 1 << 16;

/** SHA-256 of the bytes, or of the UTF-8 bytes of a text: the same value as `sha256sum` of the file that holds it. */
export function sha256(data: string | Uint8Array): Sha {
  if (typeof data === 'string') return finish(sha256Steps(data));
  return (hostDigest?.(data) ?? bytesToHex(pureDigest(data))) as Sha; // The brand exists for the compiler only.
}

/** What `sha256` says of bytes or a text, a part of it a step; the host's own takes one, which is short. */
export function* sha256Steps(data: string | Uint8Array): Steps<Sha> {
  const known = typeof data === 'string' ? recent.get(data) : undefined;
  if (known !== undefined) return known;
  const hash = (hostDigest?.(data) ?? (yield* pureSteps(data))) as Sha;
  if (typeof data !== 'string') return hash;
  recent.set(data, hash);
  for (const oldest of recent.keys()) {
    if (recent.size <= MAX_RECENT) break;
    recent.delete(oldest);
  }
  return hash;
}

function* pureSteps(data: string | Uint8Array): Steps<string> {
  const digest = pureDigest.create();
  for (let from = 0; from < data.length;) {
    const end = from + UNITS_PER_STEP;
    // A pair of surrogates is one character, and four bytes.
    const to = typeof data === 'string' && isHighSurrogate(data.charCodeAt(end - 1)) ? end - 1 : end;
    digest.update(typeof data === 'string' ? utf8ToBytes(data.slice(from, to)) : data.subarray(from, to));
    from = to;
    if (from < data.length) yield;
  }
  return bytesToHex(digest.digest());
}

let hostDigest: ((data: string | Uint8Array) => string) | null = null;

/**
 * Lets a host bring its own SHA-256 (64 hex digits) of bytes, or of the UTF-8 bytes of a text, which is ten times as fast as
 * one in plain JavaScript.
 */
export function useDigest(ofHost: (data: string | Uint8Array) => string): void {
  hostDigest = ofHost;
}

/** True for 64 lower-case hex digits. */
export function isSha(text: unknown): text is Sha {
  return typeof text === 'string' && /^[0-9a-f]{64}$/.test(text);
}

/** Length of a text in UTF-8 bytes, which is what file systems and limits count. */
export function utf8Length(text: string): number {
  let bytes = text.length;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit < 0x80) continue;
    bytes += 1;
    if (unit < 0x800) continue;
    // A pair of surrogates takes two units and four bytes; one that stands alone is written as U+FFFD, which takes three.
    if (isHighSurrogate(unit) && isLowSurrogate(text.charCodeAt(at + 1))) at += 1;
    bytes += 1;
  }
  return bytes;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit < 0xe000;
}

/**
 * The UTF-8 bytes of JSON, with spaces, which mean nothing there, up to a multiple of eight: what stands behind them in a file
 * can be used as numbers.
 */
export function jsonBytes(json: string): Uint8Array<ArrayBuffer> {
  const text = utf8ToBytes(json);
  const bytes = new Uint8Array(8 * Math.ceil(text.length / 8)).fill(0x20);
  bytes.set(text);
  return bytes;
}

/** Bytes. */
export const MIB = 1024 * 1024;
