import { randomBytes } from 'node:crypto';
import {
  type Credential,
  findToken,
  hashToken,
  isScope,
  type Scope,
  type TokenStore,
} from '../../core/access/tokens';
import { BrainError } from '../../core/base/errors';
import { isSha } from '../../core/base/hash';
import type { Log } from '../../core/base/host';
import { type Timestamp, timestamp } from '../../core/base/time';
import { isLimited, storedLimits } from '../../core/vocabulary/token-limits';
import { newToken, type SavedToken, type TokenGrant } from '../host/token-contents';
import { bytesOf, type Row, type Sql, textOf, UNREPLICATED, untilEnded } from '../postgres/sql';

/** A running server reads the tokens in this interval (ms), so that every change holds at all servers within a second. */
const READ_EVERY_MS = 400;
/** The longest wait between two readings of a database that does not answer (ms). */
const MAX_PAUSE_MS = 2_000;
/** Tokens that were last read longer ago (ms) are not gone by: one of them may have been taken away. */
const TRUSTED_MS = 60_000;
const SAVE_LAST_USED_EVERY_MS = 60_000;

/** A token in a list; only its hash is stored. */
type ListedToken = Pick<SavedToken, 'name' | 'scopes' | 'created_at' | 'limits' | 'human'> & {
  readonly last_used: Timestamp | null;
};

/** Makes, lists and takes away the tokens of a shared vault, whose tables are there. Its methods throw the errors of the driver. */
export class TokenTable {
  constructor(private readonly sql: Sql) {}

  /** Lists the tokens by name. */
  async list(): Promise<ListedToken[]> {
    const rows = await this.sql.statement('SELECT * FROM brain.tokens ORDER BY name');
    return rows.flatMap((row) => {
      const token = tokenIn(row);
      if (token === null) return [];
      const { name, scopes, created_at, limits, human } = token;
      return {
        ...{ name, scopes, created_at },
        ...(human && { human }),
        ...(limits && { limits }),
        last_used: row.last_used instanceof Date ? timestamp(row.last_used) : null,
      };
    });
  }

  /** Makes a token and returns its text, which cannot be shown again; null when the name is in use. */
  async add(name: string, scopes: readonly Scope[], grant: TokenGrant = {}): Promise<string | null> {
    const { text, saved } = newToken(name, scopes, new Date(), grant);
    const { read, writeWings } = saved.limits ?? {};
    const rows = await this.sql.statement(
      `INSERT INTO brain.tokens (name, hash, scopes, human, read_paths, write_wings, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING RETURNING 1`,
      [
        ...[name, saved.hash, saved.scopes, saved.human === true],
        ...[read ?? null, writeWings ?? null, saved.created_at],
      ],
    );
    return rows.length > 0 ? text : null;
  }

  /** Removes a token; resolves false when there is none of that name. */
  async revoke(name: string): Promise<boolean> {
    const rows = await this.sql.statement('DELETE FROM brain.tokens WHERE name = $1 RETURNING 1', [name]);
    return rows.length > 0;
  }
}

interface FollowOptions {
  readonly log: Pick<Log, 'warn'>;
  readonly sleep: (milliseconds: number) => Promise<void>;
}

/** The tokens of a shared vault at a running server, which knows those of the table as they were less than a second ago. */
export class SharedTokens implements TokenStore {
  readonly #sql: Sql;
  readonly #options: FollowOptions;
  readonly #used = new Map<string, Timestamp>();
  #tokens: readonly SavedToken[] = [];
  #readAt = -Infinity;
  #isClosed = false;

  private constructor(
    sql: Sql,
    /** The 32 bytes that sign ids of MCP sessions, the same at all servers of the vault. */
    readonly sessionKey: Uint8Array,
    options: FollowOptions,
  ) {
    this.#sql = sql;
    this.#options = options;
  }

  /** Reads the tokens, and reads them again and again until `close`. */
  static async open(sql: Sql, options: FollowOptions): Promise<SharedTokens> {
    await sql.statement("INSERT INTO brain.keys VALUES ('session', $1) ON CONFLICT DO NOTHING", [
      randomBytes(32),
    ]);
    const [row] = await sql.statement("SELECT key FROM brain.keys WHERE name = 'session'");
    const tokens = new SharedTokens(sql, bytesOf(row?.key), options);
    await tokens.#read();
    void tokens.#follow();
    return tokens;
  }

  /** @throws BrainError `busy` when the tokens could not be read for a minute */
  async verify(token: string): Promise<Credential | null> {
    const found = findToken(hashToken(token), this.#tokens);
    if (performance.now() - this.#readAt > TRUSTED_MS) {
      throw new BrainError(
        'busy',
        'The database has not answered for a minute, so no token can be checked. Try again in a few seconds.',
        { retry_after: 5 },
      );
    }
    if (found === null) return null;
    const { name, scopes, limits, human } = found;
    this.#used.set(name, timestamp(new Date()));
    return {
      ...{ name, scopes: new Set(scopes), page: false },
      ...(human && { human }),
      ...(limits && { limits }),
    };
  }

  /** Lists the tokens by name, as `TokenTable.list` does. */
  list(): Promise<ListedToken[]> {
    return new TokenTable(this.#sql).list();
  }

  /** Ends the reading and saves the last uses. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#saveLastUsed();
  }

  async #follow(): Promise<void> {
    const { sleep, log } = this.#options;
    let savedAt = performance.now();
    for (let failures = 0; ; failures += 1) {
      await sleep(Math.min(READ_EVERY_MS * 2 ** failures, MAX_PAUSE_MS));
      if (this.#isClosed) return;
      try {
        await untilEnded(this.#read());
        failures = -1;
        if (performance.now() - savedAt < SAVE_LAST_USED_EVERY_MS) continue;
        savedAt = performance.now();
        await this.#saveLastUsed();
      } catch (error) {
        if (failures <= 0) log.warn('tokens.read', { place: this.#sql.place, message: String(error) });
        failures = Math.max(failures, 0);
      }
    }
  }

  async #read(): Promise<void> {
    const asked = performance.now();
    const rows = await this.#sql.statement('SELECT * FROM brain.tokens');
    const tokens = rows.flatMap((row) => tokenIn(row) ?? []);
    // The last use of a token does not pass to a later one of the same name.
    const hashes = new Map(tokens.map(({ name, hash }) => [name, hash]));
    for (const { name, hash } of this.#tokens) if (hashes.get(name) !== hash) this.#used.delete(name);
    this.#tokens = tokens;
    this.#readAt = asked;
  }

  async #saveLastUsed(): Promise<void> {
    const used = [...this.#used];
    if (used.length === 0) return;
    await this.#sql.statement(
      `UPDATE brain.tokens SET last_used = greatest(last_used, used.at)
         FROM unnest($1::text[], $2::timestamptz[]) AS used (name, at), ${UNREPLICATED} WHERE tokens.name = used.name`,
      [used.map(([name]) => name), used.map(([, at]) => at)],
    );
    for (const [name, at] of used) if (this.#used.get(name) === at) this.#used.delete(name);
  }
}

/** Returns the token of a row; null for one that this version does not understand, which may never get more than it was given. */
function tokenIn(row: Row): SavedToken | null {
  const { name, hash, scopes, human, read_paths: read, write_wings: wings, created_at: made } = row;
  if (typeof hash !== 'string' || !isSha(hash) || !Array.isArray(scopes) || !(made instanceof Date))
    return null;
  const limits = storedLimits(read ?? undefined, wings ?? undefined);
  if (limits === null || !scopes.every(isScope)) return null;
  return {
    ...{ name: textOf(name), hash, scopes, created_at: timestamp(made) },
    ...(human === true && { human: true as const }),
    ...(isLimited(limits) && { limits }),
  };
}
