import { isUtf8 } from 'node:buffer';
import {
  checkStorePath,
  type FileEntry,
  type FileStat,
  notAllowed,
  tooLarge,
  type VaultChange,
  type VaultStore,
} from '../../core/ports/ports';
import type { Unsubscribe } from '../../core/base/host';
import { checkTextSize, maxTextBytes } from '../../core/vocabulary/limits';
import {
  fileName,
  fold,
  folderOf,
  isIgnoredName,
  type VaultPath,
  vaultPath,
} from '../../core/vocabulary/paths';
import { decode } from '../files/whole-file';
import { bytesOf, type Query, type Row, textOf } from '../postgres/sql';
import { type Access, range } from './state';

/** What a shared vault asks of the feed of changes. */
interface Feed {
  /** The name of this opening of the vault: whoever reads the feed knows its own changes by it. */
  readonly own: string;
  /** Called with the id of every transaction that tells of a change, before it ends. */
  wrote(xid: unknown): void;
  subscribe(listener: (change: VaultChange) => void): Unsubscribe;
}

/** The files that a listing asks for at a time. */
const PAGE = 5_000;
/** The longest path (bytes) that the index of the database takes. */
const MAX_PATH_BYTES = 2_000;
const STAT =
  'octet_length(body) AS size, extract(epoch FROM mtime) * 1000 AS mtime, extract(epoch FROM born) * 1000 AS born';
/** The clock is read once: a new file is not born after its own change. */
const MADE_AT = 'FROM (SELECT clock_timestamp() AS made_at) AS clock';

const TELL = 'INSERT INTO brain.changes (path, removed, by)';
/** Replaces the body of a file that has one, or that has the body `$3`. */
const REPLACE = `WITH made AS (
    UPDATE brain.files SET body = $2, mtime = clock_timestamp() WHERE path = $1 AND ($3::bytea IS NULL OR body = $3)
      RETURNING path, ${STAT}
  ), told AS (${TELL} SELECT path, false, $4 FROM made RETURNING xid::text)
  SELECT * FROM made, told`;

/**
 * The files of a shared vault in tables. A method is one transaction, or a part of one where `access` is. Names that
 * differ only in case or form are one name, as on the disks that people mount such a vault on.
 */
export class SharedVault implements VaultStore {
  readonly atomicWrites = true;
  readonly together: VaultStore['together'];
  readonly #access: Access;
  readonly #feed: Feed;
  /** What a transaction has made so far; null where each method is one. */
  readonly #known: Map<VaultPath, FileStat> | null;

  constructor(access: Access, feed: Feed, together?: VaultStore['together']) {
    this.#access = access;
    this.#feed = feed;
    this.together = together;
    this.#known = together === undefined ? new Map() : null;
  }

  async *list(folder: string, skip: (path: string) => boolean = () => false): AsyncGenerator<FileEntry> {
    const [from, to] = range(folder);
    const leftOut = leavesOut(folder, skip);
    for (let after = from; ;) {
      const rows = await this.#access.one(
        `SELECT path, ${STAT} FROM brain.files
             WHERE path > $1::text AND ($2::text = '' OR path < $2::text) ORDER BY path LIMIT ${PAGE}`,
        [after, to],
      );
      for (const row of rows) {
        after = textOf(row.path);
        if (!leftOut(after)) yield { path: vaultPath(after), ...statOf(row) };
      }
      if (rows.length < PAGE) return;
    }
  }

  async stat(path: VaultPath): Promise<FileStat | null> {
    const made = this.#known?.get(path);
    if (made !== undefined) return made;
    const [row] = await this.#access.one(`SELECT ${STAT} FROM brain.files WHERE path = $1`, [path]);
    return row === undefined ? null : statOf(row);
  }

  async read(path: VaultPath): Promise<string | null> {
    const found = await this.#read(path, maxTextBytes(path));
    if (found === null) return null;
    checkTextSize(path, found.size);
    return decode(found.body, path);
  }

  async readMany(paths: readonly VaultPath[]): Promise<ReadonlyMap<VaultPath, string>> {
    const texts = new Map<VaultPath, string>();
    const rows = await this.#access.one(
      `SELECT at, body FROM unnest($1::text[], $2::float8[]) WITH ORDINALITY AS asked (path, most, at)
           JOIN brain.files USING (path) WHERE octet_length(body) <= most`,
      [paths, paths.map(maxTextBytes)],
    );
    for (const { at, body } of rows) {
      const path = paths[Number(at) - 1];
      const bytes = bytesOf(body);
      if (path !== undefined && isUtf8(bytes)) texts.set(path, bytes.toString('utf8'));
    }
    return texts;
  }

  async readBytes(path: VaultPath, maxBytes: number): Promise<Uint8Array<ArrayBuffer> | null> {
    const found = await this.#read(path, maxBytes);
    if (found === null) return null;
    if (found.size > maxBytes) throw tooLarge(path, maxBytes);
    return new Uint8Array(found.body);
  }

  create(path: VaultPath, text: string, meanwhile: readonly (() => void)[] = []): Promise<boolean> {
    const created = this.#create(path, Buffer.from(text));
    for (const piece of meanwhile) piece();
    return created;
  }

  createBytes(path: VaultPath, bytes: Uint8Array<ArrayBuffer>): Promise<boolean> {
    return this.#create(path, Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length));
  }

  async move(from: VaultPath, to: VaultPath, noted?: Promise<unknown>): Promise<boolean> {
    checkNewPath(to);
    if ((await this.stat(from)) === null || (await this.stat(to)) !== null) return false;
    // Nothing is held meanwhile: what is waited for may need the database itself.
    await noted;
    return this.#access.run(async (query) => {
      await refuseBlocked(query, to);
      const rows = await query(
        `UPDATE brain.files SET path = $2, folded = $3
           WHERE path = $1 AND NOT EXISTS (SELECT 1 FROM brain.files WHERE folded = $3 AND path <> $1)
           RETURNING 1`,
        [from, to, fold(to)],
      );
      if (rows.length === 0) return false;
      await makeFolders(query, to);
      this.#known?.delete(from);
      await this.#tell(query, from, true);
      await this.#tell(query, to, false);
      return true;
    });
  }

  edit(path: VaultPath, change: (old: string) => string | null): Promise<boolean> {
    return this.#access.run(async (query) => {
      const [row] = await query(
        `SELECT octet_length(body) AS size, CASE WHEN octet_length(body) <= $2 THEN body END AS body
           FROM brain.files WHERE path = $1 FOR UPDATE`,
        [path, maxTextBytes(path)],
      );
      if (row === undefined) return false;
      checkTextSize(path, Number(row.size));
      const text = change(decode(bytesOf(row.body), path));
      if (text === null) return false;
      const body = Buffer.from(text);
      return this.#made(path, await query(REPLACE, [path, body, null, this.#feed.own]));
    });
  }

  async remove(path: VaultPath, expected?: string): Promise<boolean> {
    const rows = await this.#access.one(
      `WITH gone AS (
           DELETE FROM brain.files WHERE path = $1 AND ($2::bytea IS NULL OR body = $2) RETURNING path
         ), told AS (${TELL} SELECT path, true, $3 FROM gone RETURNING xid::text)
         SELECT xid FROM told`,
      [path, expected === undefined ? null : Buffer.from(expected), this.#feed.own],
    );
    return this.#made(path, rows, true) || expected === undefined || (await this.stat(path)) === null;
  }

  async putDerived(
    path: VaultPath,
    text: string,
    { was }: { readonly was: string | null },
  ): Promise<boolean> {
    if (was === null) return this.#create(path, Buffer.from(text));
    const bodies = [text, was].map((each) => Buffer.from(each));
    return this.#made(path, await this.#access.one(REPLACE, [path, ...bodies, this.#feed.own]));
  }

  append(path: VaultPath, text: string): Promise<void> {
    checkNewPath(path);
    this.#known?.delete(path);
    return this.#access.run(async (query) => {
      await refuseBlocked(query, path);
      await makeFolders(query, path);
      await query(
        `INSERT INTO brain.files AS old (path, folded, body, mtime, born)
           SELECT $1::text, $2::text, $3::bytea, made_at, made_at ${MADE_AT}
           ON CONFLICT (path) DO UPDATE SET body = old.body || excluded.body, mtime = clock_timestamp()`,
        [path, fold(path), Buffer.from(text)],
      );
      await this.#tell(query, path, false);
    });
  }

  async missingFolders(path: VaultPath): Promise<string[]> {
    const above = foldersAbove(path);
    const rows = await this.#access.one('SELECT path FROM brain.folders WHERE path = ANY($1::text[])', [
      above,
    ]);
    const there = new Set(rows.map(({ path: folder }) => folder));
    return above.filter((folder) => !there.has(folder));
  }

  async subfolders(folder: string): Promise<string[]> {
    const [from, to] = range(folder);
    const rows = await this.#access.one(
      `SELECT path FROM brain.folders WHERE path >= $1::text AND ($2::text = '' OR path < $2::text)
           AND position('/' IN substr(path, length($1::text) + 1)) = 0`,
      [from, to],
    );
    return rows.map(({ path }) => fileName(textOf(path))).filter((name) => !isIgnoredName(name));
  }

  removeEmptyFolders(folders: readonly string[]): Promise<void> {
    return this.#access.run(async (query) => {
      for (const folder of [...folders].sort((a, b) => b.length - a.length)) {
        await query(
          `DELETE FROM brain.folders WHERE path = $1
             AND NOT EXISTS (SELECT 1 FROM brain.files WHERE path >= $2 AND path < $3)
             AND NOT EXISTS (SELECT 1 FROM brain.folders WHERE path >= $2 AND path < $3)`,
          [folder, ...range(folder)],
        );
      }
    });
  }

  changes(listener: (change: VaultChange) => void): Unsubscribe {
    return this.#feed.subscribe(listener);
  }

  /** Resolves with size and bytes of a file, with no bytes when it has more than `most`; null when there is none. */
  async #read(path: VaultPath, most: number): Promise<Body | null> {
    checkStorePath(path, false);
    const [row] = await this.#access.one(
      `SELECT octet_length(body) AS size, CASE WHEN octet_length(body) <= $2 THEN body END AS body
           FROM brain.files WHERE path = $1`,
      [path, most],
    );
    if (row === undefined) return null;
    return { size: Number(row.size), body: row.body === null ? Buffer.alloc(0) : bytesOf(row.body) };
  }

  async #create(path: VaultPath, bytes: Buffer): Promise<boolean> {
    checkNewPath(path);
    const rows = await this.#access.one(
      `WITH made AS (
           INSERT INTO brain.files (path, folded, body, mtime, born)
             SELECT $1::text, $2::text, $3::bytea, made_at, made_at
             ${MADE_AT}
             WHERE NOT EXISTS (SELECT 1 FROM brain.folders WHERE path = $1)
               AND NOT EXISTS (SELECT 1 FROM brain.files WHERE path = ANY($4::text[]))
             ON CONFLICT DO NOTHING RETURNING path, ${STAT}
         ), above AS (
           INSERT INTO brain.folders SELECT unnest($4) FROM made ON CONFLICT DO NOTHING
         ), told AS (${TELL} SELECT path, false, $5 FROM made RETURNING xid::text)
         SELECT * FROM made, told`,
      [path, fold(path), bytes, foldersAbove(path), this.#feed.own],
    );
    const isMade = this.#made(path, rows);
    if (!isMade) await refuseBlocked(this.#access.one, path);
    return isMade;
  }

  /** Takes note of a change by the row that its statement gave, if it made any. Returns true when it did. */
  #made(path: VaultPath, [row]: readonly Row[], isRemoved = false): boolean {
    if (row === undefined) return false;
    this.#feed.wrote(row.xid);
    if (isRemoved) this.#known?.delete(path);
    else this.#known?.set(path, statOf(row));
    return true;
  }

  async #tell(query: Query, path: string, removed: boolean): Promise<void> {
    const [told] = await query(`${TELL} VALUES ($1, $2, $3) RETURNING xid::text`, [
      path,
      removed,
      this.#feed.own,
    ]);
    this.#feed.wrote(told?.xid);
  }
}

interface Body {
  readonly size: number;
  readonly body: Buffer;
}

function statOf({ size, mtime, born }: Row): FileStat {
  return { mtime: Number(mtime), size: Number(size), born: Number(born) };
}

/** Returns the folders above a file, outermost first. */
function foldersAbove(path: string): string[] {
  const folders: string[] = [];
  for (let folder = folderOf(path); folder !== ''; folder = folderOf(folder)) folders.unshift(folder);
  return folders;
}

function checkNewPath(path: string): void {
  checkStorePath(path, false);
  if (
    Buffer.byteLength(path) > MAX_PATH_BYTES ||
    path.split('/').some((name) => Buffer.byteLength(name) > 255)
  ) {
    throw notAllowed(path, 'is longer than disks allow');
  }
}

async function makeFolders(query: Query, path: string): Promise<void> {
  await query('INSERT INTO brain.folders SELECT unnest($1::text[]) ON CONFLICT DO NOTHING', [
    foldersAbove(path),
  ]);
}

/** @throws BrainError `path_not_allowed` for a path that leads through a file or is a folder. */
async function refuseBlocked(query: Query, path: string): Promise<void> {
  const blocking = await query(
    `SELECT 1 FROM brain.files WHERE path = ANY($2::text[])
       UNION ALL SELECT 1 FROM brain.folders WHERE path = $1`,
    [path, foldersAbove(path)],
  );
  if (blocking.length > 0) throw notAllowed(path, 'leads through a file, or is a folder');
}

/** Returns a function that tells of a file in a listing of `folder` whether it, or a folder above it, is left out. */
function leavesOut(folder: string, skip: (path: string) => boolean): (path: string) => boolean {
  const known = new Map<string, boolean>([[folder, false]]);
  const isOut = (path: string): boolean =>
    isIgnoredName(fileName(path)) || skip(path) || isFolderOut(folderOf(path));
  const isFolderOut = (at: string): boolean => {
    const before = known.get(at);
    if (before !== undefined) return before;
    const out = isOut(at);
    known.set(at, out);
    return out;
  };
  return isOut;
}
