import { BrainError } from '../base/errors';
import type { LogFields } from '../base/host';

/**
 * The failure of a model that work goes on without: it cannot be reached, gave no usable reply, or has too much to do.
 * @throws what was thrown, when it is anything else
 */
export function modelFailure(thrown: unknown): BrainError {
  if (thrown instanceof BrainError && (thrown.code === 'llm_error' || thrown.code === 'busy')) return thrown;
  throw thrown;
}

/** What a log may say of it: the address and the status of the service, and nothing that was sent or came back. */
export function failureFields({ code, details }: BrainError): LogFields {
  const { host, status } = details ?? {};
  return {
    code,
    ...(typeof host === 'string' && { host }),
    ...(typeof status === 'number' && { status }),
  };
}
