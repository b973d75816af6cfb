/** Returns the bytes of a column; Postgres gives a Buffer, the embedded one a plain array of bytes. */
export function bytesOf(value: unknown): Buffer {
  if (!(value instanceof Uint8Array))
    throw new Error('The database gave no bytes where a file has its body.');
  return Buffer.from(value.buffer, value.byteOffset, value.length);
}

/** Returns the text of a column. */
export function textOf(value: unknown): string {
  if (typeof value !== 'string') throw new Error('The database gave no text where one was asked for.');
  return value;
}
