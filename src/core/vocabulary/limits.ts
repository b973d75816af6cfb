import { MIB } from '../base/hash';
import { BrainError } from '../base/errors';
import { isNoteName } from './paths';

/** Most bytes of a note that is read. One that came from elsewhere may be larger than any that the service takes. */
export const MAX_NOTE_BYTES = 50 * MIB;
/** The same for texts that the service itself lets grow: the map of a wing, a log of sessions. */
const MAX_TEXT_BYTES = 256 * MIB;

/** Most bytes that the text at a path of the vault may have to be read. */
export function maxTextBytes(path: string): number {
  return isNoteName(path) ? MAX_NOTE_BYTES : MAX_TEXT_BYTES;
}

/**
 * To be asked before a text is read, so that one that is too large takes neither memory nor time.
 * @throws BrainError `unsupported_type` when the text at the path has more bytes than are read.
 */
export function checkTextSize(path: string, size: number): void {
  const most = maxTextBytes(path);
  if (size > most) throw textTooLarge(path, most);
}

/** The refusal of a text that has more than `most` bytes. */
export function textTooLarge(path: string, most: number): BrainError {
  const message = `"${path}" is larger than ${Math.floor(most / MIB)} MiB, so it is not read. Split it into smaller files.`;
  return new BrainError('unsupported_type', message, { path });
}

/** A size for a person, in whole MiB and never less than it is. */
export function inMebibytes(size: number): string {
  return `${Math.ceil(size / MIB)} MiB`;
}
