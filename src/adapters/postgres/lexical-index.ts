import * as z from 'zod';
import { inSlices, type Pace } from '../../core/base/steps';
import type { Facets } from '../../core/fulltext/documents';
import type { LexicalIndex, LexicalRow } from '../../core/fulltext/lexical-index';
import { type PhrasePlan, quotedPhrases } from '../../core/fulltext/query-phrases';
import { planSearch } from '../../core/fulltext/query';
import { queryTerms } from '../../core/fulltext/query-terms';
import type { Field } from '../../core/fulltext/reader';
import { type Hit, SearchIndex } from '../../core/fulltext/search-index';
import { MAX_RERANKED } from '../../core/fulltext/rerank';
import { B, FIELD_KINDS, K1, MIN_LENGTH } from '../../core/fulltext/scoring';
import { startOf } from '../../core/fulltext/stems';
import { isStopWord } from '../../core/fulltext/stop-words';
import { Analyser, termsOf } from '../../core/fulltext/terms';
import { eachWord, isPaired, lettersIn, unitsOf } from '../../core/fulltext/words';
import { identifier, literal, type Query, type Row, type Sql, textOf } from './sql';

/**
 * So many of the best documents by the extension's score, and at least twice as many as are asked for, are scored again as the
 * index in memory scores. Twice as many took half as long again, and gained .000 and .001 nDCG@10 on two collections.
 */
const CANDIDATES = 100;
/** The most terms of a query for which others are looked up: their forms, longer ones, similar ones. Each look goes through the vocabulary. */
const MAX_SCANS = 16;
/** The most terms that one of them gives. */
const MAX_NEAR = 500;
/** Documents that are looked through for phrases at a time. */
const PHRASE_BATCH = 200;

/** Rows of the vocabulary that are no terms: the number of all documents, and the sum of their lengths. */
const DOCUMENTS = '';
const LENGTH = ' ';

/** The advisory lock of writers, whose counts would otherwise wait for one another in any order. */
const LOCK = 0x776f_7264_73; // "words"

type Database = Pick<Sql, 'place' | 'statement' | 'transaction'>;

interface Options<T> {
  readonly schema: string;
  readonly pace: Pace;
  readonly facetsOf: (item: T) => Facets;
  /** Returns the item of a path, or undefined for a document that is gone: no search finds it. */
  readonly itemOf: (path: string) => T | undefined;
}

/** The names in the database, with their schemas. */
interface Names {
  readonly documents: string;
  readonly vocabulary: string;
  /** The expression for the BM25 score of a row for the words in `$1`: the lower, the better. */
  readonly score: string;
}

/** A document as the tables hold it. */
interface Analysed {
  readonly path: string;
  readonly facets: Facets;
  /** The distinct terms. */
  readonly terms: readonly string[];
  /** For the extension: each term as often as it counts. */
  readonly words: string;
  readonly length: number;
  readonly fields: string;
}

/**
 * An index of words in tables of Postgres, with the BM25 index of the extension pg_textsearch over our own terms. The extension
 * finds candidates among all documents; the best of them are scored again by `SearchIndex`, with the counts of all documents,
 * so that ranks are those of the index in memory as far as the candidates reach. Tables are made at first use.
 *
 * Four differences are known: only English forms of a word are looked up, a word that stands for several others is weighed by the sum of their documents, whether two
 * parts of an unknown word stand side by side somewhere is not looked at, and other forms are looked up of the first words
 * only.
 */
export class SqlLexicalIndex<T extends { readonly path: string }> implements LexicalIndex<T> {
  readonly #sql: Database;
  readonly #options: Options<T>;
  readonly #analyser = new Analyser();
  #opened: Promise<Names> | null = null;

  constructor(sql: Database, options: Options<T>) {
    this.#sql = sql;
    this.#options = options;
  }

  async put(rows: readonly LexicalRow<T>[]): Promise<void> {
    const { documents } = await this.#names();
    const latest = new Map(rows.map((row) => [row.item.path, row]));
    const reader = new SearchIndex<T>();
    const all: Analysed[] = [];
    for (const row of latest.values()) all.push(await this.#analysed(row, reader));
    await this.#change([...latest.keys()], async (query, changes) => {
      for (const { path, facets, terms, words, length, fields } of all) {
        await query(
          `INSERT INTO ${documents} (path, wing, hall, raw, length, terms, words, fields)
           VALUES ($1, $2, $3, $4, $5, $6::text[], $7, $8)`,
          [path, facets.wing ?? null, facets.hall ?? null, facets.raw === true, length, terms, words, fields],
        );
        changes.count(terms, length, 1);
      }
    });
  }

  async drop(paths: readonly string[]): Promise<void> {
    await this.#change(paths, async () => undefined);
  }

  async best(query: string, options: Parameters<LexicalIndex<T>['best']>[1]): Promise<readonly Hit<T>[]> {
    const part = await this.#partFor(query);
    const plan = planSearch(query, part.analyser, part);
    const needed = termsNeeded(plan.phrases, part);
    if (plan.groups.length === 0 || needed === null) return [];
    const words = plan.groups.flatMap(({ ids }) => ids).map((number) => encoded(part.text(number)));
    const found = await this.#candidates(words.join(' '), needed, query, options);
    const { documents } = await this.#names();
    const rows = await this.#sql.statement(
      `SELECT path, fields FROM ${documents} WHERE path = ANY($1::text[])`,
      [found],
    );
    const titles = await this.#fill(part, rows);
    // Both runs filter: an item may have changed since its row was found. The bonus for a title weighs all of its terms.
    const best = part.run(plan, { ...options, limit: MAX_RERANKED });
    const terms = best.flatMap(({ item }) => formsIn(titles.get(item.path) ?? ''));
    part.learn(await this.#holders(terms.filter((term) => !isStopWord(term))));
    return part.run(plan, options);
  }

  async holders(query: string, among?: readonly string[]): Promise<ReadonlySet<string> | null> {
    if (quotedPhrases(query, this.#analyser).length === 0) return null;
    const part = await this.#partFor(query);
    const needed = termsNeeded(planSearch(query, part.analyser, part).phrases, part);
    return needed === null ? new Set() : this.#phraseHolders(query, needed, among);
  }

  /** Returns the paths, of those `among` or of all, of the documents with every quoted phrase of a query that needs these terms. */
  async #phraseHolders(
    query: string,
    needed: readonly string[][],
    among?: readonly string[],
  ): Promise<ReadonlySet<string>> {
    const found = new Set<string>();
    const { documents } = await this.#names();
    for (let after = ''; ;) {
      const where = new Conditions().add('path > ?', after).holding(needed);
      if (among !== undefined) where.add('path = ANY(?::text[])', among);
      const rows = await this.#sql.statement(
        `SELECT path, fields FROM ${documents} ${where.text} ORDER BY path LIMIT ${PHRASE_BATCH}`,
        where.values,
      );
      const some = new SearchIndex<T>();
      await this.#fill(some, rows);
      for (const path of (await inSlices(some.phraseHolders(query), this.#options.pace)) ?? [])
        found.add(path);
      if (rows.length < PHRASE_BATCH) return found;
      after = textOf(rows.at(-1)?.path);
    }
  }

  #names(): Promise<Names> {
    this.#opened ??= makeTables(this.#sql, this.#options.schema).catch((error: unknown) => {
      this.#opened = null;
      throw error;
    });
    return this.#opened;
  }

  async #analysed({ item, fields }: LexicalRow<T>, reader: SearchIndex<T>): Promise<Analysed> {
    const read = await inSlices(reader.prepareSteps(fields), this.#options.pace);
    const terms = read.terms.map((number) => reader.text(number));
    return {
      path: item.path,
      facets: this.#options.facetsOf(item),
      terms,
      words: terms
        .map((term, at) => `${encoded(term)} `.repeat(Math.ceil(read.frequencies[at] ?? 1)))
        .join(''),
      length: read.length,
      fields: JSON.stringify(fields.map(({ kind, text }) => [kind, text])),
    };
  }

  /** Returns the terms that occur, each with the number of its documents. */
  async #holders(terms: readonly string[]): Promise<[string, number][]> {
    if (terms.length === 0) return [];
    const { vocabulary } = await this.#names();
    const rows = await this.#sql.statement(
      `SELECT term, documents FROM ${vocabulary} WHERE term = ANY($1::text[])`,
      [[...new Set(terms)]],
    );
    return countsOf(rows);
  }

  /** Returns a part of the index without documents, which knows the words of a query and those similar to unknown ones. */
  async #partFor(query: string): Promise<SearchIndex<T>> {
    const words = queryTerms(query, this.#analyser);
    const known = new Map(await this.#holders([DOCUMENTS, LENGTH, ...words.flatMap(({ terms }) => terms)]));
    const part = new SearchIndex<T>(this.#options.facetsOf, {
      documents: known.get(DOCUMENTS) ?? 1,
      totalLength: known.get(LENGTH) ?? 1,
    });
    known.delete(DOCUMENTS);
    known.delete(LENGTH);
    part.learn(known);
    const unknown = words.filter(({ terms }) => terms.every((term) => part.number(term) === 0));
    part.learn(await this.#holders(unknown.flatMap(({ parts }) => parts)));
    const last = words.at(-1);
    // Without what they stand for, these words find nothing; without other forms, a word still finds its own.
    const begun = [...(last === undefined ? [] : [last]), ...unknown].flatMap(({ beginnings }) => beginnings);
    const forms = words.flatMap(({ stems, lone }) => [
      ...lone,
      ...stems.filter((stem) => !isStopWord(stem)).map(startOf),
    ]);
    const scans = [
      ...unknown.flatMap(({ misspellings }) => misspellings),
      ...[...begun, ...forms].map((term) => ({ term, edits: 0 })),
    ];
    const distinct = new Map<string, number>();
    for (const { term, edits } of scans) if (!distinct.has(term)) distinct.set(term, edits);
    for (const [term, edits] of [...distinct].slice(0, MAX_SCANS))
      part.learn(await this.#similar(term, edits));
    return part;
  }

  /** Returns terms that begin with a term, or that may be it with so many edits; the part of the index tells which are. */
  async #similar(term: string, edits: number): Promise<[string, number][]> {
    const { vocabulary } = await this.#names();
    // An edit changes at most two letters of the set.
    const rows = await this.#sql.statement(
      `SELECT term, documents FROM ${vocabulary}
       WHERE starts_with(term, $1) OR ($2 AND right(term, char_length($1)) = $1)
         OR ($3 > 0 AND abs(char_length(term) - char_length($1)) <= $3
             AND bit_count((letters # $4)::bit(32)) <= 2 * $3)
       ORDER BY documents DESC, term LIMIT ${MAX_NEAR}`,
      [term, isPaired(term), edits, lettersOf(term)],
    );
    return countsOf(rows);
  }

  /** Returns the paths of the best documents by the extension's score that pass the filters. */
  async #candidates(
    words: string,
    needed: readonly string[][],
    query: string,
    { limit, wing, hall, reviewed, under, accept }: Parameters<LexicalIndex<T>['best']>[1],
  ): Promise<string[]> {
    // No text of the database has one, and none may be asked for.
    if ([wing, hall, under].some((value) => value?.includes('\0') === true)) return [];
    const { documents, score } = await this.#names();
    const where = new Conditions([words]).holding(needed);
    if (wing !== undefined) where.add('wing = ?', wing);
    if (hall !== undefined) where.add('hall = ?', hall);
    if (reviewed === true) where.add('NOT raw');
    if (under !== undefined) where.add('starts_with(path, ?)', `${under}/`);
    const wanted = Math.max(2 * limit, CANDIDATES);
    // Each time from the first one: a change between two statements shifts ranks.
    for (let size = wanted; ; size *= 2) {
      // The score itself is not asked for: it would be computed once more for each row, which takes longer than the rest.
      const rows = await this.#sql.statement(
        `SELECT path FROM ${documents} ${where.text} ORDER BY ${score} LIMIT ${size}`,
        where.values,
      );
      const paths = rows.map((row) => textOf(row.path));
      const accepted = paths.filter((path) => {
        const item = this.#options.itemOf(path);
        return item !== undefined && (accept?.(item) ?? true);
      });
      const holding = needed.length === 0 ? null : await this.#phraseHolders(query, needed, accepted);
      const found = accepted.filter((path) => holding?.has(path) ?? true);
      if (found.length >= wanted || paths.length < size) return found.slice(0, wanted);
    }
  }

  /** Adds documents to a part of the index, by their rows; returns their titles. */
  async #fill(part: SearchIndex<T>, rows: readonly Row[]): Promise<ReadonlyMap<string, string>> {
    const titles = new Map<string, string>();
    for (const row of rows) {
      const item = this.#options.itemOf(textOf(row.path));
      if (item === undefined) continue;
      const fields = fieldsOf(row);
      part.put(item, await inSlices(part.prepareSteps(fields), this.#options.pace));
      titles.set(item.path, fields[0]?.text ?? '');
    }
    return titles;
  }

  /** Removes documents and lets `work` add others, in one transaction that also keeps the counts. */
  async #change(
    paths: readonly string[],
    work: (query: Query, changes: Changes) => Promise<void>,
  ): Promise<void> {
    const { documents, vocabulary } = await this.#names();
    await this.#sql.transaction(async (query) => {
      await query('SELECT pg_advisory_xact_lock($1)', [LOCK]);
      const changes = new Changes();
      const old = await query(
        `DELETE FROM ${documents} WHERE path = ANY($1::text[]) RETURNING array_to_json(terms)::text AS terms, length`,
        [paths],
      );
      for (const row of old)
        changes.count(termsShape.parse(JSON.parse(textOf(row.terms))), Number(row.length), -1);
      await work(query, changes);
      const terms = changes.all();
      await query(
        `INSERT INTO ${vocabulary} AS known (term, documents, letters)
         SELECT * FROM unnest($1::text[], $2::bigint[], $3::int[])
         ON CONFLICT (term) DO UPDATE SET documents = known.documents + excluded.documents`,
        [terms.map(([term]) => term), terms.map(([, by]) => by), terms.map(([term]) => lettersOf(term))],
      );
      await query(`DELETE FROM ${vocabulary} WHERE term = ANY($1::text[]) AND documents <= 0`, [
        terms.filter(([, by]) => by < 0).map(([term]) => term),
      ]);
    });
  }
}

/** Returns the terms of a text. */
function formsIn(text: string): string[] {
  const forms: string[] = [];
  eachWord(text, (from, to) => forms.push(...termsOf(text.slice(from, to))));
  return forms;
}

/** What a change adds to the counts of the vocabulary. */
class Changes {
  readonly #counts = new Map<string, number>();

  /** Counts a document more or less. */
  count(terms: readonly string[], length: number, by: 1 | -1): void {
    this.#add(DOCUMENTS, by);
    this.#add(LENGTH, by * Math.max(length, MIN_LENGTH));
    for (const term of terms) this.#add(term, by);
  }

  all(): [term: string, by: number][] {
    return [...this.#counts].filter(([, by]) => by !== 0);
  }

  #add(term: string, by: number): void {
    this.#counts.set(term, (this.#counts.get(term) ?? 0) + by);
  }
}

/** Conditions of a statement, with the values of its parameters. */
class Conditions {
  readonly #parts: string[] = [];

  constructor(readonly values: unknown[] = []) {}

  get text(): string {
    return this.#parts.length === 0 ? '' : `WHERE ${this.#parts.join(' AND ')}`;
  }

  /** Adds a condition; `?` in it is the value. */
  add(condition: string, ...value: readonly unknown[]): this {
    this.values.push(...value);
    this.#parts.push(condition.replace('?', `$${this.values.length}`));
    return this;
  }

  /** Adds that a document holds one term of each list. */
  holding(needed: readonly (readonly string[])[]): this {
    for (const terms of needed) this.add('terms && ?::text[]', terms);
    return this;
  }
}

/**
 * Returns lists of terms, of each of which a document with all phrases holds at least one; null if no document holds them.
 * Terms that may stand in place of others, as a compound for its parts, are in no list, unless a phrase begins with them.
 */
function termsNeeded(
  phrases: readonly PhrasePlan[],
  index: Pick<SearchIndex<{ path: string }>, 'text'>,
): string[][] | null {
  const needed = phrases.flatMap(({ terms }) => {
    const first = terms.filter(({ from }) => from === 0).flatMap(({ matches }) => matches);
    const alone = terms.filter(
      (term) => !terms.some((other) => other !== term && other.from < term.to && other.to > term.from),
    );
    return [first, ...alone.map(({ matches }) => matches)];
  });
  if (needed.some((matches) => matches.length === 0)) return null;
  return needed.map((matches) => matches.map((number) => index.text(number)));
}

/**
 * Returns a term as a word that the parser of Postgres leaves as it is, which takes many signs and digits for something of their
 * own (`1e5`, `a/b`).
 */
function encoded(term: string): string {
  return /^[a-z]+$/.test(term) ? term : `x0${Buffer.from(term).toString('hex')}`;
}

function lettersOf(term: string): number {
  const units = unitsOf(term);
  return lettersIn(units, 0, units.length);
}

function countsOf(rows: readonly Row[]): [string, number][] {
  return rows.map(({ term, documents }) => [textOf(term), Number(documents)]);
}

const termsShape = z.array(z.string());
const fieldsShape = z.array(z.tuple([z.enum(FIELD_KINDS), z.string()]));

function fieldsOf({ fields }: Row): Field[] {
  return fieldsShape.parse(JSON.parse(textOf(fields))).map(([kind, text]) => ({ kind, text }));
}

/** Makes what is missing of the tables and the index. @throws Error where the extension is missing */
async function makeTables(sql: Database, schema: string): Promise<Names> {
  const at = identifier(schema);
  return sql.transaction(async (query) => {
    await query('SELECT pg_advisory_xact_lock($1)', [LOCK]);
    const [extension] = await query(
      `SELECT n.nspname::text AS schema FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace
       WHERE e.extname = 'pg_textsearch'`,
    );
    if (extension === undefined) {
      throw new Error(
        `The database at ${sql.place} has no pg_textsearch. Install the extension on that server (PostgreSQL 17 or later), then let a superuser run in it: CREATE EXTENSION pg_textsearch;`,
      );
    }
    const home = identifier(textOf(extension.schema));
    await query(`CREATE SCHEMA IF NOT EXISTS ${at}`);
    await query(
      `CREATE TABLE IF NOT EXISTS ${at}.words (
         path text COLLATE "C" PRIMARY KEY, wing text, hall text, raw boolean NOT NULL,
         length integer NOT NULL, terms text[] COLLATE "C" NOT NULL, words text NOT NULL, fields text NOT NULL)`,
    );
    await query(
      `CREATE INDEX IF NOT EXISTS words_bm25 ON ${at}.words USING bm25 (words)
       WITH (text_config = 'simple', k1 = ${K1}, b = ${B})`,
    );
    await query(`CREATE INDEX IF NOT EXISTS words_terms ON ${at}.words USING gin (terms)`);
    await query(
      `CREATE TABLE IF NOT EXISTS ${at}.vocabulary (
         term text COLLATE "C" PRIMARY KEY, documents bigint NOT NULL, letters integer NOT NULL)`,
    );
    return {
      documents: `${at}.words`,
      vocabulary: `${at}.vocabulary`,
      score: `words OPERATOR(${home}.<@>) ${home}.to_bm25query($1, ${literal(`${at}.words_bm25`)})`,
    };
  });
}
