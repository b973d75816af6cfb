import { bytesToHex, randomBytes } from '@noble/hashes/utils.js';

/** A mark for the fence around a text that a model reads as data; new every time, so no text can know it and end its fence. */
export function newMarker(): string {
  return bytesToHex(randomBytes(12));
}
