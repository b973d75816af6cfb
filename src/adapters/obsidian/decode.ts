import type { TFile } from 'obsidian';
import { BrainError } from '../../core/errors';
import { checkTextSize } from '../../core/text-limit';

/**
 * The text of a file, a BOM included; null when `read` finds it gone.
 * @throws BrainError `unsupported_type` when the bytes are not UTF-8, or too many; those are not read.
 */
export async function readText(
  file: TFile,
  read: (file: TFile) => Promise<ArrayBuffer | null>,
): Promise<string | null> {
  checkTextSize(file.path, file.stat.size);
  const bytes = await read(file);
  if (bytes === null) return null;
  // It may have grown, and the app has not heard of it yet.
  checkTextSize(file.path, bytes.byteLength);
  return decode(bytes, file.path);
}

function decode(bytes: ArrayBuffer, at: string): string {
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
