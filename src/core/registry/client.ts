import type * as z from 'zod';
import type { OperationName } from '../operation/descriptors';
import type { OPERATIONS } from './table';

/** What an operation is asked. */
export type Ask<Name extends OperationName> = z.input<(typeof OPERATIONS)[Name]['input']>;
/** What an operation answers. */
export type Answer<Name extends OperationName> = z.input<(typeof OPERATIONS)[Name]['output']>;

/**
 * The screens' only way to the vault: `createLocalClient` in process inside Obsidian, `createHttpClient` on the web page. Both answer
 * the same.
 */
export interface BrainClient {
  /** @throws CallError with the operation's own code, or `unreachable` when no server answered. */
  call<Name extends OperationName>(name: Name, ask: Ask<Name>): Promise<Answer<Name>>;
  /** Calls `listener` soon after anything in the vault has changed, whoever changed it. Returns how to stop that. */
  changes(listener: () => void): () => void;
}

/** A call that did not succeed. `message` is for the person; nothing was changed unless the code says otherwise. */
export class CallError extends Error {
  override readonly name = 'CallError';

  constructor(
    /** A code of the service (`destination_exists`, `internal`), or `unreachable`. */
    readonly code: string,
    message: string,
    readonly details: Readonly<Record<string, unknown>> = {},
    /** Finds the call in the log of the server. */
    readonly requestId?: string,
  ) {
    super(message);
  }
}
