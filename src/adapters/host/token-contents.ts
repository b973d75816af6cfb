import { randomBytes } from 'node:crypto';
import { type Scope, SCOPES } from '../../core/access/caller';
import { createToken, hashToken } from '../../core/access/tokens';
import { isSha, type Sha } from '../../core/base/hash';
import { isRecord } from '../../core/base/json';
import { type Timestamp, timestamp } from '../../core/base/time';

/** A token as the file keeps it. Only the two that programs of this machine must read back keep their text. */
export interface SavedToken {
  readonly name: string;
  readonly hash: Sha;
  readonly scopes: readonly Scope[];
  readonly created_at: Timestamp;
  readonly token?: string;
}

/** What `tokens.json` holds. `sessionKey` is 32 bytes and signs the ids of MCP sessions. */
export interface TokenContents {
  readonly sessionKey: Uint8Array;
  readonly tokens: readonly SavedToken[];
}

/** The tokens that are always there: the person's own, read by the command line, and the one of `brain mcp`. */
const OWN_TOKENS = { owner: SCOPES, bridge: ['read', 'write'] } as const satisfies Record<
  string,
  readonly Scope[]
>;
export type OwnToken = keyof typeof OWN_TOKENS;

export function isOwnToken(name: string): name is OwnToken {
  return Object.hasOwn(OWN_TOKENS, name);
}

/** Something in `tokens.json` cannot be used; the message says what, and the file stays as it is. */
export class TokenFileError extends Error {
  override readonly name = 'TokenFileError';
}

/** A fresh token: its text, and what is saved of it. */
export function newToken(
  name: string,
  scopes: readonly Scope[],
  now: Date,
): { text: string; saved: SavedToken } {
  const text = createToken();
  const saved = { name, hash: hashToken(text), scopes: [...scopes], created_at: timestamp(now) };
  return { text, saved: isOwnToken(name) ? { ...saved, token: text } : saved };
}

/** The contents with every own token that was missing; the same object when none was. */
export function withOwnTokens(contents: TokenContents | null, now: Date): TokenContents {
  const tokens = contents?.tokens ?? [];
  const missing = Object.entries(OWN_TOKENS).filter(([name]) => !tokens.some((token) => token.name === name));
  if (contents !== null && missing.length === 0) return contents;
  const made = missing.map(([name, scopes]) => newToken(name, scopes, now).saved);
  return { sessionKey: contents?.sessionKey ?? randomBytes(32), tokens: [...made, ...tokens] };
}

/** The file's text: indented, so that a person who looks can see which tokens exist. */
export function printTokens({ sessionKey, tokens }: TokenContents): string {
  const key = Buffer.from(sessionKey).toString('base64url');
  return `${JSON.stringify({ version: 1, session_key: key, tokens }, null, 2)}\n`;
}

/**
 * Reads the file's text.
 * @throws TokenFileError when it is not what `printTokens` makes: half a token list must never pass for a whole one.
 */
export function parseTokens(text: string, file: string): TokenContents {
  const damaged = (what: string) =>
    new TokenFileError(`${file} is damaged: ${what}. Mend it, or move it away to start with new tokens.`);
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch {
    throw damaged('it is not JSON');
  }
  if (!isRecord(data)) throw damaged('it is not an object');
  if (data.version !== 1) throw damaged(`version is ${JSON.stringify(data.version)}, not 1`);
  const sessionKey = typeof data.session_key === 'string' ? Buffer.from(data.session_key, 'base64url') : null;
  if (sessionKey?.length !== 32) throw damaged('session_key is not 32 bytes');
  if (!Array.isArray(data.tokens)) throw damaged('tokens is not a list');
  const tokens = data.tokens.map((entry: unknown, index) => {
    const token = savedToken(entry);
    if (token === null) throw damaged(`entry ${index + 1} of tokens is not a token`);
    return token;
  });
  if (new Set(tokens.map(({ name }) => name)).size < tokens.length) throw damaged('two tokens have one name');
  return { sessionKey, tokens };
}

function savedToken(entry: unknown): SavedToken | null {
  if (!isRecord(entry)) return null;
  const { name, hash, scopes, created_at, token } = entry;
  if (typeof name !== 'string' || name === '' || typeof created_at !== 'string') return null;
  if (typeof hash !== 'string' || !isSha(hash) || !Array.isArray(scopes) || !scopes.every(isScope))
    return null;
  const saved = { name, hash, scopes, created_at };
  if (token === undefined) return saved;
  return typeof token === 'string' && hashToken(token) === hash ? { ...saved, token } : null;
}

export function isScope(value: unknown): value is Scope {
  return SCOPES.some((scope) => scope === value);
}
