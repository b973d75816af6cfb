const BOM = '\uFEFF';
const encoder = new TextEncoder();

/** The bytes of a text in memory of their own. */
export function toBytes(text: string): Uint8Array {
  return encoder.encode(text);
}

/** UTF-8 to text as Node reads it: a byte order mark stays, bytes that are not UTF-8 become U+FFFD. */
export function toText(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
}

export function withoutBom(text: string): string {
  return text.startsWith(BOM) ? text.slice(BOM.length) : text;
}

/** A copy, so that no caller can change what is stored. */
export function toBuffer(bytes: Uint8Array): ArrayBuffer {
  const copy = new ArrayBuffer(bytes.byteLength);
  new Uint8Array(copy).set(bytes);
  return copy;
}

export function joinBytes(first: Uint8Array, second: Uint8Array): Uint8Array {
  const all = new Uint8Array(first.byteLength + second.byteLength);
  all.set(first);
  all.set(second, first.byteLength);
  return all;
}
