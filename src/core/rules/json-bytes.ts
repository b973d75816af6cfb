import { utf8ToBytes } from '@noble/hashes/utils.js';

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

export const MIB = 1024 * 1024;
