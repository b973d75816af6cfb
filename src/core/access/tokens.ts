import { randomBytes } from '@noble/hashes/utils.js';
import { BrainError } from '../base/errors';
import { type Sha, sha256 } from '../base/hash';
import { type Caller, cleanClient, type Origin, type Scope, SCOPES } from './caller';
import { tokenNameFault } from './token-name';

/** What a verified token stands for. */
export interface Credential {
  readonly name: string;
  readonly scopes: ReadonlySet<Scope>;
  /** True for the token of the web page: acts with it are those of a person. */
  readonly page: boolean;
}

/** Knows the tokens, or rather their hashes. */
export interface TokenStore {
  /** What the token stands for, or null when nobody was given it. Takes the same time whatever is wrong with it. */
  verify(token: string): Promise<Credential | null>;
}

export const ALL_SCOPES: ReadonlySet<Scope> = new Set(SCOPES);

/** @throws BrainError `invalid_field` when a person may not give a token this name. */
export function checkTokenName(name: string): void {
  const fault = tokenNameFault(name);
  if (fault !== null) throw new BrainError('invalid_field', fault, { field: 'name' });
}

/** Fewer characters can be guessed, also over a network: nobody counts wrong tokens. */
const MIN_GIVEN_TOKEN = 32;

/** Why a token that the owner made is too weak to serve with, in a sentence that says how to make one; null when it is not. */
export function givenTokenFault(token: string): string | null {
  if (token.length >= MIN_GIVEN_TOKEN) return null;
  return (
    `BRAIN_TOKEN has ${token.length} characters; it must have at least ${MIN_GIVEN_TOKEN}. Make one with \`openssl rand -hex 32\`, ` +
    'or unset BRAIN_TOKEN to use the token that the first start has made.'
  );
}

const BASE64URL = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** A new token: 32 random bytes in base64url (RFC 4648, section 5), 43 characters. */
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

/** The form in which a token is stored and compared. Tokens are random, so a plain hash cannot be guessed back. */
export function hashToken(token: string): Sha {
  return sha256(token);
}

/** The entry with this hash, or null. Every digit of every entry is compared, so that the time taken tells nothing. */
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

/** A token for the web page that lives in memory, for one run of the server, and may do everything. */
export function createPageToken(): { readonly token: string; readonly store: TokenStore } {
  const token = createToken();
  const entry = { hash: hashToken(token), name: 'page', scopes: ALL_SCOPES, page: true };
  return { token, store: { verify: async (given) => findToken(hashToken(given), [entry]) } };
}

/** Several stores as one; the first that knows a token wins. All are asked, so that the time taken tells nothing. */
export function joinTokenStores(...stores: readonly TokenStore[]): TokenStore {
  return {
    async verify(token) {
      const answers = await Promise.all(stores.map((store) => store.verify(token)));
      return answers.find((credential) => credential !== null) ?? null;
    },
  };
}

/** How a door finds out who is calling. */
export interface Authentication {
  readonly tokens: TokenStore;
  /** False when the owner has switched authentication off: everybody who reaches the port may do everything. */
  readonly required: boolean;
  /** Name of the person who uses the web page. */
  readonly humanName: string;
}

/** A request as Node has it: its headers, and each of them as often as it was sent. */
export interface RequestHeaders {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly headersDistinct: Readonly<Record<string, string[] | undefined>>;
}

/**
 * Tells who is calling, from the request's headers alone.
 * @throws BrainError `unauthorized`, whatever exactly was wrong. Wrong tokens are not counted: any local program could
 * lock the owner out.
 */
export async function authenticate(
  req: RequestHeaders,
  door: Exclude<Origin, 'web'>,
  auth: Authentication,
): Promise<Caller> {
  const claimed = cleanClient(req.headers['x-brain-client']);
  const client = claimed === undefined ? {} : { client: claimed };
  if (!auth.required) return { origin: door, name: 'local', human: false, scopes: ALL_SCOPES, ...client };

  const token = bearerToken(req);
  const credential = token === null ? null : await auth.tokens.verify(token);
  if (credential === null) {
    throw new BrainError(
      'unauthorized',
      'A valid token is needed. Send the header "Authorization: Bearer <token>"; the owner of the vault makes tokens.',
    );
  }
  const { name, scopes, page } = credential;
  if (page) return { origin: 'web', name: auth.humanName, human: true, scopes, ...client };
  return { origin: door, name, human: false, scopes, ...client };
}

function bearerToken(req: RequestHeaders): string | null {
  const headers = req.headersDistinct.authorization ?? [];
  if (headers.length !== 1) return null;
  return /^Bearer +([\w.~+/-]+=*) *$/i.exec(headers[0] ?? '')?.[1] ?? null;
}
