import type { Readable, Writable } from 'node:stream';
import { hasCode } from '../../adapters/files/file-system';

/** Where a program writes; `isTTY` is true when a person watches. */
export type Output = Writable & { readonly isTTY?: boolean };

/** What a command touches of its process, so that it can be run without one. */
export interface Io {
  readonly env: Record<string, string | undefined>;
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Output;
  readonly stderr: Output;
  /** How a person can start this program again, for hints that can be pasted: `brain`, or `node dist/brain.mjs`. */
  readonly command: string;
  /** What a client has to start to start this program: whole paths, each a word of its own. */
  readonly program: readonly string[];
}

/** The call itself is wrong, before the service was asked: exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/**
 * The command was understood and did not succeed: exit code 1. `code` is the service's error code, when it gave one, and `body`
 * its whole answer, letter by letter.
 */
export class CommandError extends Error {
  override readonly name = 'CommandError';

  constructor(
    message: string,
    readonly code?: string,
    readonly body?: string,
  ) {
    super(message);
  }
}

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
