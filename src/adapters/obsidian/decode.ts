import { BrainError } from '../../core/errors';

/** No note and no log comes near it, and beyond it the text might not fit into one string. */
const MAX_BYTES = 256 * 1024 * 1024;

/** The bytes as text, a BOM included. @throws BrainError `unsupported_type` when they are not UTF-8, or far too many. */
export function decode(bytes: ArrayBuffer, at: string): string {
  if (bytes.byteLength > MAX_BYTES) throw notText(at, `is larger than ${MAX_BYTES / 1024 / 1024} MiB`);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw notText(at, 'is not UTF-8 text'); // The decoder knows no other failure.
  }
}

function notText(at: string, problem: string): BrainError {
  return new BrainError('unsupported_type', `${at} ${problem}, so it cannot be read as a note.`, {
    path: at,
  });
}
