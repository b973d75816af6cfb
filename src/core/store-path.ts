import { BrainError } from './errors';

/**
 * The second line behind the checks at the doors, for every store: whatever the core asks for, a path is relative, has no
 * `.` or `..`, and leads into nothing hidden.
 * @throws BrainError `path_not_allowed`.
 */
export function checkStorePath(at: string, isWindows: boolean): void {
  if (at.includes('\0') || (isWindows && /[\\:]/.test(at))) {
    throw notAllowed(at, 'contains a character that no note can have in its name');
  }
  // Every empty segment, `.`, `..` and hidden name shows at a separator.
  if (at === '' || /^\/|^\.|\/\/|\/\.|\/$/.test(at)) throw notAllowed(at, 'is no path of a note');
}

/** The refusal of a path, with what is wrong with it. */
export function notAllowed(at: string, problem: string): BrainError {
  return new BrainError('path_not_allowed', `"${at}" ${problem}. Give the path of a note inside the vault.`, {
    path: at,
  });
}

/** The refusal to read a file that is larger than whoever asks can take. */
export function tooLarge(at: string, maxBytes: number): BrainError {
  const limit = maxBytes < 1024 * 1024 ? `${maxBytes} bytes` : `${Math.floor(maxBytes / 1024 / 1024)} MiB`;
  return new BrainError('too_large', `"${at}" is larger than ${limit}. Split it, or make it smaller.`, {
    path: at,
    limit: maxBytes,
  });
}
