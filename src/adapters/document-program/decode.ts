import { BrainError } from '../../core/base/errors';

/** The byte order marks and their encodings. */
const MARKS: readonly (readonly [mark: readonly number[], encoding: string])[] = [
  [[0xef, 0xbb, 0xbf], 'utf-8'],
  [[0xff, 0xfe], 'utf-16le'],
  [[0xfe, 0xff], 'utf-16be'],
];

/**
 * Decodes a file: UTF-8, or UTF-16 with a byte order mark, which is not part of the text. Line ends become `\n`.
 * @throws BrainError `unsupported_type` when it is anything else
 */
export function decodeText(bytes: Uint8Array, name: string): string {
  const text = tryDecode(bytes);
  if (text !== null) return text;
  throw new BrainError(
    'unsupported_type',
    `${name} is not UTF-8 text. Save it as UTF-8, or UTF-16 with a byte order mark, and ingest it again.`,
  );
}

/** Decodes as `decodeText` does; null when the file is anything else. */
export function tryDecode(bytes: Uint8Array): string | null {
  const marked = MARKS.find(([mark]) => mark.every((byte, at) => bytes[at] === byte));
  const text = decodeAs(bytes, marked?.[1] ?? 'utf-8');
  // Text holds no NUL; programs, pictures and archives do.
  return text === null || text.includes('\0') ? null : text;
}

/** Decodes with the encoding of this name; null when the name is unknown or the bytes are invalid. */
export function decodeAs(bytes: Uint8Array, encoding: string): string | null {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes).replace(/\r\n?/g, '\n');
  } catch {
    return null;
  }
}
