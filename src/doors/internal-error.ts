import { BrainError } from '../core/errors';

/** All that a caller is told of a failure that is not its own. */
export const INTERNAL = new BrainError(
  'internal',
  'Something went wrong inside the service. Nothing about it is known here; the log has it under this request id.',
);

/** What may be logged of an unexpected error: its kind, the system's code, and the innermost places in our code. */
export function traceOf(thrown: unknown): Readonly<Record<string, string>> {
  if (!(thrown instanceof Error)) return { error: typeof thrown };
  const frames = (thrown.stack ?? '').split('\n').filter((line) => /^ {4}at /.test(line));
  const code = 'code' in thrown && typeof thrown.code === 'string' ? { code: thrown.code } : {};
  return {
    error: thrown.name,
    ...code,
    at: frames
      .slice(0, 4)
      .map((line) => line.trim())
      .join(' '),
  };
}
