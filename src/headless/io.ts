import type { Readable, Writable } from 'node:stream';

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
