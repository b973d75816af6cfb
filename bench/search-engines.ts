import { open, writeFile, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import lunr from 'lunr';
import { readAll } from '../src/adapters/files/whole-file';
import type { BenchDocument } from './corpus';
import type { Field } from '../src/core/fulltext/reader';
import { FIELD_WEIGHTS } from '../src/core/fulltext/scoring';
import { SearchIndex } from '../src/core/fulltext/search-index';
import { finish } from '../src/core/base/steps';
import { requirePeer, peerVersion } from './support';

/** The fields of a document that engines index, and how much each counts. */
const FIELDS = { title: FIELD_WEIGHTS.name, headings: FIELD_WEIGHTS.heading, text: FIELD_WEIGHTS.text };

/** An index that holds documents. */
export interface Engine {
  /** Paths of the best documents for what a person typed, best first; any of the words may match. */
  search(query: string, limit: number): readonly string[];
  /** Replaces a document; the next search sees it. */
  update(document: BenchDocument): void;
  /** Writes the index below a folder, in the engine's own format. */
  save(folder: string): Promise<void>;
  /** Releases what stays open otherwise. */
  close?(): void;
}

/** An engine of the bench. */
export interface EngineKind {
  readonly name: string;
  /** How it is set up, for the reader of the figures. */
  readonly says: string;
  /** Its package in bench/peers; none for what is part of this project. */
  readonly peer?: string;
  /** The most documents that it is tried with, and why. */
  readonly largest?: { readonly documents: number; readonly why: string };
  /** False for an engine that is compared by its answers only. */
  readonly timed?: false;
  /** How many updates are timed, when one takes long. */
  readonly updates?: number;
  /** How many queries of each length, when one takes long: the first of those that all engines are asked. */
  readonly queries?: number;
  /** Indexes all documents; an engine that lives in a file has it below `folder`, which is empty, or in memory without one. */
  build(documents: Iterable<BenchDocument>, folder?: string): Engine;
  /** Opens what `save` wrote. Missing when the engine has no file. */
  load?(folder: string): Promise<Engine>;
}

/** Words as most full-text engines cut them; used where a peer wants a query in parts. */
export function wordsOf(text: string): string[] {
  return text.match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
}

/** All of a file in one call, as the headless server reads its index; `readFile` asks for half a MiB at a time. */
async function readWhole(file: string): Promise<Buffer> {
  const handle = await open(file);
  try {
    return await readAll(handle, (await handle.stat()).size, file, Infinity);
  } finally {
    await handle.close();
  }
}

interface Item {
  readonly path: string;
}

/** The engine of this project. */
export const ours: EngineKind = {
  name: 'Brain Server',
  says: 'as shipped: any word may match, the best documents looked at a second time; title x3, each heading a field of its own; loading checks the whole file and enters every document before the first query',
  build(documents) {
    const index = new SearchIndex<Item>();
    for (const document of documents) put(index, document);
    index.releaseBuffers();
    return ourEngine(index);
  },
  async load(folder) {
    const bytes = await readWhole(ourFile(folder));
    const index = finish(SearchIndex.unpackSteps<Item>(bytes, (path) => ({ path })));
    if (index === null) throw new Error('Our own index file was refused.');
    return ourEngine(index);
  },
};

function put(index: SearchIndex<Item>, document: BenchDocument): void {
  index.put({ path: document.path }, index.prepare(benchFields(document)));
}

/** Returns the fields of a document as the index takes them. */
export function benchFields({ title, headings, text }: BenchDocument): Field[] {
  return [
    { kind: 'name', text: title },
    ...headings.split('\n').map((heading) => ({ kind: 'heading' as const, text: heading })),
    { kind: 'text', text },
  ];
}

function ourEngine(index: SearchIndex<Item>): Engine {
  return {
    search: (query, limit) =>
      index.search(query, { limit, accept: () => true }).map(({ item: { path } }) => path),
    update: (document) => put(index, document),
    save: (folder) => writeFile(ourFile(folder), index.pack()),
  };
}

function ourFile(folder: string): string {
  return join(folder, 'brain.index');
}

const K1 = 1.2;
const B = 0.75;
/** Lucene's English stop words. */
const STOP_WORDS = new Set(
  'a an and are as at be but by for if in into is it no not of on or such that the their then there these they this to was will with'.split(
    ' ',
  ),
);

/** How often each term occurs in each document, and how many terms a document has. */
interface Counted {
  readonly paths: string[];
  readonly lengths: number[];
  readonly postings: Map<string, Map<number, number>>;
}

/**
 * BM25 as a textbook and Lucene since version 8 write it, in the plainest form, as a yardstick: English analysis (lower case,
 * possessives off, Lucene's stop words, Porter's stemmer) over title and text in one field, which is how Lucene is run on
 * public test collections. Lengths are exact, where Lucene keeps them in a byte. Its answers are compared, not its speed.
 */
export const referenceBm25: EngineKind = {
  name: 'Lucene BM25, by the book',
  says: "k1 1.2, b 0.75, Lucene's English stop words, Porter's stemmer, title and text in one field without weights",
  timed: false,
  build(documents) {
    const counted: Counted = { paths: [], lengths: [], postings: new Map() };
    for (const { path, title, text } of documents) add(counted, path, analysed(`${title} ${text}`));
    return {
      search: (query, limit) => search(counted, analysed(query), limit),
      update: () => {
        throw new Error('The yardstick is built once.');
      },
      save: () => Promise.resolve(),
    };
  },
};

function analysed(text: string): string[] {
  return wordsOf(text.toLowerCase().replace(/['’]s\b/g, ''))
    .filter((word) => !STOP_WORDS.has(word))
    .map((word) => lunr.stemmer(new lunr.Token(word, {})).toString());
}

function add({ paths, lengths, postings }: Counted, path: string, terms: readonly string[]): void {
  const document = paths.push(path) - 1;
  lengths.push(terms.length);
  for (const term of terms) {
    const documents = postings.get(term) ?? new Map<number, number>();
    postings.set(term, documents.set(document, (documents.get(document) ?? 0) + 1));
  }
}

function search({ paths, lengths, postings }: Counted, terms: readonly string[], limit: number): string[] {
  const scores = new Map<number, number>();
  const average = lengths.reduce((sum, length) => sum + length, 0) / Math.max(1, lengths.length);
  for (const term of terms) {
    const documents = postings.get(term) ?? new Map<number, number>();
    const idf = Math.log(1 + (paths.length - documents.size + 0.5) / (documents.size + 0.5));
    for (const [document, frequency] of documents) {
      const norm = K1 * (1 - B + (B * (lengths[document] ?? 0)) / average);
      scores.set(document, (scores.get(document) ?? 0) + (idf * frequency) / (frequency + norm));
    }
  }
  // Equal scores in the order of the documents, as Lucene has them.
  return [...scores]
    .sort(([a, scoreA], [b, scoreB]) => scoreB - scoreA || a - b)
    .slice(0, limit)
    .map(([document]) => paths[document] ?? '');
}

/** lunr is a dependency of the project, which takes its stemmer; so its index needs no peer. */
const lunrIndex: EngineKind = {
  name: 'lunr',
  says: `lunr ${lunr.version}; its default pipeline; words through index.query, which unlike index.search takes any text; title x3; an update builds the index anew`,
  largest: { documents: 10_000, why: 'its build takes minutes and gigabytes beyond' },
  updates: 1,
  build(documents) {
    const known = new Map([...documents].map((document) => [document.path, document] as const));
    return lunrEngine(indexOf(known.values()), known);
  },
  async load(folder) {
    const saved: object = JSON.parse((await readWhole(lunrFile(folder))).toString());
    return lunrEngine(lunr.Index.load(saved), new Map());
  },
};

function indexOf(documents: Iterable<BenchDocument>): lunr.Index {
  const builder = new lunr.Builder();
  builder.pipeline.add(lunr.trimmer, lunr.stopWordFilter, lunr.stemmer);
  builder.searchPipeline.add(lunr.stemmer);
  builder.ref('path');
  builder.field('title', { boost: FIELDS.title });
  builder.field('headings', { boost: FIELDS.headings });
  builder.field('text', { boost: FIELDS.text });
  for (const document of documents) builder.add(document);
  return builder.build();
}

function lunrEngine(first: lunr.Index, known: Map<string, BenchDocument>): Engine {
  let index = first;
  return {
    search: (query, limit) =>
      index
        .query((clauses) => {
          for (const word of wordsOf(query)) clauses.term(word.toLowerCase(), {});
        })
        .slice(0, limit)
        .map(({ ref }) => ref),
    update(document) {
      known.set(document.path, document);
      index = indexOf(known.values());
    },
    save: (folder) => writeFile(lunrFile(folder), JSON.stringify(index)),
  };
}

function lunrFile(folder: string): string {
  return join(folder, 'lunr.json');
}

/** What the bench uses of MiniSearch. */
interface MiniSearch {
  add(document: BenchDocument): void;
  replace(document: BenchDocument): void;
  search(query: string): { id: string }[];
}
interface MiniSearchClass {
  new (options: object): MiniSearch;
  loadJSON(json: string, options: object): MiniSearch;
}

const miniSearch: EngineKind = miniSearchKind(
  'MiniSearch',
  'its defaults: any word may match, no prefixes, no typos; title x3',
  {},
);

const miniSearchStemmed: EngineKind = miniSearchKind(
  'MiniSearch, stemmed',
  "as MiniSearch, with lunr's stemmer and stop words as processTerm",
  { processTerm },
);

const miniSearchGuessing: EngineKind = {
  ...miniSearchKind(
    'MiniSearch, prefixes and typos',
    'as MiniSearch, with `prefix: true, fuzzy: 0.2`, the search options that its documentation shows and many an application takes; as a query takes it long, it is asked the first 12 of each length',
    {},
    { prefix: true, fuzzy: 0.2 },
  ),
  largest: { documents: 100_000, why: 'a query of eight words takes it many seconds' },
  queries: 12,
};

/** The hook as its documentation shows it, with what lunr's pipeline does to a word. */
function processTerm(term: string): string | null {
  const lower = new lunr.Token(term.toLowerCase(), {});
  return lunr.stopWordFilter(lower) === undefined ? null : lunr.stemmer(lower).toString();
}

function miniSearchKind(name: string, says: string, more: object, howToSearch: object = {}): EngineKind {
  const searchOptions = { boost: FIELDS, ...howToSearch };
  const options = { fields: Object.keys(FIELDS), idField: 'path', searchOptions, ...more };
  const peer = (): MiniSearchClass => {
    const loaded: { default: MiniSearchClass } | MiniSearchClass = requirePeer('minisearch');
    return 'default' in loaded ? loaded.default : loaded;
  };
  return {
    name,
    says,
    peer: 'minisearch',
    build(documents) {
      const index = new (peer())(options);
      for (const document of documents) index.add(document);
      return miniSearchEngine(index);
    },
    async load(folder) {
      const json = (await readWhole(miniSearchFile(folder))).toString();
      return miniSearchEngine(peer().loadJSON(json, options));
    },
  };
}

function miniSearchEngine(index: MiniSearch): Engine {
  return {
    search: (query, limit) =>
      index
        .search(query)
        .slice(0, limit)
        .map(({ id }) => id),
    update: (document) => index.replace(document),
    save: (folder) => writeFile(miniSearchFile(folder), JSON.stringify(index)),
  };
}

function miniSearchFile(folder: string): string {
  return join(folder, 'minisearch.json');
}

/** What the bench uses of FlexSearch. */
interface FlexDocument {
  add(document: BenchDocument): void;
  update(document: BenchDocument): void;
  search(query: string, options: object): { id: string }[];
  export(handler: (key: string, data: string | undefined) => Promise<void>): Promise<void>;
  import(key: string, data: string): Promise<void> | void;
}
interface FlexSearch {
  readonly Document: new (options: object) => FlexDocument;
  readonly Encoder: new (...options: readonly object[]) => object;
  readonly Charset: { readonly LatinBalance: object; readonly Normalize: object };
}

const flexSearch: EngineKind = {
  name: 'FlexSearch',
  says: 'Document index, whole words, its English encoder with stemmer and stop words, suggest: true so that any word may match; it knows no weights of fields',
  peer: 'flexsearch',
  build(documents) {
    const index = newIndex();
    for (const document of documents) index.add(document);
    return flexSearchEngine(index);
  },
  async load(folder) {
    const index = newIndex();
    for (const name of await readdir(partsIn(folder))) {
      const part = await readWhole(join(partsIn(folder), name));
      await index.import(decodeURIComponent(name), part.toString());
    }
    return flexSearchEngine(index);
  },
};

function newIndex(): FlexDocument {
  const { Document, Encoder, Charset }: FlexSearch = requirePeer('flexsearch');
  const english: object = requirePeer('flexsearch/lang/en');
  return new Document({
    tokenize: 'strict',
    encoder: new Encoder(Charset.Normalize, english),
    document: { id: 'path', index: Object.keys(FIELDS) },
  });
}

function flexSearchEngine(index: FlexDocument): Engine {
  return {
    search: (query, limit) =>
      index
        .search(query, { limit, suggest: true, merge: true })
        .slice(0, limit)
        .map(({ id }) => id),
    update: (document) => index.update(document),
    async save(folder) {
      await mkdir(partsIn(folder));
      await index.export(async (key, data) => {
        if (data !== undefined) await writeFile(join(partsIn(folder), encodeURIComponent(key)), data);
      });
    },
  };
}

function partsIn(folder: string): string {
  return join(folder, 'flexsearch');
}

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

const fts5 = fts5Kind(
  'SQLite FTS5',
  'better-sqlite3; porter over unicode61, no copy of the text, one transaction for the build, WAL without sync; words joined by OR, title x3',
  (word) => `"${word}"`,
);

const fts5Prefixes: EngineKind = {
  ...fts5Kind(
    'SQLite FTS5, prefixes',
    'as SQLite FTS5, every word with `*`, as one types',
    (word) => `"${word}"*`,
  ),
  largest: { documents: 10_000, why: 'it is there to be compared with a peer that is left out too' },
};

function fts5Kind(name: string, says: string, asked: (word: string) => string): EngineKind {
  return {
    name,
    says,
    peer: 'better-sqlite3',
    build(documents, folder) {
      const database = openFts5(folder);
      database.exec(SCHEMA);
      const put = putter(database);
      database.exec('begin');
      for (const document of documents) put(document);
      database.exec('commit');
      return fts5Engine(database, put, asked);
    },
    load(folder) {
      const database = openFts5(folder);
      return Promise.resolve(fts5Engine(database, putter(database), asked));
    },
  };
}

function openFts5(folder?: string): Database {
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

function fts5Engine(
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

/** Every engine that is compared by its answers, ours first; those with `load` also by their speed. */
export const ENGINES: readonly EngineKind[] = [
  ours,
  miniSearch,
  miniSearchStemmed,
  miniSearchGuessing,
  flexSearch,
  lunrIndex,
  fts5,
  fts5Prefixes,
  referenceBm25,
];

/** The engines that can run here, and a line for the reader when peers are missing. */
export function installed(): { readonly engines: readonly EngineKind[]; readonly missing: string | null } {
  const engines = ENGINES.filter(({ peer }) => peer === undefined || peerVersion(peer) !== undefined);
  const missing =
    engines.length === ENGINES.length
      ? null
      : 'Some peers are not installed and are left out: `npm ci --prefix bench/peers` brings them.';
  return { engines, missing };
}

/** How each engine is set up, a line each. */
export function sayEngines(engines: readonly EngineKind[]): string {
  return engines
    .map(({ name, peer, says }) => {
      const version = peer === undefined ? '' : ` (${peer} ${peerVersion(peer) ?? ''})`;
      return `- ${name}${version}: ${says}`;
    })
    .join('\n');
}
