import { join } from 'node:path';
import type { BenchDocument } from './corpus';
import { requirePeer } from './peer-packages';
import { type Engine, type EngineKind, FIELDS, wordsOf } from './search-engine';

/** What the bench uses of better-sqlite3. */
interface Database {
  exec(sql: string): void;
  pragma(text: string): void;
  prepare(sql: string): {
    run(...values: (string | number)[]): { lastInsertRowid: number };
    get(...values: (string | number)[]): { id: number } | undefined;
    all(...values: (string | number)[]): { path: string }[];
  };
  close(): void;
}
type DatabaseClass = new (file: string) => Database;

// An index without its own copy of the text, as ours is; the rank that the documentation calls fastest.
const SCHEMA = `
  create table notes (id integer primary key, path text unique);
  create virtual table words using fts5(title, headings, text,
    content = '', contentless_delete = 1, tokenize = 'porter unicode61 remove_diacritics 2');
  insert into words (words, rank) values ('rank', 'bm25(${Object.values(FIELDS).join(', ')})');`;

export const fts5 = kind(
  'SQLite FTS5',
  'better-sqlite3; porter over unicode61, no copy of the text, one transaction for the build, WAL without sync; words joined by OR, title x3',
  (word) => `"${word}"`,
);

export const fts5Prefixes: EngineKind = {
  ...kind(
    'SQLite FTS5, prefixes',
    'as SQLite FTS5, every word with `*`, as one types',
    (word) => `"${word}"*`,
  ),
  largest: { documents: 10_000, why: 'it is there to be compared with a peer that is left out too' },
};

function kind(name: string, says: string, asked: (word: string) => string): EngineKind {
  return {
    name,
    says,
    peer: 'better-sqlite3',
    build(documents, folder) {
      const database = open(folder);
      database.exec(SCHEMA);
      const put = putter(database);
      database.exec('begin');
      for (const document of documents) put(document);
      database.exec('commit');
      return engineOf(database, put, asked);
    },
    load(folder) {
      const database = open(folder);
      return Promise.resolve(engineOf(database, putter(database), asked));
    },
  };
}

function open(folder?: string): Database {
  const Sqlite: DatabaseClass = requirePeer('better-sqlite3');
  const database = new Sqlite(folder === undefined ? ':memory:' : join(folder, 'fts5.db'));
  database.pragma('journal_mode = wal');
  database.pragma('synchronous = off');
  return database;
}

function putter(database: Database): (document: BenchDocument) => void {
  const find = database.prepare('select id from notes where path = ?');
  const name = database.prepare('insert into notes (path) values (?)');
  const add = database.prepare('insert into words (rowid, title, headings, text) values (?, ?, ?, ?)');
  const replace = database.prepare(
    'insert or replace into words (rowid, title, headings, text) values (?, ?, ?, ?)',
  );
  return ({ path, title, headings, text }) => {
    const known = find.get(path)?.id;
    if (known === undefined) add.run(Number(name.run(path).lastInsertRowid), title, headings, text);
    else replace.run(known, title, headings, text);
  };
}

function engineOf(
  database: Database,
  put: (document: BenchDocument) => void,
  asked: (word: string) => string,
): Engine {
  const select = database.prepare(
    `select notes.path as path from (select rowid, rank from words where words match ? order by rank limit ?) found
      join notes on notes.id = found.rowid order by found.rank`,
  );
  return {
    search(query, limit) {
      const words = wordsOf(query).map(asked);
      return words.length === 0 ? [] : select.all(words.join(' OR '), limit).map(({ path }) => path);
    },
    update: put,
    save: () => {
      database.pragma('wal_checkpoint(truncate)');
      return Promise.resolve();
    },
    close: () => database.close(),
  };
}
