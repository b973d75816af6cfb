/**
 * The codes of a BrainError. The HTTP door has further ones for requests that it refuses before there is a route. A new code does
 * not compile until `HTTP_STATUS` of the HTTP door has its status.
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
  'placeholder_content',
  'not_unique',
  'not_there',
  'source_missing',
  'destination_exists',
  'not_in_queue',
  'in_queue',
  'unsupported_type',
  'no_text',
  'path_not_allowed',
  'ambiguous',
  'invalid_window',
  'unauthorized',
  'forbidden_origin',
  'forbidden_host',
  'forbidden_scope',
  'not_ours',
  'unsupported_media_type',
  'not_found',
  'note_not_found',
  'method_not_allowed',
  'not_acceptable',
  'note_exists',
  'taken',
  'hash_mismatch',
  'key_reused',
  'rejected_before',
  'too_large',
  'too_entangled',
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

/** Facts that help a caller to correct the call: allowed values, the current hash, the path that exists already. */
export type ErrorDetails = Readonly<Record<string, unknown>>;

/** The words of a door for an operation; undefined where it has none of its own. */
export type Vocabulary = (operation: string) => string | undefined;

/** Characters for private use, which surround the name of an operation and its plain words. No text of a caller has a use for them. */
const [OPEN, MIDDLE, CLOSE] = ['\uE000', '\uE001', '\uE002'];
const NAMED = new RegExp(`${OPEN}([^${MIDDLE}]*)${MIDDLE}([^${CLOSE}]*)${CLOSE}`, 'g');

/**
 * Returns a name of an operation for the message of a BrainError, which each door replaces by its own: `POST /update` over HTTP,
 * `brain_update` over MCP, `brain update` on the command line.
 * @param plain the words for a person, and for a door without words of its own
 */
export function called(operation: string, plain: string): string {
  return `${OPEN}${operation}${MIDDLE}${plain}${CLOSE}`;
}

/**
 * The only error that a caller may see. `message` says what happened and what to do next, in plain words, and is safe to show.
 * Every other error is an internal failure, and doors do not show its text.
 */
export class BrainError extends Error {
  override readonly name = 'BrainError';
  readonly #text: string;

  /** @param text the message, which may hold names of operations by `called` */
  constructor(
    readonly code: ErrorCode,
    text: string,
    readonly details?: ErrorDetails,
  ) {
    super(text.replace(NAMED, '$2'));
    this.#text = text;
  }

  /** Returns the message in the words of a door. */
  messageIn(words: Vocabulary): string {
    return this.#text.replace(NAMED, (_, name: string, plain: string) => words(name) ?? plain);
  }

  /** Returns the error with other details. */
  withDetails(details: ErrorDetails): BrainError {
    return new BrainError(this.code, this.#text, details);
  }
}

/** The error of work that begins when the vault is being closed. */
export function vaultClosed(): BrainError {
  return new BrainError('starting', 'The vault is being closed. Try again when the server runs.', {
    retry_after: 5,
  });
}
