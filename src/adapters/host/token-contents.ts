import { randomBytes } from 'node:crypto';
import {
  createToken,
  hashToken,
  isScope,
  type Scope,
  SCOPES,
  type TokenLimits,
} from '../../core/access/tokens';
import { isSha, type Sha } from '../../core/base/hash';
import { isRecord, parsedJson } from '../../core/base/json';
import { type Timestamp, timestamp } from '../../core/base/time';
import { isLimited, storedLimits } from '../../core/vocabulary/token-limits';

/** A token in the file. Only the two tokens that programs of this machine read back keep their text. */
export interface SavedToken {
  readonly name: string;
  readonly hash: Sha;
  readonly scopes: readonly Scope[];
  readonly created_at: Timestamp;
  readonly token?: string;
  /** Absent for a token without limits. */
  readonly limits?: TokenLimits;
  /** Present for the token of a person. */
  readonly human?: true;
}

/** What a token is given beside its scopes. */
export interface TokenGrant extends TokenLimits {
  /** True for the token of a person, whose decisions carry `human:` and its name. */
  readonly human?: boolean;
}

/** The contents of `tokens.json`. `sessionKey` is 32 bytes and signs the ids of MCP sessions. */
export interface TokenContents {
  readonly sessionKey: Uint8Array;
  readonly tokens: readonly SavedToken[];
}

/** The tokens that always exist: the owner's, which the command line reads, and the one of `brain mcp`. */
const OWN_TOKENS = { owner: SCOPES, bridge: ['read', 'write'] } as const satisfies Record<
  string,
  readonly Scope[]
>;
export type OwnToken = keyof typeof OWN_TOKENS;

export function isOwnToken(name: string): name is OwnToken {
  return Object.hasOwn(OWN_TOKENS, name);
}

/** `tokens.json` cannot be used; the message says why, and the file stays as it is. */
export class TokenFileError extends Error {
  override readonly name = 'TokenFileError';
}

/** Makes a token: its text, and the entry of the file. */
export function newToken(
  name: string,
  scopes: readonly Scope[],
  now: Date,
  { human = false, ...limits }: TokenGrant = {},
): { text: string; saved: SavedToken } {
  const text = createToken();
  const saved = {
    ...{ name, hash: hashToken(text), scopes: [...scopes], created_at: timestamp(now) },
    ...(human && { human: true as const }),
  };
  if (isLimited(limits)) return { text, saved: { ...saved, limits } };
  return { text, saved: isOwnToken(name) ? { ...saved, token: text } : saved };
}

/** Returns the contents with the own tokens that were missing; the same object when none was. */
export function withOwnTokens(contents: TokenContents | null, now: Date): TokenContents {
  const tokens = contents?.tokens ?? [];
  const missing = Object.entries(OWN_TOKENS).filter(([name]) => !tokens.some((token) => token.name === name));
  if (contents !== null && missing.length === 0) return contents;
  const made = missing.map(([name, scopes]) => newToken(name, scopes, now).saved);
  return { sessionKey: contents?.sessionKey ?? randomBytes(32), tokens: [...made, ...tokens] };
}

/**
 * Returns the text of the file, indented, so that a person can read which tokens exist. Tokens with limits and those of persons
 * have lists of their own: a version of this program that does not know them does not see these tokens, and refuses them.
 */
export function printTokens({ sessionKey, tokens }: TokenContents): string {
  const key = Buffer.from(sessionKey).toString('base64url');
  const listOf = (some: readonly SavedToken[]) =>
    some.map(({ limits, human: _, ...token }) => ({
      ...token,
      ...{ read: limits?.read, write_wings: limits?.writeWings },
    }));
  const others = tokens.filter((token) => token.human !== true);
  const whole = listOf(others.filter(({ limits }) => limits === undefined));
  const limited = listOf(others.filter(({ limits }) => limits !== undefined));
  const human = listOf(tokens.filter((token) => token.human === true));
  const lists = {
    tokens: whole,
    ...(limited.length > 0 && { limited }),
    ...(human.length > 0 && { human }),
  };
  return `${JSON.stringify({ version: 1, session_key: key, ...lists }, null, 2)}\n`;
}

/**
 * Parses the text of the file.
 * @throws TokenFileError when it is not what `printTokens` writes: a part of a list must never pass for the whole list.
 */
export function parseTokens(text: string, file: string): TokenContents {
  const damaged = (what: string) =>
    new TokenFileError(`${file} is damaged: ${what}. Mend it, or move it away to start with new tokens.`);
  const data = parsedJson(text);
  if (data === undefined) throw damaged('it is not JSON');
  if (!isRecord(data)) throw damaged('it is not an object');
  if (data.version !== 1) throw damaged(`version is ${JSON.stringify(data.version)}, not 1`);
  const sessionKey = typeof data.session_key === 'string' ? Buffer.from(data.session_key, 'base64url') : null;
  if (sessionKey?.length !== 32) throw damaged('session_key is not 32 bytes');
  if (!Array.isArray(data.tokens)) throw damaged('tokens is not a list');
  const { limited = [], human = [] } = data;
  if (!Array.isArray(limited)) throw damaged('limited is not a list');
  if (!Array.isArray(human)) throw damaged('human is not a list');
  const parsed = (list: readonly unknown[], name: string, read: (entry: unknown) => SavedToken | null) =>
    list.map((entry, index) => {
      const token = read(entry);
      if (token === null) throw damaged(`entry ${index + 1} of ${name} is not a token`);
      return token;
    });
  const tokens = [
    ...parsed(data.tokens, 'tokens', savedToken),
    ...parsed(limited, 'limited', limitedToken),
    ...parsed(human, 'human', humanToken),
  ];
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

function limitedToken(entry: unknown): SavedToken | null {
  const saved = savedToken(entry);
  if (saved === null || !isRecord(entry)) return null;
  const limits = storedLimits(entry.read, entry.write_wings);
  return limits === null || !isLimited(limits) ? null : { ...saved, limits };
}

/** Parses the token of a person, which may have limits. The service's own tokens are none. */
function humanToken(entry: unknown): SavedToken | null {
  const saved = savedToken(entry);
  if (saved === null || !isRecord(entry) || isOwnToken(saved.name)) return null;
  const limits = storedLimits(entry.read, entry.write_wings);
  if (limits === null) return null;
  return { ...saved, human: true, ...(isLimited(limits) && { limits }) };
}
