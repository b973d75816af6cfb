import type * as z from 'zod';
import type { OperationName } from '../operation/descriptors';
import type { OPERATIONS } from './table';

/** The input of an operation. */
export type Ask<Name extends OperationName> = z.input<(typeof OPERATIONS)[Name]['input']>;
/** The output of an operation. */
export type Answer<Name extends OperationName> = z.input<(typeof OPERATIONS)[Name]['output']>;

/**
 * The screens' access to the vault: `createLocalClient` in process inside Obsidian, `createHttpClient` on the web page. Both
 * give the same answers.
 */
export interface BrainClient {
  /** @throws CallError with the code of the operation, or `unreachable` when no server answered */
  call<Name extends OperationName>(name: Name, ask: Ask<Name>): Promise<Answer<Name>>;
  /** Calls `listener` soon after any change in the vault, by anyone. Returns a function that stops that. */
  changes(listener: () => void): () => void;
}

/** A failed call. `message` is for the person. With `isUnknown` in the details it may have changed something. */
export class CallError extends Error {
  override readonly name = 'CallError';

  constructor(
    /** A code of the service (`destination_exists`, `internal`), or `unreachable`. */
    readonly code: string,
    message: string,
    readonly details: Readonly<Record<string, unknown>> = {},
    /** Identifies the call in the log of the server. */
    readonly requestId?: string,
  ) {
    super(message);
  }
}
