import { sha256 as digest } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';

/** A SHA-256 as 64 lower-case hex digits. */
export type Sha = string & { readonly __brand: 'Sha' };

/** SHA-256 of the bytes, or of the UTF-8 bytes of a text: the same value as `sha256sum` of the file that holds it. */
export function sha256(data: string | Uint8Array): Sha {
  const bytes = typeof data === 'string' ? utf8ToBytes(data) : data;
  return bytesToHex(digest(bytes)) as Sha; // The brand exists for the compiler only.
}

/** True for 64 lower-case hex digits. */
export function isSha(text: unknown): text is Sha {
  return typeof text === 'string' && /^[0-9a-f]{64}$/.test(text);
}

/** Length of a text in UTF-8 bytes, which is what file systems and limits count. */
export function utf8Length(text: string): number {
  return utf8ToBytes(text).length;
}
