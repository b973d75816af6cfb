/** Names that the service gives itself, or that would read like a person. */
const RESERVED: readonly string[] = ['human', 'page', 'bridge', 'owner', 'watcher'];

/**
 * What keeps a name from being that of a token, as the service would say it; null when nothing does. Whether another token has
 * it is for the service to say.
 */
export function nameFault(name: string): string | null {
  if (!/^[a-z0-9][a-z0-9-]{0,31}$/.test(name)) {
    return 'A token name has 1 to 32 characters: lower-case letters, digits and "-", and starts with a letter or a digit.';
  }
  return RESERVED.includes(name) ? `The name "${name}" is taken by the service. Choose another one.` : null;
}
