import type { Environment } from '../adapters/node/config-folder';
import { UsageError } from './io';

export const UNSENDABLE =
  'BRAIN_TOKEN cannot be sent in a header: use letters, digits and any of - . _ ~ + / only, such as `openssl rand -hex 32` gives.';

/** True for what may stand behind `Bearer` (RFC 6750, section 2.1). */
export function isSendable(token: string): boolean {
  return /^[\w.~+/-]+=*$/.test(token);
}

/**
 * The token that a client is to send, if its environment gives one: without the line feed that the file it came from ended
 * with, and none where a desktop client has left the name of an empty setting in its place (`${user_config.token}`).
 * @throws UsageError when it cannot be sent.
 */
export function clientTokenOf(env: Environment): string | undefined {
  const token = env.BRAIN_TOKEN?.trim() ?? '';
  if (token === '' || /^\$\{[\w.]+\}$/.test(token)) return undefined;
  if (!isSendable(token)) throw new UsageError(UNSENDABLE);
  return token;
}
