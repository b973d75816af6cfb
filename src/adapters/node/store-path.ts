import { notAllowed } from './folders';

/**
 * The second line behind the checks at the doors: whatever the core asks for, a path of the store is relative, has no
 * `.` or `..`, and leads into nothing hidden.
 * @throws BrainError `path_not_allowed`.
 */
export function checkPath(at: string): void {
  if (at.includes('\0') || (process.platform === 'win32' && /[\\:]/.test(at))) {
    throw notAllowed(at, 'contains a character that no note can have in its name');
  }
  // Every empty segment, `.`, `..` and hidden name shows at a separator.
  if (at === '' || /^\/|^\.|\/\/|\/\.|\/$/.test(at)) throw notAllowed(at, 'is no path of a note');
}
