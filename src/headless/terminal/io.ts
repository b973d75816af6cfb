import type { Readable, Writable } from 'node:stream';
import { hasCode } from '../../adapters/files/file-system';

/** An output stream; `isTTY` is true when a person reads it. */
export type Output = Writable & { readonly isTTY?: boolean };

/** The parts of the process that a command uses, so that it can run without one. */
export interface Io {
  readonly env: Record<string, string | undefined>;
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Output;
  readonly stderr: Output;
  /** The command that starts this program, for hints that can be pasted: `brain`, or `node dist/brain.mjs`. */
  readonly command: string;
  /** The words with which a client starts this program, with absolute paths. */
  readonly program: readonly string[];
}

/** The call itself is wrong, and the service was not called: exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/**
 * The command was valid and failed: exit code 1. `code` is the service's error code, if it gave one, `body` the exact text
 * of its answer, and `retryAfter` the time after which the call may succeed (s).
 */
export class CommandError extends Error {
  override readonly name: string = 'CommandError';

  constructor(
    message: string,
    readonly code?: string,
    readonly body?: string,
    readonly retryAfter?: number,
  ) {
    super(message);
  }
}

/** The command has printed its whole answer, which tells of failures: exit code 1, and nothing more on standard output. */
export class FailedAnswer extends CommandError {
  override readonly name = 'FailedAnswer';
}

/** No Brain Server answers at the address: exit code 1. */
export class Unreachable extends CommandError {
  override readonly name = 'Unreachable';
}

/** A person has ended the command (Ctrl-C): exit code 130. `answered` is true when it has printed its answer. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';

  constructor(
    message = 'Interrupted.',
    readonly answered = false,
  ) {
    super(message);
  }
}

/** The exit code after Ctrl-C: 128 and the number of SIGINT. */
export const INTERRUPTED = 130;

/**
 * Runs work that ends in good order after Ctrl-C: the first one aborts `signal`, the second ends the program with 130.
 * Resolves with the outcome of the work.
 */
export async function interruptible<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const control = new AbortController();
  const interrupt = (): void => {
    if (control.signal.aborted) process.exit(INTERRUPTED);
    control.abort();
  };
  process.on('SIGINT', interrupt);
  try {
    return await work(control.signal);
  } finally {
    process.off('SIGINT', interrupt);
  }
}

/** Returns the error for a file that a person has named and that cannot be read. */
export function unreadable(file: string, error: unknown): CommandError {
  return new CommandError(`${file} cannot be read: ${reasonOf(error)}`);
}

/** Explains output that cannot be written, as to a full disk. The system's message has the form `ENOSPC: words, write`. */
export function unwritten({ message }: Error): string {
  const words = /^[A-Z]+: (.+), \w+$/.exec(message)?.[1] ?? message;
  return `The output could not be written: ${words}.`;
}

/** Returns why a folder cannot be used: a file in its place, or its rights; null for any other error. */
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
