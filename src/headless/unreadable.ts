import { hasCode } from '../adapters/node/file-system';
import { CommandError } from './io';

/** Says in plain words why a file that a person has named cannot be read. */
export function unreadable(file: string, error: unknown): CommandError {
  return new CommandError(`${file} cannot be read: ${reasonOf(error)}`);
}

/** The same of output that cannot be written, as to a full disk; what the system says comes as `ENOSPC: its words, write`. */
export function unwritten({ message }: Error): string {
  const words = /^[A-Z]+: (.+), \w+$/.exec(message)?.[1] ?? message;
  return `The output could not be written: ${words}.`;
}

/** What keeps a folder from being used: a file that stands in its place, or its rights; null for any other error. */
export function folderProblem(error: unknown): 'taken' | 'forbidden' | null {
  if (hasCode(error, 'EEXIST', 'ENOTDIR')) return 'taken';
  return hasCode(error, 'EACCES', 'EROFS', 'EPERM') ? 'forbidden' : null;
}

function reasonOf(error: unknown): string {
  if (hasCode(error, 'ENOENT', 'ENOTDIR')) return 'there is no such file.';
  if (hasCode(error, 'EISDIR')) return 'it is a folder.';
  if (hasCode(error, 'EACCES', 'EPERM')) return 'this user may not read it.';
  return error instanceof Error ? error.message : String(error);
}
