import type { Steps } from '../base/steps';
import { type Dictionary, TERM_ROW } from './dictionary';
import { type Documents, packPaths, PATH_GROUP, PathList } from './documents';
import {
  type CellKind,
  classIn,
  docOf,
  HALF_WORDS,
  nextStart,
  EXTENT,
  extentsFor,
  postingOf,
  type Postings,
  WORDS,
} from './postings';
import type { Streams } from './streams';
import { analysisEdition } from './terms';

// Two independent sums, of the words at even and at odd places, because the processor can work on both at once. Each step is
// invertible, so a changed word always changes its sum. Three times as fast as CRC-32, which needs table look-ups. The
// factors are constants of this file, so that the bundler inlines them: looking them up for each word took a third of the
// time.

/** Odd factors with bits set all over: the golden ratio, and the second factor of MurmurHash3. */
const EVEN_FACTOR = 0x9e3779b1;
const ODD_FACTOR = 0x85ebca6b;

/** A checksum of words, given in pieces with even numbers of words. */
export class Checksum {
  #even = 1;
  #odd = 2;

  /** Adds the next words. */
  add(words: Uint32Array): this {
    // Until this loop is compiled, the engine allocates an object for each number that is no small integer, as unsigned ones
    // are.
    const signed = new Int32Array(words.buffer, words.byteOffset, words.length);
    let [even, odd] = [this.#even, this.#odd];
    for (let at = 0; at + 1 < signed.length; at += 2) {
      even = Math.imul(even ^ (signed[at] ?? 0), EVEN_FACTOR);
      odd = Math.imul(odd ^ (signed[at + 1] ?? 0), ODD_FACTOR);
      // A multiplication carries no change from high bits to low ones.
      even ^= even >>> 15;
      odd ^= odd >>> 15;
    }
    [this.#even, this.#odd] = [even, odd];
    return this;
  }

  /** The checksum (32 bits). */
  get value(): number {
    return (mixed(this.#even) ^ mixed(this.#odd ^ EVEN_FACTOR)) >>> 0;
  }
}

function mixed(sum: number): number {
  const half = Math.imul(sum ^ (sum >>> 16), ODD_FACTOR);
  const whole = Math.imul(half ^ (half >>> 13), EVEN_FACTOR);
  return whole ^ (whole >>> 16);
}

/**
 * A file of numbered sections, each an array of numbers that starts at a multiple of eight bytes, so that it is used in
 * place:
 *
 *     head     magic, format, edition, 0
 *     sections each padded to a multiple of eight bytes
 *     table    for each section: its number, its start (in units of eight bytes), its length in bytes, its checksum
 *     foot     number of sections, checksum of head and table, length of the file in units of eight bytes, magic
 *
 * All numbers are 32-bit words in the byte order of the machine; with the other byte order the magic differs. The table is at
 * the end, so that a file is written as it is made, and one that was cut off has no table.
 */
const MAGIC = 0x58495242; // BRIX
const FORMAT = 6;
const HEAD = 4;
const ROW = 4;
const FOOT = 4;
/** The number of words that one step sums. */
const STEP = 1 << 17;

/** A section to write: pieces in order, of which all but the last are multiples of eight bytes long. */
interface Section {
  readonly number: number;
  readonly pieces: Iterable<Uint16Array | Uint32Array>;
}

/**
 * Yields the bytes of a file, piece by piece.
 * @param edition what readers must agree on apart from the format
 */
export function* writeSections(edition: number, sections: Iterable<Section>): Generator<Uint8Array> {
  const head = Uint32Array.of(MAGIC, FORMAT, edition, 0);
  yield bytesOf(head);
  const table: number[] = [];
  let at = HEAD / 2;
  for (const { number, pieces } of sections) {
    let length = 0;
    const sum = new Checksum();
    const begin = at;
    for (const piece of pieces) {
      const words = filledUp(piece);
      sum.add(words);
      length += piece.byteLength;
      at += words.length / 2;
      yield bytesOf(words);
    }
    table.push(number, begin, length, sum.value);
  }
  const rows = Uint32Array.from(table);
  const total = at + (rows.length + FOOT) / 2;
  yield bytesOf(rows);
  yield bytesOf(Uint32Array.of(table.length / ROW, new Checksum().add(head).add(rows).value, total, MAGIC));
}

/**
 * Returns the sections of a file by number, as views of `bytes`; null if the file has another format or edition, was cut off,
 * or was changed anywhere. Reads the whole file, in steps of a few milliseconds.
 */
export function* checkedSections(
  bytes: Uint8Array,
  edition: number,
): Steps<ReadonlyMap<number, SectionView> | null> {
  if (bytes.length % 8 !== 0 || bytes.length < (HEAD + FOOT) * 4) return null;
  const aligned = bytes.byteOffset % 8 === 0 ? bytes : bytes.slice();
  const words = new Uint32Array(aligned.buffer, aligned.byteOffset, aligned.length / 4);
  const head = words.subarray(0, HEAD);
  const foot = words.length - FOOT;
  const [count = 0, sum, total, magic] = words.subarray(foot);
  const table = foot - count * ROW;
  if (head[0] !== MAGIC || head[1] !== FORMAT || head[2] !== edition) return null;
  if (magic !== MAGIC || total !== words.length / 2 || table < HEAD) return null;
  if (new Checksum().add(head).add(words.subarray(table, foot)).value !== sum) return null;
  const sections = new Map<number, SectionView>();
  for (let row = table; row < foot; row += ROW) {
    const [number = 0, begin = 0, length = 0, expected] = words.subarray(row, row + ROW);
    const end = begin * 2 + 2 * Math.ceil(length / 8);
    const found = new Checksum();
    for (let at = begin * 2; at < end && end <= table; at += STEP) {
      found.add(words.subarray(at, Math.min(end, at + STEP)));
      yield;
    }
    if (end > table || found.value !== expected) return null;
    sections.set(number, new SectionView(aligned, begin * 8, length));
  }
  return sections;
}

/** A section that was read. */
class SectionView {
  constructor(
    private readonly file: Uint8Array,
    private readonly offset: number,
    private readonly length: number,
  ) {}

  bytes(): Uint8Array {
    return this.file.subarray(this.offset, this.offset + this.length);
  }

  words(): Uint32Array {
    return new Uint32Array(this.file.buffer, this.file.byteOffset + this.offset, this.length >>> 2);
  }

  halfWords(): Uint16Array {
    return new Uint16Array(this.file.buffer, this.file.byteOffset + this.offset, this.length >>> 1);
  }
}

function filledUp(piece: Uint16Array | Uint32Array): Uint32Array {
  if (piece instanceof Uint32Array && piece.length % 2 === 0) return piece;
  if (piece.byteLength % 8 === 0 && piece.byteOffset % 4 === 0) {
    return new Uint32Array(piece.buffer, piece.byteOffset, piece.byteLength / 4);
  }
  const words = new Uint32Array(2 * Math.ceil(piece.byteLength / 8));
  if (piece instanceof Uint32Array) words.set(piece);
  else new Uint16Array(words.buffer).set(piece);
  return words;
}

function bytesOf(words: Uint32Array): Uint8Array {
  return new Uint8Array(words.buffer, words.byteOffset, words.byteLength);
}

/** The parts of an index that a file holds. */
export interface IndexParts<T extends { readonly path: string }> {
  readonly dictionary: Dictionary;
  readonly postings: Postings;
  readonly streams: Streams;
  readonly shapes: Streams;
  readonly documents: Documents<T>;
}

/** The numbers of the sections. */
const COUNTS = 1;
const PATH_ENDS = 2;
const PATHS = 3;
const LENGTHS = 4;
const TERM_ROWS = 5;
const TERMS = 6;
const LIST_EXTENTS = 7;
const POSTINGS = 8;
const STREAM_EXTENTS = 9;
const STREAMS = 10;
const TERM_SLOTS = 11;
const SHAPE_EXTENTS = 12;
const SHAPES = 13;

/** The number of cells in a piece, between two pauses. */
const PIECE = 1 << 13;

/**
 * Yields an index as bytes, in pieces that each take little time. The index must not change
 * before the last piece.
 */
export function packIndex<T extends { readonly path: string }>(parts: IndexParts<T>): Generator<Uint8Array> {
  return writeSections(analysisEdition(), sectionsOf(parts));
}

/**
 * Fills the parts of an empty index from bytes of `packIndex`, which belong to the index from then on. Returns the numbers of
 * the documents without an item, which postings and streams still hold. Returns null if the bytes are damaged or of another
 * version; the parts are unusable then.
 */
export function* unpackIndex<T extends { readonly path: string }>(
  bytes: Uint8Array,
  { dictionary, postings, streams, shapes, documents }: IndexParts<T>,
  itemOf: (path: string) => T | undefined,
): Steps<readonly number[] | null> {
  const sections = yield* checkedSections(bytes, analysisEdition());
  if (sections === null) return null;
  const words = (number: number) => sections.get(number)?.words() ?? new Uint32Array(0);
  const halfWords = (number: number) => sections.get(number)?.halfWords() ?? new Uint16Array(0);
  const [docs = 0, numbers = 0, terms = 0, longestList = 0, longestStream = 0, longestShape = 0, ...hashing] =
    words(COUNTS);
  const lengths = words(LENGTHS);
  const [termRows, listExtents, streamExtents, shapeExtents] = [
    words(TERM_ROWS),
    words(LIST_EXTENTS),
    words(STREAM_EXTENTS),
    words(SHAPE_EXTENTS),
  ];
  const areConsistent =
    lengths.length === docs &&
    words(PATH_ENDS).length === Math.ceil(docs / PATH_GROUP) &&
    streamExtents.length === docs * EXTENT &&
    shapeExtents.length === docs * EXTENT &&
    listExtents.length === numbers * EXTENT &&
    termRows.length === numbers * TERM_ROW;
  if (!areConsistent) return null;
  // Tables are used as they are: reading them all would be most of the work of a start.
  dictionary.adopt(termRows, halfWords(TERMS), words(TERM_SLOTS), hashing, terms);
  postings.adopt(listExtents, words(POSTINGS), terms, longestList, docs);
  streams.adopt(streamExtents, halfWords(STREAMS), longestStream);
  shapes.adopt(shapeExtents, halfWords(SHAPES), longestShape);
  const paths = new PathList(words(PATH_ENDS), sections.get(PATHS)?.bytes() ?? new Uint8Array(0));
  return yield* documents.fill(paths, lengths, itemOf);
}

function* sectionsOf<T extends { readonly path: string }>({
  dictionary,
  postings,
  streams,
  shapes,
  documents,
}: IndexParts<T>): Generator<Section> {
  const docs = numbersWhere(documents.limit, (doc) => documents.item(doc) !== undefined);
  const paths = Array.from(docs, (doc) => documents.item(doc)?.path ?? '');
  const numbers = dictionary.limit;
  const renumber = renumbering(docs, documents.limit);
  // Documents may be read meanwhile, which adds terms.
  const [slots, hashing] = [dictionary.slots.slice(), dictionary.hashing];
  const pathEnds: number[] = [];
  yield {
    number: PATHS,
    pieces: mapped(packPaths(paths), (group) => {
      pathEnds.push((pathEnds.at(-1) ?? 0) + group.length);
      return new Uint32Array(group.buffer);
    }),
  };
  // Complete after the pieces above.
  yield { number: PATH_ENDS, pieces: [Uint32Array.from(pathEnds)] };
  yield { number: LENGTHS, pieces: [docs.map((doc) => documents.length(doc))] };
  // Each table is made only when its turn comes, so that no step takes long.
  const rows = dictionary.rowsOf(numbers, (term) => postings.count(term) > 0);
  yield { number: TERM_ROWS, pieces: joined(WORDS, [rows]) };
  const terms = numbersWhere(numbers, (term) => postings.count(term) > 0);
  yield {
    number: TERMS,
    pieces: joined(
      HALF_WORDS,
      mapped(terms, (term) => dictionary.unitsOf(term)),
    ),
  };
  yield { number: TERM_SLOTS, pieces: joined(WORDS, [slots]) };
  const lists = extentsFor(numbers, (term) => postings.count(term));
  yield { number: LIST_EXTENTS, pieces: joined(WORDS, [lists.extents]) };
  yield {
    number: POSTINGS,
    pieces: joined(
      WORDS,
      mapped(terms, (term) => renumber(postings.of(term))),
      nextStart,
    ),
  };
  const longest: number[] = [];
  for (const [arrays, inExtents, inCells] of [
    [streams, STREAM_EXTENTS, STREAMS],
    [shapes, SHAPE_EXTENTS, SHAPES],
  ] as const) {
    const texts = extentsFor(docs.length, (at) => arrays.size(docs[at] ?? 0));
    longest.push(texts.longest);
    yield { number: inExtents, pieces: joined(WORDS, [texts.extents]) };
    yield {
      number: inCells,
      pieces: joined(
        HALF_WORDS,
        mapped(docs, (doc) => arrays.of(doc)),
        nextStart,
      ),
    };
  }
  const counts = [docs.length, numbers, terms.length, lists.longest, ...longest, ...hashing];
  yield { number: COUNTS, pieces: [Uint32Array.from(counts)] };
}

/** Returns the numbers below `limit` that pass the test. In a loop, as a vocabulary may have a million of them. */
function numbersWhere(limit: number, test: (number: number) => boolean): Uint32Array {
  const numbers = new Uint32Array(limit);
  let count = 0;
  for (let number = 0; number < limit; number += 1) if (test(number)) numbers[count++] = number;
  return numbers.subarray(0, count);
}

/** Returns a function that renumbers the documents of a posting list to their indexes in `docs`, which is sorted. */
function renumbering(docs: Uint32Array, limit: number): (list: Uint32Array) => Uint32Array {
  if (docs.length === limit) return (list) => list;
  const numbers = new Uint32Array(limit);
  docs.forEach((doc, at) => (numbers[doc] = at));
  return (list) => list.map((posting) => postingOf(numbers[docOf(posting)] ?? 0, classIn(posting)));
}

/** Yields arrays one after the other in pieces of one size, each array at the offset that `place` returns. */
function* joined<A extends { readonly length: number }>(
  kind: CellKind<A>,
  arrays: Iterable<A>,
  place: (end: number, size: number) => number = (end) => end,
): Generator<A> {
  let piece = kind.make(PIECE);
  let begin = 0;
  let at = 0;
  for (const array of arrays) {
    at = place(at, array.length);
    for (let done = 0; done < array.length || at >= begin + PIECE;) {
      if (at >= begin + PIECE) {
        yield piece;
        piece = kind.make(PIECE);
        begin += PIECE;
        continue;
      }
      const end = Math.min(array.length, done + begin + PIECE - at);
      kind.copy(kind.view(array, done, end), piece, at - begin);
      at += end - done;
      done = end;
    }
  }
  if (at > begin) yield kind.view(piece, 0, at - begin);
}

function* mapped<A, B>(values: Iterable<A>, change: (value: A) => B): Generator<B> {
  for (const value of values) yield change(value);
}
