import { createHash } from 'node:crypto';
import type { Dirent } from 'node:fs';
import { lstat, mkdir, readdir, readFile, realpath } from 'node:fs/promises';
import path from 'node:path';
import { BrainError } from '../../core/base/errors';
import { openRecords } from '../../core/storage/journal';
import { fold } from '../../core/vocabulary/paths';
import { writeWhole } from '../files/disk';
import { hasCode, orNull } from '../files/file-system';
import { bytesOf, type Query, type Sql, textOf } from '../postgres/sql';
import { checkVersion, migrate } from './schema';
import { createState, readState } from './state';

/** What came of copying a vault; paths are relative to it. */
export interface Transfer {
  readonly copied: number;
  /** Files that were there already, with the same bytes. */
  readonly same: number;
  /** Files that stand on the other side with other bytes, or under a name that differs only in case or form. They are kept as they are. */
  readonly kept: readonly string[];
  /** What is no file (a link, a socket), is too large, or has a name that the other side cannot have. */
  readonly refused: readonly string[];
}

/** Receives how many of so many files are done. */
export type OnProgress = (done: number, total: number) => void;

/** The largest file that is copied (bytes): the driver holds a file several times in memory. */
const MAX_BYTES = 256 * 1024 * 1024;
/** Files are copied in batches of at most this many, or this many bytes. */
const BATCH = 200;
const BATCH_BYTES = 8 * 1024 * 1024;
/** The folder of the service's state in a vault. */
const STATE = '.brain/';
/** What belongs to one machine and not to the vault: derived files and locks of a device, the log of a mirror, and repositories. */
const LEFT_OUT = /^(?:\.brain\/(?:local\.|tmp(?:\/|$))|\.brain-mirror(?:\/|$)|\.git(?:\/|$))/;

/** A file on one side, by its path in the vault: its bytes are compared by their SHA-256. */
type Hashes = ReadonlyMap<string, string>;

/**
 * Copies the vault in the folder `root` into the tables of `sql`, byte for byte, with the times of its files. Nothing that
 * stands there is replaced, so a run that was cut is finished by running it again. The folder is not changed.
 */
export async function importFolder(sql: Sql, root: string, onProgress: OnProgress): Promise<Transfer> {
  await refuseHalfDone(root);
  await migrate(sql);
  const { files, folders, refused } = await walk(root);
  const there = await hashesIn(sql);
  const taken = new Set([...there.keys()].map(fold));
  const kept: string[] = [];
  let [copied, same, done] = [0, 0, 0];
  await sql.transaction((query) =>
    query('INSERT INTO brain.folders SELECT unnest($1::text[]) ON CONFLICT DO NOTHING', [folders]),
  );
  for (const batch of batches(files)) {
    const rows: { at: string; bytes: Buffer; mtime: number; born: number }[] = [];
    for (const { at, mtime, born } of batch) {
      const bytes = await orNull(readFile(path.join(root, at)));
      const stands = there.get(at);
      if (bytes === null) refused.push(at);
      else if (stands === hashOf(bytes)) same += 1;
      else if (stands !== undefined || (!at.startsWith(STATE) && taken.has(fold(at)))) kept.push(at);
      else {
        taken.add(fold(at));
        rows.push({ at, bytes, mtime, born });
      }
    }
    await sql.transaction(async (query) => {
      for (const { at, bytes, mtime, born } of rows) {
        const isNew = at.startsWith(STATE)
          ? await createState(query, at.slice(STATE.length), bytes)
          : await putFile(query, at, bytes, mtime, born);
        if (isNew) copied += 1;
        else kept.push(at);
      }
    });
    done += batch.length;
    onProgress(done, files.length);
  }
  return { copied, same, kept, refused };
}

/**
 * Copies the vault in the tables of `sql` into the folder `root`, which is made when it is absent, byte for byte, with the times
 * of its files. Nothing that stands there is replaced, so a run that was cut is finished by running it again.
 * @throws Error for a database without a vault, or with one of another version
 */
export async function exportFolder(sql: Sql, root: string, onProgress: OnProgress): Promise<Transfer> {
  await checkVersion(sql);
  await mkdir(root, { recursive: true });
  const kept: string[] = [];
  const refused: string[] = [];
  let [copied, same, done] = [0, 0, 0];
  const folders = await sql.transaction((query) => query('SELECT path FROM brain.folders ORDER BY path'));
  const base = await realpath(root);
  for (const { path: folder } of folders) await placeIn(base, `${textOf(folder)}/x`);
  const hashes = [...(await hashesIn(sql))];
  for (const [at, hash] of hashes) {
    done += 1;
    const target = await placeIn(base, at);
    if (target === null) {
      refused.push(at);
      continue;
    }
    const stands = await orNull(lstat(target));
    if (stands === null) {
      const found = await sql.transaction((query) => readFrom(query, at));
      // A server may have removed it since.
      if (found !== null && (await publish(target, found))) copied += 1;
      else refused.push(at);
    } else if (stands.isFile() && hashOf(await readFile(target)) === hash) same += 1;
    else kept.push(at);
    if (done % BATCH === 0 || done === hashes.length) onProgress(done, hashes.length);
  }
  return { copied, same, kept, refused };
}

/** @throws BrainError `busy` while a server changes the folder, or after one that died within a change */
async function refuseHalfDone(root: string): Promise<void> {
  const state = path.join(root, STATE);
  for (const name of (await orNull(readdir(state))) ?? []) {
    if (!name.startsWith('local.')) continue;
    const journal = await orNull(readFile(path.join(state, name, 'journal.jsonl'), 'utf8'));
    if (journal === null || openRecords(journal).length === 0) continue;
    throw new BrainError(
      'busy',
      `A change in ${root} is half done. Stop its server, or start and stop one there, which finishes it; then import again.`,
    );
  }
}

interface Walked {
  readonly files: readonly { at: string; size: number; mtime: number; born: number }[];
  readonly folders: readonly string[];
  readonly refused: string[];
}

/** Finds the files of a folder and its folders, without what belongs to one machine. */
async function walk(root: string): Promise<Walked> {
  const files: { at: string; size: number; mtime: number; born: number }[] = [];
  const folders: string[] = [];
  const refused: string[] = [];
  const visit = async (folder: string): Promise<void> => {
    const entries: Dirent[] = await readdir(path.join(root, folder), { withFileTypes: true });
    for (const entry of entries) {
      const at = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (LEFT_OUT.test(at)) continue;
      if (entry.isDirectory()) {
        if (!`${at}/`.startsWith(STATE)) folders.push(at);
        await visit(at);
      } else {
        // A name that is no UTF-8 cannot be asked for.
        const found = entry.isFile() ? await orNull(lstat(path.join(root, at))) : null;
        if (found === null || found.size > MAX_BYTES) refused.push(at);
        else {
          const { size, mtimeMs, birthtimeMs } = found;
          files.push({ at, size, mtime: mtimeMs, born: Math.min(mtimeMs, birthtimeMs || mtimeMs) });
        }
      }
    }
  };
  await visit('');
  return { files, folders, refused };
}

/** Divides files into batches that may be held in memory: by their number and their bytes. A larger file is one by itself. */
export function* batches<File extends { readonly size: number }>(files: readonly File[]): Generator<File[]> {
  let batch: File[] = [];
  let bytes = 0;
  for (const file of files) {
    if (batch.length === BATCH || (batch.length > 0 && bytes + file.size > BATCH_BYTES)) {
      yield batch;
      [batch, bytes] = [[], 0];
    }
    batch.push(file);
    bytes += file.size;
  }
  if (batch.length > 0) yield batch;
}

/** Returns every file in the tables with its hash, those of the state below `.brain/`, but none of one server alone. */
async function hashesIn(sql: Sql): Promise<Hashes> {
  const rows = await sql.transaction((query) =>
    query(
      `SELECT path, encode(sha256(body), 'hex') AS hash FROM brain.files
         UNION ALL
         SELECT '${STATE}' || path, encode(sha256(string_agg(body, ''::bytea ORDER BY part)), 'hex') FROM brain.state
           WHERE path NOT LIKE 'local.%' GROUP BY path`,
      [],
      true,
    ),
  );
  return new Map(rows.map(({ path: at, hash }) => [textOf(at), textOf(hash)]));
}

/** Returns the SHA-256 of bytes, as the database gives it. */
export function hashOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Makes a file in the tables; resolves false when its name is taken. */
async function putFile(
  query: Query,
  at: string,
  bytes: Buffer,
  mtime: number,
  born: number,
): Promise<boolean> {
  const rows = await query(
    `INSERT INTO brain.files (path, folded, body, mtime, born)
       VALUES ($1, $2, $3, to_timestamp($4::float8 / 1000), to_timestamp($5::float8 / 1000))
       ON CONFLICT DO NOTHING RETURNING 1`,
    [at, fold(at), bytes, mtime, born],
  );
  if (rows.length > 0)
    await query("INSERT INTO brain.changes (path, removed, by) VALUES ($1, false, 'import')", [at]);
  return rows.length > 0;
}

interface Found {
  readonly bytes: Buffer;
  /** Seconds since the epoch; absent for a file of the state, whose time nobody reads. */
  readonly mtime?: number;
}

async function readFrom(query: Query, at: string): Promise<Found | null> {
  if (at.startsWith(STATE)) {
    const bytes = await readState(query, at.slice(STATE.length));
    return bytes && { bytes };
  }
  const [row] = await query(
    'SELECT body, extract(epoch FROM mtime) AS mtime FROM brain.files WHERE path = $1',
    [at],
  );
  return row === undefined ? null : { bytes: bytesOf(row.body), mtime: Number(row.mtime) };
}

/**
 * Returns where a file of the vault belongs in a folder, and makes the folders above it; null for a path that leads out of the
 * folder, by its segments or through a link, or that the disk cannot have.
 */
async function placeIn(base: string, at: string): Promise<string | null> {
  if (!isPlain(at)) return null;
  const target = path.join(base, ...at.split('/'));
  try {
    await mkdir(path.dirname(target), { recursive: true });
    return (await realpath(path.dirname(target))) === path.dirname(target) ? target : null;
  } catch (error) {
    if (isNoName(error) || hasCode(error, 'EEXIST', 'ENOTDIR')) return null;
    throw error;
  }
}

/** Returns true for a path that leads nowhere but down, by names that this system may have. */
export function isPlain(at: string): boolean {
  const odd = process.platform === 'win32' ? /[\\:]|[. ]$/ : /\0/;
  return at.split('/').every((name) => name !== '' && name !== '.' && name !== '..' && !odd.test(name));
}

/** Writes a new file. Resolves false when its name is taken, or when the disk cannot have it. */
async function publish(target: string, { bytes, mtime }: Found): Promise<boolean> {
  try {
    return await writeWhole(target, bytes, { isNew: true, mtime });
  } catch (error) {
    if (isNoName(error)) return false;
    throw error;
  }
}

/** Returns true for the error of a name that the disk cannot have. */
export function isNoName(error: unknown): boolean {
  return hasCode(error, 'ENAMETOOLONG', 'EINVAL', 'EILSEQ');
}
