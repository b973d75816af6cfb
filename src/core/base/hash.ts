import { sha256 as pureDigest } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { finish, type Steps } from './steps';

/** A SHA-256 as 64 lower-case hex digits. */
export type Sha = string & { readonly __brand: 'Sha' };

/** The texts whose hashes are kept: a change asks for the hash of one text several times. */
const MAX_RECENT = 8;
const recent = new Map<string, Sha>();

/** The data that one step hashes when the host brings no SHA-256 of its own (bytes, or UTF-16 units of a text). */
const UNITS_PER_STEP = 1 << 16;

/** Returns the SHA-256 of bytes, or of the UTF-8 bytes of a text: the value that `sha256sum` prints for the file. */
export function sha256(data: string | Uint8Array): Sha {
  if (typeof data === 'string') return finish(sha256Steps(data));
  return (hostDigest?.(data) ?? bytesToHex(pureDigest(data))) as Sha; // The brand exists for the compiler only.
}

/** Computes `sha256` in steps. The host's own function takes one step, which is short. */
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
    // A surrogate pair is one character of four bytes and must not be cut.
    const to = typeof data === 'string' && isHighSurrogate(data.charCodeAt(end - 1)) ? end - 1 : end;
    digest.update(typeof data === 'string' ? utf8ToBytes(data.slice(from, to)) : data.subarray(from, to));
    from = to;
    if (from < data.length) yield;
  }
  return bytesToHex(digest.digest());
}

let hostDigest: ((data: string | Uint8Array) => string) | null = null;

/**
 * Sets the host's own SHA-256 (64 hex digits) of bytes, or of the UTF-8 bytes of a text. It is ten times as fast as the one in
 * plain JavaScript.
 */
export function useDigest(ofHost: (data: string | Uint8Array) => string): void {
  hostDigest = ofHost;
}

/** Returns true for 64 lower-case hex digits. */
export function isSha(text: unknown): text is Sha {
  return typeof text === 'string' && /^[0-9a-f]{64}$/.test(text);
}

/** Returns the length of a text in UTF-8 bytes, the unit of file systems and limits. */
export function utf8Length(text: string): number {
  let bytes = text.length;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit < 0x80) continue;
    bytes += 1;
    if (unit < 0x800) continue;
    // A surrogate pair has two units and four bytes. A lone surrogate is written as U+FFFD, which has three bytes.
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
 * Encodes JSON as UTF-8 and pads it with spaces to a multiple of eight bytes, so that arrays of numbers behind it in a file are
 * aligned.
 */
export function jsonBytes(json: string): Uint8Array<ArrayBuffer> {
  const text = utf8ToBytes(json);
  const bytes = new Uint8Array(8 * Math.ceil(text.length / 8)).fill(0x20);
  bytes.set(text);
  return bytes;
}

/** One mebibyte (bytes). */
export const MIB = 1024 * 1024;
