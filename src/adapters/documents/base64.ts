/** Bytes that are written at once, a multiple of three: what follows goes on without a gap. */
const CHUNK = 3 * 8192;
/** After so many of them others have their turn. */
const CHUNKS_AT_ONCE = 32;

/** Bytes in base64 (RFC 4648). Holds the thread for a few milliseconds at a time. */
export async function base64(bytes: Uint8Array, breathe: () => Promise<void>): Promise<string> {
  const parts: string[] = [];
  for (let from = 0; from < bytes.length; from += CHUNK) {
    parts.push(btoa(String.fromCharCode(...bytes.subarray(from, from + CHUNK))));
    if (parts.length % CHUNKS_AT_ONCE === 0) await breathe();
  }
  return parts.join('');
}
