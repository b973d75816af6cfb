import { BrainError } from '../../core/base/errors';
import { compareText } from '../../core/base/text';
import { type StateFile, type StateStore, Uncertain } from '../../core/ports/ports';
import { bytesOf, type Query, textOf, UNREPLICATED } from '../postgres/sql';

/** How a store talks to its database. */
export interface Access {
  /** Runs statements that are committed together. */
  readonly run: <T>(work: (query: Query) => Promise<T>) => Promise<T>;
  /** Runs one statement. */
  readonly one: Query;
}

/** The place of a server among those that share the vault; see `takePlace`. */
export interface Holder {
  readonly name: string;
  readonly holder: string;
  /**
   * Gives the holder another name, once everything has ended that goes by the present one. A statement that was given up and is
   * carried out later finds the place taken, and changes nothing. A call during another one shares it.
   */
  rename(query: Query): Promise<void>;
  /** Resolves when no change of the name is under way. */
  afterRename(): Promise<void>;
}

interface Options {
  /** Appends are refused once another server has this place, as the logs of a place have one writer. */
  readonly place: Holder;
  /** True within a larger transaction. */
  readonly isWithin?: boolean;
}

/** A part of a large file (bytes): the driver copies a parameter several times. */
const PART_BYTES = 4 * 1024 * 1024;

/** Adds a part to a file while the holder has the place. */
const APPEND = `INSERT INTO brain.state (path, part, body)
  SELECT $1::text, nextval('brain.parts'), $2::bytea
  WHERE EXISTS (SELECT 1 FROM brain.leases WHERE name = $3 AND holder = $4 FOR SHARE)
  RETURNING 1`;

/** The state of a shared vault. A file is its parts in order; an append is one part more. */
export function sharedState({ run, one }: Access, { place, isWithin = false }: Options): StateStore {
  /** True while an append may still be carried out whose answer was lost. */
  let isInDoubt = false;
  const settled = async (): Promise<void> => {
    if (!isInDoubt) return;
    await place.rename(one);
    isInDoubt = false;
  };
  const readBytes = async (path: string): Promise<Uint8Array<ArrayBuffer> | null> => {
    await settled();
    const bytes = await readState(one, path);
    return bytes === null ? null : new Uint8Array(bytes);
  };
  /** Replaces a file, when `mayReplace` says so of what stands there. */
  const put = (path: string, bytes: Uint8Array, mayReplace = async (_: Query) => true): Promise<boolean> =>
    run(async (query) => {
      // Two that replace one file at a time would both insert its first part.
      await query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [path]);
      if (!(await mayReplace(query))) return false;
      await query('DELETE FROM brain.state WHERE path = $1', [path]);
      for (let at = 0; at === 0 || at < bytes.length; at += PART_BYTES) {
        await insert(query, path, at === 0 ? 0 : null, bytes.subarray(at, at + PART_BYTES));
      }
      return true;
    });
  const writeBytes = async (path: string, bytes: Uint8Array): Promise<void> => void (await put(path, bytes));
  const below = async (folder: string): Promise<string[]> => {
    await settled();
    const rows = await one(
      'SELECT DISTINCT path FROM brain.state WHERE path >= $1::text AND ($2::text = $1::text OR path < $2::text)',
      range(folder),
    );
    return rows.map(({ path }) => textOf(path)).sort(compareText);
  };
  return {
    read: async (path) => {
      const bytes = await readBytes(path);
      return bytes === null ? null : new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
    },
    write: (path, text) => writeBytes(path, Buffer.from(text)),
    replace: (path, text, was) =>
      put(path, Buffer.from(text), async (query) => {
        const stands = await readState(query, path);
        return stands === null ? was === null : was !== null && stands.equals(Buffer.from(was));
      }),
    rewrite: (path, change) => run((query) => rewriteState(query, path, change)),
    readBytes,
    readPart: (path, from, to) => settled().then(() => readPart(one, path, from, to)),
    writeBytes,
    create: (path, text) => createState(one, path, Buffer.from(text)),
    append: async (path, text, sync) => {
      for (;;) {
        const { name, holder } = place;
        const append = (query: Query) => query(APPEND, [path, Buffer.from(text), name, holder]);
        const inBackground = async (query: Query) => {
          await query('SET LOCAL synchronous_commit TO off');
          return append(query);
        };
        const appended = sync || isWithin ? append(one) : run(inBackground);
        const rows = await appended.catch((error: unknown) => {
          isInDoubt ||= error instanceof Uncertain;
          throw error;
        });
        if (rows.length > 0) return;
        await place.afterRename();
        // The name of the holder may have changed meanwhile.
        if (place.holder === holder) throw lostPlace();
      }
    },
    list: below,
    stats: (folder) => statsBelow(one, folder, settled),
    folders: async (folder) => {
      const prefix = folder === '' ? '' : `${folder}/`;
      const rest = (await below(folder)).map((path) => path.slice(prefix.length));
      return [
        ...new Set(rest.flatMap((path) => (path.includes('/') ? [path.slice(0, path.indexOf('/'))] : []))),
      ];
    },
    remove: async (path, sync = true) => {
      const beside = sync || isWithin ? '' : `USING ${UNREPLICATED} `;
      await one(`DELETE FROM brain.state ${beside}WHERE path = $1`, [path]);
    },
  };
}

/**
 * Yields the files below a folder, once `ready` has resolved. The transactions that made the rows of a file tell it from another one of its
 * size.
 */
async function* statsBelow(
  query: Query,
  folder: string,
  ready: () => Promise<void>,
): AsyncGenerator<StateFile> {
  await ready();
  const rows = await query(
    `SELECT path, sum(octet_length(body))::bigint AS size, max(part) || '.' || max(xmin::text::bigint) AS made
     FROM brain.state WHERE path >= $1::text AND ($2::text = $1::text OR path < $2::text) GROUP BY path`,
    range(folder),
  );
  for (const { path, size, made } of rows)
    yield { path: textOf(path), size: Number(size), stamp: `${Number(size)}.${textOf(made)}` };
}

/** Reads a file of the state; null when there is none. */
export async function readState(query: Query, path: string): Promise<Buffer | null> {
  const rows = await query('SELECT body FROM brain.state WHERE path = $1 ORDER BY part', [path]);
  return rows.length === 0 ? null : Buffer.concat(rows.map(({ body }) => bytesOf(body)));
}

/** Replaces the bytes of a file, whose parts stay before those that are appended meanwhile. */
async function rewriteState(
  query: Query,
  path: string,
  change: Parameters<StateStore['rewrite']>[1],
): Promise<boolean> {
  const rows = await query(
    'SELECT part::text AS part, body FROM brain.state s WHERE path = $1 ORDER BY s.part FOR UPDATE',
    [path],
  );
  const was = new Uint8Array(Buffer.concat(rows.map(({ body }) => bytesOf(body))));
  const bytes = rows.length === 0 ? null : await change(was);
  if (bytes === null) return false;
  const size = Math.max(PART_BYTES, Math.ceil(bytes.length / rows.length));
  const parts = rows.map(({ part }) => textOf(part));
  const kept = parts.slice(0, Math.max(1, Math.ceil(bytes.length / size)));
  for (const [at, part] of kept.entries())
    await query('UPDATE brain.state SET body = $3 WHERE path = $1 AND part = $2::bigint', [
      ...[path, part],
      Buffer.from(bytes.subarray(at * size, (at + 1) * size)),
    ]);
  await query('DELETE FROM brain.state WHERE path = $1 AND part = ANY($2::bigint[])', [
    path,
    parts.slice(kept.length),
  ]);
  return true;
}

/**
 * Reads bytes of a file of the state; null when there is none. Only the parts that hold them leave the database, and the last one
 * without its bytes, which tells that there is a file.
 */
async function readPart(
  query: Query,
  path: string,
  from: number,
  to: number,
): Promise<Uint8Array<ArrayBuffer> | null> {
  const rows = await query(
    `WITH parts AS (
         SELECT part, body, sum(octet_length(body)) OVER (ORDER BY part)::bigint AS ends,
           lead(part) OVER (ORDER BY part) AS next FROM brain.state WHERE path = $1
       ), asked AS (SELECT *, ends > $2::bigint AND ends - octet_length(body) < $3::bigint AS is_asked FROM parts)
       SELECT CASE WHEN is_asked THEN body END AS body, ends FROM asked WHERE is_asked OR next IS NULL ORDER BY part`,
    [path, from, to],
  );
  if (rows.length === 0) return null;
  const asked = rows.flatMap(({ body, ends }) =>
    body === null ? [] : [{ bytes: bytesOf(body), end: Number(ends) }],
  );
  const [first] = asked;
  if (first === undefined) return new Uint8Array();
  const start = first.end - first.bytes.length;
  const all = Buffer.concat(asked.map(({ bytes }) => bytes));
  return new Uint8Array(all.subarray(Math.max(0, from - start), to - start));
}

/** Makes a file of the state; resolves false when there is one. */
export async function createState(query: Query, path: string, bytes: Buffer): Promise<boolean> {
  const rows = await query(
    `INSERT INTO brain.state (path, part, body)
       SELECT $1::text, 0, $2::bytea WHERE NOT EXISTS (SELECT 1 FROM brain.state WHERE path = $1)
       ON CONFLICT DO NOTHING RETURNING 1`,
    [path, bytes],
  );
  return rows.length > 0;
}

async function insert(query: Query, path: string, part: number | null, bytes: Uint8Array): Promise<void> {
  await query(
    "INSERT INTO brain.state (path, part, body) VALUES ($1, coalesce($2::bigint, nextval('brain.parts')), $3)",
    [path, part, Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)],
  );
}

/** Returns the ends of the range of paths below a folder; two equal ones for all. */
export function range(folder: string): [from: string, to: string] {
  // "0" is the character after "/".
  return folder === '' ? ['', ''] : [`${folder}/`, `${folder}0`];
}

/** Returns the error of a server whose place among the servers of the vault was taken by another. */
function lostPlace(): BrainError {
  return new BrainError(
    'busy',
    'This server was away for so long that another one took its place. It starts anew; repeat the call in a few seconds.',
    { retry_after: 5 },
  );
}
