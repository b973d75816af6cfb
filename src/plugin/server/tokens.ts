import type { App } from 'obsidian';
import {
  checkTokenName,
  createToken,
  type Credential,
  findToken,
  hashToken,
  ownTokenFault,
  isScope,
  type Scope,
  SCOPES,
  type TokenLimits,
  type TokenStore,
} from '../../core/access/tokens';
import { BrainError } from '../../core/base/errors';
import { isSha, type Sha } from '../../core/base/hash';
import type { Clock } from '../../core/base/host';
import { isRecord } from '../../core/base/json';
import { timestamp } from '../../core/base/time';
import { CallError } from '../../core/registry/client';
import { isLimited, readPaths, storedLimits, wingNames } from '../../core/vocabulary/token-limits';
import type { TokenAdmin, TokenEntry } from '../../ui/client/host';

/**
 * The keys of storage: secrets are in the secret store of the app, the rest in its local storage, nothing in files that
 * sync.
 */
const OWNER_SECRET = 'brain-server-owner-token';
const SESSION_SECRET = 'brain-server-session-key';
const TOKENS_KEY = 'brain-server:tokens';
/** Tokens with limits, apart from the others: a version of the plugin that does not know limits refuses them. */
const LIMITED_KEY = 'brain-server:limited-tokens';
const OWNER_SINCE_KEY = 'brain-server:owner-since';
const LAST_USED_KEY = 'brain-server:tokens-last-used';

const OWNER = 'owner';
/** The time of the last use has this resolution (ms): a busy agent must not cause a write per request. */
const LAST_USED_EVERY_MS = 60_000;

/** A named token in storage, without its text. */
interface SavedToken {
  readonly name: string;
  readonly hash: Sha;
  readonly scopes: readonly Scope[];
  readonly created_at: string;
  /** Absent for a token without limits. */
  readonly limits?: TokenLimits;
}

type TokenApp = Pick<App, 'secretStorage' | 'loadLocalStorage' | 'saveLocalStorage'>;

/**
 * The tokens of this vault on this device. Every use reads the storage, so that all instances agree and a revoked token is
 * refused at once.
 */
export class PluginTokens implements TokenStore, TokenAdmin {
  readonly #app: TokenApp;
  readonly #clock: Clock;
  readonly #environmentToken: string | undefined;

  /** An `ownerToken` (from the environment) replaces the stored one while the app runs. */
  constructor(app: TokenApp, clock: Clock, ownerToken?: string) {
    this.#app = app;
    this.#clock = clock;
    this.#environmentToken = ownerToken === '' ? undefined : ownerToken?.trim();
  }

  /** The reason why the token from the environment is too weak; null for a strong one or none. */
  get environmentFault(): string | null {
    return this.#environmentToken === undefined ? null : ownTokenFault(this.#environmentToken);
  }

  /** The owner's token, which has all scopes. It is created at its first use. */
  get ownerToken(): string {
    return this.#environmentToken ?? this.#secret(OWNER_SECRET);
  }

  /** The 32 bytes that sign the ids of MCP sessions. They are stored, so that clients stay connected over a restart. */
  get sessionKey(): Uint8Array {
    return Buffer.from(this.#secret(SESSION_SECRET), 'base64url');
  }

  async verify(token: string): Promise<Credential | null> {
    const owner: Omit<SavedToken, 'created_at'> = {
      name: OWNER,
      hash: hashToken(this.ownerToken),
      scopes: SCOPES,
    };
    const found = findToken(hashToken(token), [owner, ...this.#saved()]);
    if (found === null) return Promise.resolve(null);
    this.#recordUse(found.name);
    const { name, scopes, limits } = found;
    return { name, scopes: new Set(scopes), page: false, ...(limits && { limits }) };
  }

  async list(): Promise<readonly TokenEntry[]> {
    const used = this.#lastUsed();
    const entries = this.#saved()
      .map(({ name, scopes, created_at, limits }) => ({
        ...entry(name, scopes, created_at, used[name]),
        ...limits,
      }))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
    return Promise.resolve([entry(OWNER, SCOPES, this.#ownerSince(), used[OWNER]), ...entries]);
  }

  async add(name: string, scopes: readonly string[], given: TokenLimits = {}): Promise<string> {
    let limits: TokenLimits;
    try {
      checkTokenName(name);
      limits = checkedLimits(given);
    } catch (error) {
      if (error instanceof BrainError) throw new CallError(error.code, error.message, error.details);
      throw error;
    }
    const known = scopes.filter(isScope);
    if (known.length === 0 || known.length < scopes.length) {
      const message = `Choose at least one of ${SCOPES.join(', ')}.`;
      throw new CallError('invalid_field', message, { field: 'scopes', allowed: SCOPES });
    }
    const saved = this.#saved();
    if (saved.some((token) => token.name === name)) {
      const message = `A token "${name}" exists already. Choose another name, or revoke that one first.`;
      throw new CallError('invalid_field', message, { field: 'name' });
    }
    const text = createToken();
    const created_at = timestamp(this.#clock.now());
    const token = { name, hash: hashToken(text), scopes: known, created_at };
    this.#save([...saved, isLimited(limits) ? { ...token, limits } : token]);
    return Promise.resolve(text);
  }

  /** Revokes a token. The owner's is replaced by a new one. */
  async revoke(name: string): Promise<void> {
    const saved = this.#saved();
    const remaining = saved.filter((token) => token.name !== name);
    if (name === OWNER && this.#environmentToken === undefined) this.#makeSecret(OWNER_SECRET);
    else if (remaining.length < saved.length) this.#save(remaining);
    else throw new CallError('not_found', `There is no token "${name}" that could be revoked.`, { name });
    const { [name]: _, ...used } = this.#lastUsed();
    this.#app.saveLocalStorage(LAST_USED_KEY, used);
    return Promise.resolve();
  }

  /** Returns the time when the owner's token was created or first read: the secret store keeps no times. */
  #ownerSince(): string {
    const stored: unknown = this.#app.loadLocalStorage(OWNER_SINCE_KEY);
    if (typeof stored === 'string') return stored;
    const now = timestamp(this.#clock.now());
    this.#app.saveLocalStorage(OWNER_SINCE_KEY, now);
    return now;
  }

  #secret(id: string): string {
    const stored = this.#app.secretStorage.getSecret(id);
    return stored === null || stored === '' ? this.#makeSecret(id) : stored;
  }

  #makeSecret(id: string): string {
    const secret = createToken();
    this.#app.secretStorage.setSecret(id, secret);
    if (id === OWNER_SECRET) this.#app.saveLocalStorage(OWNER_SINCE_KEY, timestamp(this.#clock.now()));
    return secret;
  }

  /** Returns the stored tokens. An invalid entry is skipped: damage may remove a token, never add one. */
  #saved(): SavedToken[] {
    const storedAt = (key: string): readonly unknown[] => {
      const stored: unknown = this.#app.loadLocalStorage(key);
      return Array.isArray(stored) ? stored : [];
    };
    const tokens = [...storedAt(TOKENS_KEY).map(savedToken), ...storedAt(LIMITED_KEY).map(limitedToken)];
    return tokens.filter((token) => token !== null);
  }

  #save(tokens: readonly SavedToken[]): void {
    const limited = tokens.flatMap(({ limits, ...token }) =>
      limits === undefined ? [] : [{ ...token, read: limits.read, write_wings: limits.writeWings }],
    );
    this.#app.saveLocalStorage(LIMITED_KEY, limited);
    this.#app.saveLocalStorage(
      TOKENS_KEY,
      tokens.filter(({ limits }) => limits === undefined),
    );
  }

  #lastUsed(): Readonly<Record<string, string>> {
    const stored: unknown = this.#app.loadLocalStorage(LAST_USED_KEY);
    const times = Object.entries(isRecord(stored) ? stored : {});
    return Object.fromEntries(times.filter((pair): pair is [string, string] => typeof pair[1] === 'string'));
  }

  #recordUse(name: string): void {
    const now = this.#clock.now();
    const used = this.#lastUsed();
    const since = now.getTime() - Date.parse(used[name] ?? '');
    if (Math.abs(since) < LAST_USED_EVERY_MS) return;
    this.#app.saveLocalStorage(LAST_USED_KEY, { ...used, [name]: timestamp(now) });
  }
}

function entry(
  name: string,
  scopes: readonly Scope[],
  created_at: string,
  last_used: string | undefined,
): TokenEntry {
  return { name, scopes, created_at, ...(last_used !== undefined && { last_used }) };
}

function savedToken(entry: unknown): SavedToken | null {
  if (!isRecord(entry)) return null;
  const { name, hash, scopes, created_at } = entry;
  if (typeof name !== 'string' || name === '' || name === OWNER || typeof created_at !== 'string')
    return null;
  if (!isSha(hash) || !Array.isArray(scopes) || !scopes.every(isScope)) return null;
  return { name, hash, scopes, created_at };
}

function limitedToken(entry: unknown): SavedToken | null {
  const saved = savedToken(entry);
  const limits = isRecord(entry) ? storedLimits(entry.read, entry.write_wings) : null;
  return saved === null || limits === null || !isLimited(limits) ? null : { ...saved, limits };
}

/** @throws BrainError `invalid_field` for a path or a wing that cannot be one */
function checkedLimits({ read, writeWings }: TokenLimits): TokenLimits {
  return {
    ...(read !== undefined && { read: readPaths(read) }),
    ...(writeWings !== undefined && { writeWings: wingNames(writeWings) }),
  };
}
