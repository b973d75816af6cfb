import { Analyser } from './analyse';
import { Best, type Scored } from './best';
import { DocumentReader, type Field, type ReadDocument } from './document-reader';
import { docOf, MAX_DOCUMENTS, postingOf, Postings, tfOf } from './postings';
import { planSearch, type SearchPlan, type TermGroup, type Vocabulary } from './query-terms';
import { RESCORED, secondLook, type Worth } from './rescore';
import { TermNumbers } from './term-numbers';
import { FIELD_END, holdsPhrase, type TermStream, unpackTerms } from './term-stream';

// Robertson and Zaragoza, The Probabilistic Relevance Framework (2009). Both values stand on a plateau:
// measured on several collections, finer tuning bought nothing.
/** How soon a further occurrence of a term stops to count. */
const K1 = 1.2;
/** How much the length of a document counts. */
const B = 0.75;
/** A shorter document counts as this many terms: otherwise notes of one line would win by their brevity. */
const MIN_LENGTH = 40;

/**
 * Terms that no document holds keep their numbers until there are so many more of them than of the others: most come back
 * with the next version of their note, and a document that has been read but not put refers to numbers.
 */
const MAX_IDLE_TERMS = 4096;

/**
 * A document found. `terms` are those of the query that it holds, each with its inverse document frequency.
 */
export interface Hit<T> {
  readonly item: T;
  readonly score: number;
  readonly terms: ReadonlyMap<string, number>;
}

export interface SearchOptions<T> {
  readonly limit: number;
  /** Which documents may be found; asked only for those that match. */
  readonly accept: (item: T) => boolean;
}

/** A document that the index has read for `put`. */
export interface Prepared extends ReadDocument {
  /** Numbers of terms mean the same as long as this does not change. */
  readonly edition: number;
}

/** A document as the index keeps it. */
interface Entry<T> {
  item: T;
  stream: TermStream;
  /** Terms without stop words, not below the floor. */
  length: number;
}

interface Candidate<T> extends Scored<T> {
  readonly doc: number;
}

/** One group of the query with its postings. */
interface Scorable {
  readonly group: TermGroup;
  readonly postings: Uint32Array;
  readonly idf: number;
}

/**
 * A BM25 index in memory. A change touches only the terms of its own document and takes effect at once. An
 * index that was changed in any order answers exactly as one built anew from the same documents; equal scores
 * are ordered by path.
 */
export class Bm25Index<T extends { readonly path: string }> implements Vocabulary {
  readonly analyser = new Analyser();
  readonly #postings = new Postings();
  /** Document numbers by path. */
  readonly #docs = new Map<string, number>();
  readonly #entries: (Entry<T> | undefined)[] = [];
  readonly #freeDocs: number[] = [];
  readonly #numbers = new TermNumbers();
  readonly #reader = new DocumentReader(this.#numbers);
  #edition = 0;
  #totalLength = 0;
  /** One sum a document while a search runs, all zero between searches. */
  #sums = new Float64Array(0);

  /** Number of documents. */
  get size(): number {
    return this.#docs.size;
  }

  /** Reads a document, so that `put` has little left to do. Changes no answer. */
  prepare(fields: readonly Field[]): Prepared {
    this.#releaseIdle();
    return { ...this.#reader.read(fields), edition: this.#edition };
  }

  /** Adds a document, or replaces the one with the same path. */
  put(item: T, document: Prepared): void {
    const { edition, fields } = document;
    const current = edition === this.#edition ? document : this.#reader.read(fields);
    const { stream, terms, frequencies } = current;
    const doc = this.#docs.get(item.path) ?? this.#newDoc(item.path);
    const old = this.#entries[doc];
    terms.forEach((term, at) => this.#postings.set(term, doc, frequencies[at] ?? 0));
    if (old) this.#forget(doc, old, new Set(terms));
    const entry = { item, stream, length: Math.max(current.length, MIN_LENGTH) };
    this.#entries[doc] = entry;
    this.#totalLength += entry.length;
  }

  /** Removes the document with this path; nothing when there is none. */
  drop(path: string): void {
    const doc = this.#docs.get(path);
    const entry = doc === undefined ? undefined : this.#entries[doc];
    if (doc === undefined || entry === undefined) return;
    this.#forget(doc, entry, new Set());
    this.#entries[doc] = undefined;
    this.#docs.delete(path);
    this.#freeDocs.push(doc);
  }

  frequency(term: string): number {
    const id = this.#numbers.get(term);
    return id === undefined ? 0 : this.#postings.count(id);
  }

  /** True when the document with this path holds the term. */
  holds(path: string, term: string): boolean {
    const doc = this.#docs.get(path);
    const id = this.#numbers.get(term);
    return doc !== undefined && id !== undefined && this.#postings.has(id, doc);
  }

  *terms(): Iterable<string> {
    for (const [term, id] of this.#numbers.entries()) if (this.#postings.count(id) > 0) yield term;
  }

  /** How much a term that occurs in `documents` documents tells (the variant that is never negative). */
  idf(documents: number): number {
    return Math.log(1 + (this.size - documents + 0.5) / (documents + 0.5));
  }

  /** The best documents for what a person typed. */
  search(query: string, options: SearchOptions<T>): Hit<T>[] {
    return this.run(planSearch(query, this.analyser, this), options);
  }

  /** The best documents for a plan. */
  run(plan: SearchPlan, { limit, accept }: SearchOptions<T>): Hit<T>[] {
    const scorables = plan.groups.map((group) => this.#scorable(group));
    const holdsAll = this.#holdingAll(plan.phrases);
    const touched = this.#addUp(scorables);
    const candidates = new Best<Candidate<T>>(Math.max(limit, RESCORED));
    for (const doc of touched) {
      const score = this.#sums[doc] ?? 0;
      this.#sums[doc] = 0;
      if (!candidates.admits(score)) continue;
      const item = this.#entries[doc]?.item;
      if (item !== undefined && accept(item) && holdsAll(doc)) candidates.add({ doc, item, score });
    }
    const best = new Best<Candidate<T>>(limit);
    const worth = this.#worth(scorables);
    candidates.ranked.forEach((candidate, rank) => {
      const bonus = rank < RESCORED ? this.#secondLook(candidate.doc, worth) : 0;
      best.add({ ...candidate, score: candidate.score + bonus });
    });
    return best.ranked.map(({ doc, item, score }) => ({ item, score, terms: this.#matched(doc, scorables) }));
  }

  #worth(scorables: readonly Scorable[]): Worth {
    return new Map(
      scorables.flatMap((scorable) => this.#idsOf(scorable.group).map((id) => [id, scorable] as const)),
    );
  }

  #secondLook(doc: number, worth: Worth): number {
    const stream = this.#entries[doc]?.stream;
    const idf = (id: number) => (this.#numbers.isStopWord(id) ? 0 : this.idf(this.#postings.count(id)));
    return stream === undefined ? 0 : secondLook(unpackTerms(stream), worth, K1, idf);
  }

  #newDoc(path: string): number {
    const doc = this.#freeDocs.pop() ?? this.#entries.length;
    if (doc >= MAX_DOCUMENTS) throw new RangeError(`An index holds at most ${MAX_DOCUMENTS} documents.`);
    this.#docs.set(path, doc);
    return doc;
  }

  /**
   * Takes away what an older form of the document had and the new one, which has the terms `kept`, has not.
   */
  #forget(doc: number, old: Entry<T>, kept: ReadonlySet<number>): void {
    this.#totalLength -= old.length;
    for (const id of new Set(unpackTerms(old.stream))) {
      if (id !== FIELD_END && !kept.has(id)) this.#postings.remove(id, doc);
    }
  }

  /** Takes the numbers of terms that no document holds away from them, when there are many. */
  #releaseIdle(): void {
    if (this.#numbers.size <= 2 * this.#postings.terms + MAX_IDLE_TERMS) return;
    for (const [term, id] of this.#numbers.entries()) {
      if (this.#postings.count(id) === 0) this.#numbers.release(term);
    }
    this.#reader.forget();
    this.#edition += 1;
  }

  #scorable(group: TermGroup): Scorable {
    const ids = this.#idsOf(group);
    const [first] = ids;
    const postings = ids.length === 1 && first !== undefined ? this.#postings.of(first) : this.#merged(ids);
    return { group, postings, idf: this.idf(postings.length) };
  }

  #idsOf(group: TermGroup): number[] {
    return group.flatMap((term) => this.#numbers.get(term) ?? []);
  }

  /** Several terms that count as one: a document holds it as often as it holds any of them. */
  #merged(ids: readonly number[]): Uint32Array {
    const frequencies = new Map<number, number>();
    for (const id of ids) {
      for (const posting of this.#postings.of(id)) {
        frequencies.set(docOf(posting), (frequencies.get(docOf(posting)) ?? 0) + tfOf(posting));
      }
    }
    return Uint32Array.from(frequencies, ([doc, tf]) => postingOf(doc, tf)).sort();
  }

  /** Adds the scores of all groups into `#sums`; returns the documents that got any. */
  #addUp(scorables: readonly Scorable[]): number[] {
    if (this.#sums.length < this.#entries.length) this.#sums = new Float64Array(this.#entries.length * 2);
    const sums = this.#sums;
    const touched: number[] = [];
    const perTerm = (K1 * B * this.size) / this.#totalLength;
    for (const { postings, idf } of scorables) {
      for (const posting of postings) {
        const doc = docOf(posting);
        const tf = tfOf(posting);
        const norm = K1 * (1 - B) + perTerm * (this.#entries[doc]?.length ?? 0);
        const sum = sums[doc] ?? 0;
        if (sum === 0) touched.push(doc);
        sums[doc] = sum + (idf * tf * (K1 + 1)) / (tf + norm);
      }
    }
    return touched;
  }

  /** Tells of a document whether it holds every phrase; its terms are unpacked at most once. */
  #holdingAll(phrases: SearchPlan['phrases']): (doc: number) => boolean {
    const wanted = phrases.map((phrase) => phrase.map((group) => new Set(this.#idsOf(group))));
    const places = wanted.flat();
    // A phrase of one word occurs when its word does.
    const sequences = wanted.filter((phrase) => phrase.length > 1);
    return (doc) => {
      if (!places.every((ids) => [...ids].some((id) => this.#postings.has(id, doc)))) return false;
      const stream = sequences.length > 0 ? this.#entries[doc]?.stream : undefined;
      if (stream === undefined) return sequences.length === 0;
      const terms = unpackTerms(stream);
      return sequences.every((phrase) => holdsPhrase(terms, phrase));
    };
  }

  #matched(doc: number, scorables: readonly Scorable[]): Map<string, number> {
    const terms = new Map<string, number>();
    for (const { group, idf } of scorables) {
      for (const term of group) {
        const id = this.#numbers.get(term);
        if (id !== undefined && this.#postings.has(id, doc)) terms.set(term, idf);
      }
    }
    return terms;
  }
}
