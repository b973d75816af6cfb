import { hasCode } from '../adapters/node/file-system';
import { CommandError } from './io';

/** Says in plain words why a file that a person has named cannot be read. */
export function unreadable(file: string, error: unknown): CommandError {
  return new CommandError(`${file} cannot be read: ${reasonOf(error)}`);
}

function reasonOf(error: unknown): string {
  if (hasCode(error, 'ENOENT', 'ENOTDIR')) return 'there is no such file.';
  if (hasCode(error, 'EISDIR')) return 'it is a folder.';
  if (hasCode(error, 'EACCES', 'EPERM')) return 'this user may not read it.';
  return error instanceof Error ? error.message : String(error);
}
