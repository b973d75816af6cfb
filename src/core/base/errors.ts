/**
 * Every error code that a caller can meet. The list is closed: doors map each one to a status, and a code
 * added here fails to compile until every door says what it means there.
 */
export const ERROR_CODES = [
  'invalid_json',
  'invalid_frontmatter',
  'unknown_field',
  'missing_field',
  'invalid_field',
  'empty_query',
  'invalid_wing',
  'invalid_hall',
  'invalid_filename',
  'invalid_slug',
  'wing_and_hall_required_together',
  'invalid_envelope',
  'invalid_source_type',
  'empty_content',
  'source_missing',
  'destination_exists',
  'not_in_queue',
  'in_queue',
  'unsupported_type',
  'no_text',
  'path_not_allowed',
  'invalid_window',
  'unauthorized',
  'forbidden_origin',
  'forbidden_host',
  'forbidden_scope',
  'unsupported_media_type',
  'not_found',
  'note_not_found',
  'method_not_allowed',
  'note_exists',
  'hash_mismatch',
  'too_large',
  'locked',
  'rate_limited',
  'internal',
  'not_implemented',
  'converter_error',
  'llm_error',
  'embed_error',
  'hybrid_not_configured',
  'starting',
  'busy',
] as const;

export type ErrorCode = (typeof ERROR_CODES)[number];

/** Facts that help a caller to correct the call: allowed values, the current hash, the path that is taken. */
export type ErrorDetails = Readonly<Record<string, unknown>>;

/**
 * The one error that may be shown to a caller. `message` says what was wrong and what to do next, and is
 * safe to show as it stands. Anything else that is thrown is an internal failure, of which doors say nothing.
 */
export class BrainError extends Error {
  override readonly name = 'BrainError';

  constructor(
    readonly code: ErrorCode,
    message: string,
    readonly details?: ErrorDetails,
  ) {
    super(message);
  }
}

/** What is told to work that comes when the vault has been given back. */
export function vaultClosed(): BrainError {
  return new BrainError('starting', 'The vault is being closed. Try again when the server runs.', {
    retry_after: 5,
  });
}
