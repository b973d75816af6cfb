import type { Steps } from '../base/steps';
import { Dictionary, type Vocabulary } from './dictionary';
import { Documents, type Facets } from './documents';
import { Evidence } from './evidence';
import { type IndexParts, packIndex, unpackIndex } from './index-file';
import { phraseTest, areAdjacent } from './phrase-match';
import { type PostingRange, Postings } from './postings';
import { nearestTerms, planPhrases, planSearch, type SearchPlan } from './query';
import { Relatives } from './relatives';
import { DocumentReader, type Field, type ReadDocument } from './reader';
import { classesFor, idfOf, MIN_LENGTH, weightOf } from './scoring';
import { type Hit, Searcher, type SearchOptions } from './searcher';
import { SeenDocuments } from './seen';
import { isStopWord } from './stop-words';
import { eachTermOf, FIELD_END, Streams, type TokenStream } from './streams';
import { Analyser } from './terms';
import { unitsOf } from './words';

/** Removes a document from the posting lists of terms that its new version has not. */
class TermRemoval {
  /** By term number, 1 if the new version keeps it or it was removed; all zero between calls. */
  #done = new Uint8Array(1024);

  constructor(
    private readonly dictionary: Dictionary,
    private readonly postings: Postings,
  ) {}

  /**
   * Removes a document from the lists of its terms.
   * @param stream the old version, which is in the lists
   * @param kept terms of the new version, whose lists stay
   */
  remove(doc: number, stream: TokenStream, kept: readonly number[]): void {
    if (this.#done.length < this.dictionary.limit) this.#done = new Uint8Array(this.dictionary.limit * 2);
    const done = this.#done;
    for (const id of kept) done[id] = 1;
    const gone: number[] = [];
    eachTermOf(stream, (id) => {
      if (done[id] !== 0 || id === FIELD_END) return;
      done[id] = 1;
      gone.push(id);
    });
    for (const id of gone) {
      this.postings.remove(id, doc);
      done[id] = 0;
    }
    for (const id of kept) done[id] = 0;
  }
}

export type { Hit, SearchOptions } from './searcher';

/**
 * The number of idle terms, beyond twice the terms in use, that keep their numbers. Most come back with the next version of
 * their note, and a document that was prepared but not put refers to numbers.
 */
const MAX_IDLE_TERMS = 4096;
/** The number of long documents, the newest, whose terms keep their numbers from the reading of the document until it is put. */
const MAX_AWAITED = 8;
/** The number of units of documents that one step searches for phrases. */
const UNITS_PER_STEP = 1 << 15;
/** The number of units that each document counts in addition to its own. */
const UNITS_PER_DOCUMENT = 256;

/** A document that is prepared for `put`. */
export interface Prepared extends ReadDocument {
  /** The edition of the term numbers; they are valid as long as the index has the same. */
  readonly edition: number;
}

/** The length from which a document is read in steps (UTF-16 units). */
const LONG_DOCUMENT = 1 << 15;

/** An index, and what searches it. */
interface Searched<T extends { readonly path: string }> extends IndexParts<T> {
  readonly analyser: Analyser;
  readonly searcher: Searcher<T>;
  /** By term number, the documents with it in the whole of which this index is a part; null when this is the whole. */
  readonly inWhole: ReadonlyMap<number, number> | null;
}

/** What is asked of an index: of all its documents, or of those that one reader may see, as if there were no others. */
export class IndexView<T extends { readonly path: string }> implements Vocabulary {
  readonly #relatives: Relatives;
  protected planned: {
    readonly query: string;
    readonly guesses: boolean;
    readonly changes: number;
    readonly plan: SearchPlan;
  } | null = null;

  /** @param seen the documents that count, if not all */
  constructor(
    protected readonly parts: Searched<T>,
    private readonly seen: SeenDocuments | null,
  ) {
    this.#relatives = new Relatives({
      dictionary: parts.dictionary,
      postings: parts.postings,
      changes: () => parts.documents.changes,
      occurs: this.occurs,
      range: this.#range,
    });
  }

  get analyser(): Analyser {
    return this.parts.analyser;
  }

  get size(): number {
    return this.seen?.documents ?? this.parts.documents.size;
  }

  /** The number of documents that are not raw. */
  get reviewed(): number {
    return this.seen?.reviewed ?? this.parts.documents.reviewed;
  }

  /**
   * Returns the number of documents that hold a form of a stem, or somewhat more: one with several forms counts as often. Where
   * this is all of an index, there are never more than it has documents.
   */
  frequency(stem: string): number {
    const sum = this.forms(stem).reduce((documents, form) => documents + this.documents(form), 0);
    return this.parts.inWhole === null ? Math.min(sum, this.size) : sum;
  }

  forms(stem: string): number[] {
    return this.parts.dictionary.formsOf(stem).filter(this.occurs);
  }

  relatives(form: string): readonly number[] {
    return this.#relatives.of(form);
  }

  compounds(form: string, mayLead: boolean): readonly number[] {
    return this.#relatives.compounds(form, mayLead);
  }

  beginning(term: string): number[] {
    return this.parts.dictionary.beginningWith(term);
  }

  number(term: string): number {
    const id = this.parts.dictionary.get(term) ?? 0;
    return this.occurs(id) ? id : 0;
  }

  text(number: number): string {
    return this.parts.dictionary.text(number);
  }

  documents(number: number): number {
    return this.seen?.holders(number) ?? holdersIn(this.parts, number);
  }

  isStopWord(number: number): boolean {
    return this.parts.dictionary.isStopWord(number);
  }

  near(term: string, letters: number): number[] {
    return nearestTerms(term, letters, this.parts.dictionary, this.occurs);
  }

  around(character: string): number[] {
    const { dictionary } = this.parts;
    const both = new Set([...dictionary.beginningWith(character), ...dictionary.endingWith(character)]);
    return [...both].filter(this.occurs);
  }

  areAdjacent(first: number, second: number): boolean {
    // A part cannot tell.
    if (this.parts.inWhole !== null) return this.occurs(first) && this.occurs(second);
    return areAdjacent(first, second, this.parts, this.#range);
  }

  /** Returns the inverse document frequency of a term with so many holders. */
  idf(holders: number): number {
    return idfOf(weightOf(holders, this.size));
  }

  /**
   * Returns a function that counts the documents with a form of a stem apart from the one with this path; one with several
   * forms as often.
   */
  documentsWithout(path: string | undefined): (stem: string) => number {
    const doc = path === undefined ? undefined : this.#number(path);
    const others = (form: number): number =>
      this.documents(form) - (doc !== undefined && this.parts.postings.has(form, doc) ? 1 : 0);
    return (stem) => this.forms(stem).reduce((sum, form) => sum + others(form), 0);
  }

  /**
   * Returns which of the words, given by stem, are rare among the reviewed documents, or with `isQueued` among the others, and
   * where they occur. The document with this path does not count.
   */
  evidence(stems: readonly string[], path: string | undefined, isQueued: boolean): Evidence {
    const numbered = stems
      .filter((stem) => !isStopWord(stem))
      .map((term) => ({ term, forms: this.forms(term) }));
    const { documents } = this.parts;
    const own = path === undefined ? undefined : this.#number(path);
    return new Evidence(numbered, own, {
      postings: this.#range,
      isCounted: (doc) => documents.isReviewed(doc) !== isQueued,
      count: isQueued ? this.size - this.reviewed : this.reviewed,
      limit: documents.limit,
    });
  }

  /** Returns the rare terms that the document with this path holds, rarest first. */
  rareTermsIn(path: string, evidence: Evidence): string[] {
    const doc = this.#number(path);
    return doc === undefined ? [] : evidence.termsIn(doc);
  }

  /**
   * Returns a test whether the document with a path holds every quoted phrase of the query; null if it has none. Valid until
   * the index changes.
   */
  phraseTest(query: string): ((path: string) => boolean) | null {
    const holdsAll = this.#phraseTest(query);
    if (holdsAll === null) return null;
    return (path) => {
      const doc = this.#number(path);
      return doc !== undefined && holdsAll(doc);
    };
  }

  /**
   * Returns the paths of all documents that hold every quoted phrase of the query; null if it has none. A step takes about a
   * millisecond, or as long as one document. The index may change between steps; the result may then hold the old state of
   * what changed.
   * @param inAnyForm true where each word of a phrase may stand in any of its forms
   */
  *phraseHolders(query: string, inAnyForm = false): Steps<ReadonlySet<string> | null> {
    const { documents, streams } = this.parts;
    const holders = new Set<string>();
    let holdsAll = this.#phraseTest(query, inAnyForm);
    let looked = 0;
    for (let doc = 0; holdsAll !== null && doc < documents.limit; doc += 1) {
      const item = documents.item(doc);
      if (item !== undefined && this.seen?.has(doc) !== false && holdsAll(doc)) holders.add(item.path);
      looked += streams.size(doc) + UNITS_PER_DOCUMENT;
      if (looked < UNITS_PER_STEP) continue;
      looked = 0;
      const { changes } = documents;
      yield;
      if (changes !== documents.changes) holdsAll = this.#phraseTest(query, inAnyForm);
    }
    return holdsAll === null ? null : holders;
  }

  /** Returns the best documents for a query as typed. */
  search(query: string, options: SearchOptions<T>): Hit<T>[] {
    return this.run(this.plan(query, options.guesses), options);
  }

  /** Returns the plan of a query. That of the last one is kept until the index changes: an answer asks for it several times. */
  plan(query: string, guesses = true): SearchPlan {
    const { changes } = this.parts.documents;
    const last = this.planned;
    if (last?.query === query && last.guesses === guesses && last.changes === changes) return last.plan;
    const plan = planSearch(query, this.analyser, this, guesses);
    this.planned = { query, guesses, changes, plan };
    return plan;
  }

  /** Returns the best documents for a plan. */
  run(plan: SearchPlan, options: SearchOptions<T>): Hit<T>[] {
    return this.parts.searcher.run(plan, options, this.seen);
  }

  protected readonly occurs = (id: number): boolean => this.documents(id) > 0;

  readonly #range = (term: number): PostingRange => this.seen?.range(term) ?? this.parts.postings.range(term);

  #number(path: string): number | undefined {
    const doc = this.parts.documents.number(path);
    return doc !== undefined && this.seen?.has(doc) === false ? undefined : doc;
  }

  /**
   * Returns a test whether a document holds every quoted phrase of the query; null if it has none. Valid until the index
   * changes.
   */
  #phraseTest(query: string, inAnyForm = false): ((doc: number) => boolean) | null {
    const phrases = planPhrases(query, this.analyser, this, inAnyForm);
    return phrases.length === 0 ? null : phraseTest(phrases, this.parts);
  }
}

/** Returns the number of documents, of the larger index if there is one, that hold the term. */
function holdersIn(
  { inWhole, postings }: Pick<Searched<never>, 'inWhole' | 'postings'>,
  term: number,
): number {
  return inWhole?.get(term) ?? postings.count(term);
}

/**
 * A BM25 index in memory. A change touches only the terms of its own document and takes effect at once. After any sequence of
 * changes it answers exactly as one built anew from the same documents. Equal scores are ordered by path.
 */
export class SearchIndex<T extends { readonly path: string }> extends IndexView<T> {
  readonly #reader: DocumentReader;
  readonly #removal: TermRemoval;
  readonly #inWhole: Map<number, number> | null;
  /** The fields of long documents that are read, or were read and may still be put, oldest first, with their length. */
  readonly #awaited = new Map<readonly Field[], number>();
  #edition = 0;

  /**
   * @param facetsOf returns the facets of an item, for filters
   * @param whole the number of documents and the sum of their lengths in a larger index of which this one holds a part: it
   * scores as the larger one does, and knows the terms that `learn` was told
   */
  constructor(
    facetsOf: (item: T) => Facets = () => ({}),
    whole?: { readonly documents: number; readonly totalLength: number },
  ) {
    const parts = {
      dictionary: new Dictionary(),
      postings: new Postings(),
      streams: new Streams(),
      /** By document, the `TermShape` of its stream. */
      shapes: new Streams(),
      documents: new Documents(facetsOf),
    };
    const inWhole = whole === undefined ? null : new Map<number, number>();
    const holders = (term: number): number => holdersIn({ ...parts, inWhole }, term);
    const searcher = new Searcher<T>(parts, whole === undefined ? null : { ...whole, holders });
    super({ ...parts, analyser: new Analyser(), searcher, inWhole }, null);
    this.#reader = new DocumentReader(parts.dictionary);
    this.#removal = new TermRemoval(parts.dictionary, parts.postings);
    this.#inWhole = inWhole;
  }

  /** Returns this index as it is for a reader who sees the documents whose paths pass. It follows every change. */
  seenBy(sees: (path: string) => boolean): IndexView<T> {
    return new IndexView(this.parts, new SeenDocuments(this.parts, sees));
  }

  /** Learns how many documents of the larger index hold the terms. */
  learn(holders: Iterable<readonly [term: string, documents: number]>): void {
    this.planned = null;
    for (const [term, documents] of holders)
      this.#inWhole?.set(this.parts.dictionary.intern(unitsOf(term)), documents);
  }

  /** A number that grows with every change of a document. */
  get revision(): number {
    return this.parts.documents.changes;
  }

  /** Reads a document, so that `put` has little left to do. Changes no answer. */
  prepare(fields: readonly Field[]): Prepared {
    this.#releaseIdle();
    const { stream, shape, terms, frequencies, length, propertyLength } = this.#reader.read(fields);
    // Listed one by one: adding a field to a spread object takes the engine longer than all the others, each time.
    const edition = this.#edition;
    return { fields, stream, shape, terms, frequencies, length, propertyLength, edition };
  }

  /**
   * Does the same as `prepare`; a long document takes some words a step, with a reader of its own, because others are read
   * meanwhile.
   */
  *prepareSteps(fields: readonly Field[]): Steps<Prepared> {
    const units = fields.reduce((sum, { text }) => sum + text.length, 0);
    if (units <= LONG_DOCUMENT) return this.prepare(fields);
    this.#releaseIdle();
    this.#awaited.set(fields, units);
    const [oldest = fields] = this.#awaited.keys();
    if (this.#awaited.size > MAX_AWAITED) this.#awaited.delete(oldest);
    const edition = this.#edition;
    const read = yield* new DocumentReader(this.parts.dictionary).readSteps(fields);
    return { ...read, edition };
  }

  /** Adds a document, or replaces the one with the same path. */
  put(item: T, document: Prepared): void {
    const current = document.edition === this.#edition ? document : this.#reader.read(document.fields);
    const { stream, shape, terms, frequencies } = current;
    this.#awaited.delete(document.fields);
    const length = Math.max(current.length, MIN_LENGTH);
    const known = this.parts.documents.number(item.path);
    if (known !== undefined) this.#removePostings(known, terms);
    const doc = this.parts.documents.put(item, length);
    const measure = classesFor(length, length + current.propertyLength);
    this.parts.postings.put(doc, terms, (at) => measure(frequencies[at] ?? 0));
    this.parts.streams.set(doc, stream);
    this.parts.shapes.set(doc, shape);
  }

  /** Removes the document with this path, if there is one. */
  drop(path: string): void {
    const doc = this.parts.documents.number(path);
    if (doc === undefined) return;
    this.#removePostings(doc, []);
    this.parts.streams.drop(doc);
    this.parts.shapes.drop(doc);
    this.parts.documents.drop(path);
  }

  /** Yields every term that occurs in a document, in no defined order. */
  *terms(): Iterable<string> {
    for (let id = 1; id < this.parts.dictionary.limit; id += 1)
      if (this.occurs(id)) yield this.parts.dictionary.text(id);
  }

  /** Releases the memory that only makes reading many documents fast. Call it when a vault has been read. */
  releaseBuffers(): void {
    this.#reader.forget();
  }

  /**
   * Yields the index as bytes for `unpackSteps`, in pieces of a few milliseconds each. Discard them if `revision` changed
   * between the first and the last one.
   */
  *pack(): Generator<Uint8Array> {
    const { revision } = this;
    for (const piece of packIndex(this.parts)) {
      yield piece;
      if (this.revision !== revision) return;
    }
  }

  /**
   * Returns an index from the joined pieces of `pack`, whose bytes are used in place and belong to the index; null if they
   * are damaged, cut off, or of another version of the format or of the analysis. A step takes a few milliseconds.
   * @param itemOf returns the item of a path, or undefined if it is gone: such a document is left out
   * @param facetsOf as for a new index
   */
  static *unpackSteps<T extends { readonly path: string }>(
    bytes: Uint8Array,
    itemOf: (path: string) => T | undefined,
    facetsOf?: (item: T) => Facets,
  ): Steps<SearchIndex<T> | null> {
    const index = new SearchIndex<T>(facetsOf);
    const missing = yield* unpackIndex(bytes, index.parts, itemOf);
    if (missing === null) return null;
    for (const doc of missing) {
      index.#removePostings(doc, []);
      index.parts.streams.drop(doc);
      index.parts.shapes.drop(doc);
      yield;
    }
    return index;
  }

  /** Removes the postings of a document for the terms that are not in `kept`, which are those of its new version. */
  #removePostings(doc: number, kept: readonly number[]): void {
    this.#removal.remove(doc, this.parts.streams.of(doc), kept);
  }

  /**
   * Releases the numbers of idle terms, if there are many. A long document that is not yet put may have a new term in every few
   * units; without room for them the document would be read again, all in one step.
   */
  #releaseIdle(): void {
    if (this.#inWhole !== null) return;
    let most = 2 * this.parts.postings.terms + MAX_IDLE_TERMS;
    for (const units of this.#awaited.values()) most += units / 2;
    if (this.parts.dictionary.size <= most) return;
    this.parts.dictionary.keepOnly(this.occurs);
    this.#reader.forget();
    this.#edition += 1;
  }
}
