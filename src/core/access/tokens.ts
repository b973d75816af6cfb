import { randomBytes } from '@noble/hashes/utils.js';
import { BrainError } from '../base/errors';
import { type Sha, sha256 } from '../base/hash';
import { hideSecrets } from '../base/redact';
import { PAGE_HEADER, tokenNameFault } from './token-name';

/** The name of the token that the first start makes for the owner of the vault. */
const OWNER = 'owner';

/** The permissions of a credential. `write` includes `propose`; none includes `review` or `admin`. */
export const SCOPES = ['read', 'propose', 'write', 'review', 'admin'] as const;
export type Scope = (typeof SCOPES)[number];

export function isScope(value: unknown): value is Scope {
  return SCOPES.some((scope) => scope === value);
}

/** The door of a call, which notes carry as `origin`. */
export const ORIGINS = ['mcp', 'http', 'watcher', 'obsidian', 'web'] as const;
export type Origin = (typeof ORIGINS)[number];

/** The limits of a token, beside its scopes. An absent one limits nothing. */
export interface TokenLimits {
  /** Folders and files of the vault, as `readPaths` returns them: nothing else exists for the token. */
  readonly read?: readonly string[];
  /** Wings, as `wingNames` returns them: the token writes into no other, and into nothing without a wing but the queue. */
  readonly writeWings?: readonly string[];
}

/** The verified caller of an operation. The door makes it from the credential, never from the call's arguments. */
export interface Caller {
  readonly origin: Origin;
  /** The name of the verified token; `local` without authentication; the person's name when `human`. */
  readonly name: string;
  /** True for a person: in Obsidian, on the web page with the page token or the owner's, or over HTTP with a token of their own. */
  readonly human: boolean;
  /** True for the owner's token and, where no token is asked for, for everyone. */
  readonly owner?: boolean;
  readonly scopes: ReadonlySet<Scope>;
  /** The client's own name and version (`claude-code 2.1.300`), an unverified claim, cleaned by `cleanClient`. */
  readonly client?: string;
  /** Absent for a caller without limits. */
  readonly limits?: TokenLimits;
}

/**
 * Returns true for a caller that acts for the owner of the vault: a person, the owner's token, and everyone where no token is
 * asked for.
 */
export function actsForOwner({ human, owner = false }: Caller): boolean {
  return human || owner;
}

/** Returns true when the caller has the scope, or a scope that includes it. */
export function allows(caller: Caller, scope: Scope): boolean {
  return caller.scopes.has(scope) || (scope === 'propose' && caller.scopes.has('write'));
}

const MAX_CLIENT = 48;

/**
 * Cleans a client's own name and version to `name version`, at most 48 characters that are safe in front matter and in a log
 * line. Credentials are removed: a client may send its token as its name, and notes carry the name. Returns undefined when
 * nothing usable is left.
 */
export function cleanClient(name: unknown, version?: unknown): string | undefined {
  if (typeof name !== 'string') return undefined;
  const claim =
    typeof version === 'string' ? `${name.slice(0, 500)} ${version.slice(0, 500)}` : name.slice(0, 500);
  const cut = usable(hideSecrets(claim)).slice(0, MAX_CLIENT).trim();
  // The removed characters may have separated the letters of a credential, so it is redacted again.
  const clean = usable(hideSecrets(cut));
  return clean === '' ? undefined : clean;
}

function usable(claim: string): string {
  return claim.replace(/[^A-Za-z0-9 ._/+-]/g, '').trim();
}

/** The name and the permissions of a verified token. */
export interface Credential {
  readonly name: string;
  readonly scopes: ReadonlySet<Scope>;
  /** True for the token of the web page: its caller is the person of this server. */
  readonly page: boolean;
  /** True for the token of a person who bears the token's name. */
  readonly human?: boolean;
  readonly limits?: TokenLimits;
}

/** A store of tokens, which holds only their hashes. */
export interface TokenStore {
  /** Resolves with the token's credential; null for an unknown token. It takes equal time for every wrong token. */
  verify(token: string): Promise<Credential | null>;
}

export const ALL_SCOPES: ReadonlySet<Scope> = new Set(SCOPES);

/** @throws BrainError `invalid_field` when a person may not give a token this name. */
export function checkTokenName(name: string): void {
  const fault = tokenNameFault(name);
  if (fault !== null) throw new BrainError('invalid_field', fault, { field: 'name' });
}

/** The shortest token that the owner may choose (characters). Wrong tokens are not counted, so a shorter one can be guessed. */
const MIN_CHOSEN_TOKEN = 32;

/** Returns a sentence that says why the owner's own token is too weak and how to make one; null when it is not. */
export function ownTokenFault(token: string): string | null {
  if (token.length >= MIN_CHOSEN_TOKEN) return null;
  return (
    `BRAIN_TOKEN has ${token.length} characters; it must have at least ${MIN_CHOSEN_TOKEN}. Make one with \`openssl rand -hex 32\`, ` +
    'or unset BRAIN_TOKEN to use the token that the first start has made.'
  );
}

const BASE64URL = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** Makes a token: 32 random bytes in base64url (RFC 4648, section 5), 43 characters. */
export function createToken(): string {
  let token = '';
  let [bits, held] = [0, 0];
  for (const byte of randomBytes(32)) {
    bits = (bits << 8) | byte;
    for (held += 8; held >= 6; bits &= (1 << held) - 1) {
      held -= 6;
      token += BASE64URL.charAt(bits >> held);
    }
  }
  return token + BASE64URL.charAt(bits << (6 - held));
}

/** Returns the hash that is stored and compared. Tokens are random, so a plain hash is safe against guessing. */
export function hashToken(token: string): Sha {
  return sha256(token);
}

/** Returns the entry with this hash, or null. It compares every digit of every entry, in constant time. */
export function findToken<Entry extends { readonly hash: Sha }>(
  hash: Sha,
  entries: readonly Entry[],
): Entry | null {
  let found: Entry | null = null;
  for (const entry of entries) {
    let difference = hash.length ^ entry.hash.length;
    for (let i = 0; i < hash.length; i++) difference |= hash.charCodeAt(i) ^ entry.hash.charCodeAt(i);
    if (difference === 0) found = entry;
  }
  return found;
}

/** Makes a token for the web page, with all scopes. It exists in memory only, for one run of the server. */
export function createPageToken(): { readonly token: string; readonly store: TokenStore } {
  const token = createToken();
  const entry = { hash: hashToken(token), name: 'page', scopes: ALL_SCOPES, page: true };
  return { token, store: { verify: async (given) => findToken(hashToken(given), [entry]) } };
}

/**
 * Joins token stores: the first that knows a token answers. All are asked, so that the time reveals nothing. The error of one that
 * cannot answer is thrown only when no other knows the token.
 */
export function joinTokenStores(...stores: readonly TokenStore[]): TokenStore {
  return {
    async verify(token) {
      const answers = await Promise.allSettled(stores.map((store) => store.verify(token)));
      for (const answer of answers)
        if (answer.status === 'fulfilled' && answer.value !== null) return answer.value;
      for (const answer of answers) if (answer.status === 'rejected') throw answer.reason;
      return null;
    },
  };
}

/** The means of a door to identify its callers. */
export interface Authentication {
  readonly tokens: TokenStore;
  /** False when the owner has switched authentication off: everyone who can reach the port has all scopes. */
  readonly required: boolean;
  /** The name of the person who uses the web page. */
  readonly humanName: string;
}

/** The headers of a Node request, joined and, in `headersDistinct`, one by one. */
export interface RequestHeaders {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly headersDistinct: Readonly<Record<string, string[] | undefined>>;
}

/** The scopes that a person's token has over MCP, where a model acts: those of every agent. */
const AGENT_SCOPES: readonly Scope[] = ['read', 'propose', 'write'];

/**
 * Identifies the caller by the request's headers. A person's token is a person's over HTTP only: over MCP its caller is an agent
 * with the name of the token, without the scopes `review` and `admin`.
 * @throws BrainError `unauthorized` for every kind of missing or wrong token. Wrong tokens are not counted, because any local
 * program could then lock the owner out.
 */
export async function authenticate(
  req: RequestHeaders,
  door: Exclude<Origin, 'web'>,
  auth: Authentication,
): Promise<Caller> {
  const claimed = cleanClient(req.headers['x-brain-client']);
  const client = claimed === undefined ? {} : { client: claimed };
  if (!auth.required)
    return { origin: door, name: 'local', human: false, owner: true, scopes: ALL_SCOPES, ...client };

  const token = bearerToken(req);
  const credential = token === null ? null : await auth.tokens.verify(token);
  if (credential === null) {
    throw new BrainError(
      'unauthorized',
      'A valid token is needed. Send the header "Authorization: Bearer <token>"; the owner of the vault makes tokens.',
    );
  }
  const { name, scopes, page, human = false, limits } = credential;
  // The owner's token is a person's where a person uses it: on the page. Elsewhere a program has it.
  const isOnPage = door === 'http' && req.headers[PAGE_HEADER.toLowerCase()] !== undefined;
  if (page || (name === OWNER && isOnPage))
    return { origin: 'web', name: auth.humanName, human: true, scopes, ...client };
  const named = { name, scopes, ...client, ...(limits && { limits }) };
  // No other token can have this name.
  if (!human) return { ...named, origin: door, human: false, ...(name === OWNER && { owner: true }) };
  if (door === 'http') return { ...named, origin: isOnPage ? 'web' : 'http', human: true };
  return {
    ...named,
    origin: door,
    human: false,
    scopes: new Set(AGENT_SCOPES.filter((scope) => scopes.has(scope))),
  };
}

function bearerToken(req: RequestHeaders): string | null {
  const headers = req.headersDistinct.authorization ?? [];
  if (headers.length !== 1) return null;
  return /^Bearer +([\w.~+/-]+=*) *$/i.exec(headers[0] ?? '')?.[1] ?? null;
}
