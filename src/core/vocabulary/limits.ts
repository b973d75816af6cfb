import { MIB } from '../base/hash';
import { BrainError } from '../base/errors';
import { isNoteName } from './paths';

/** The largest note that is read (bytes). A note from elsewhere may be larger than those that the service accepts. */
export const MAX_NOTE_BYTES = 50 * MIB;
/** The largest text of the service itself that is read (bytes): the map of a wing, a log of sessions. */
const MAX_TEXT_BYTES = 256 * MIB;

/** Returns the largest size at which the text at a path is read (bytes). */
export function maxTextBytes(path: string): number {
  return isNoteName(path) ? MAX_NOTE_BYTES : MAX_TEXT_BYTES;
}

/**
 * Checks the size of a text before it is read, so that a text that is too large takes neither memory nor time.
 * @throws BrainError `unsupported_type` when the text at the path has more bytes than are read.
 */
export function checkTextSize(path: string, size: number): void {
  const most = maxTextBytes(path);
  if (size > most) throw textTooLarge(path, most);
}

/** Returns the error for a text of more than `most` bytes. */
export function textTooLarge(path: string, most: number): BrainError {
  const message = `"${path}" is larger than ${Math.floor(most / MIB)} MiB, so it is not read. Split it into smaller files.`;
  return new BrainError('unsupported_type', message, { path });
}

/** Formats a size in whole MiB, rounded up. */
export function inMebibytes(size: number): string {
  return `${Math.ceil(size / MIB)} MiB`;
}
