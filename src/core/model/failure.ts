import { BrainError } from '../base/errors';
import type { LogFields } from '../base/host';

/**
 * Returns an error of the model after which work continues without it: `llm_error` or `busy`.
 * @throws every other error
 */
export function modelFailure(thrown: unknown): BrainError {
  if (thrown instanceof BrainError && (thrown.code === 'llm_error' || thrown.code === 'busy')) return thrown;
  throw thrown;
}

/** Returns the fields of a model's failure for the log: its code, host and status, and nothing that was sent or received. */
export function failureFields({ code, details }: BrainError): LogFields {
  const { host, status } = details ?? {};
  return {
    code,
    ...(typeof host === 'string' && { host }),
    ...(typeof status === 'number' && { status }),
  };
}
