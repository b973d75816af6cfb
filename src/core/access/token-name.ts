/**
 * Token names that the service uses itself, or that look like a person in a note's `written_by`. `local` is the name of every
 * caller without authentication.
 */
export const RESERVED_TOKEN_NAMES: readonly string[] = [
  'human',
  'page',
  'bridge',
  'owner',
  'watcher',
  'local',
];

/** Returns a sentence that says why a token may not have this name; null when it may. */
export function tokenNameFault(name: string): string | null {
  if (!/^[a-z0-9][a-z0-9-]{0,31}$/.test(name)) {
    return 'A token name has 1 to 32 characters: lower-case letters, digits and "-", and starts with a letter or a digit.';
  }
  return RESERVED_TOKEN_NAMES.includes(name)
    ? `The name "${name}" is taken by the service. Choose another one.`
    : null;
}

/** The header that the web page sends with its requests. A page of another site cannot send it: no answer allows that. */
export const PAGE_HEADER = 'X-Brain-Page';
