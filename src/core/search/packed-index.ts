import type { Steps } from '../steps';
import { analysisEdition } from './analyse';
import { type CellKind, HALF_WORDS, laidOut, PLACE, placesFor, WORDS } from './arena';
import { type Dictionary, TERM_PLACE } from './dictionary';
import type { Documents } from './documents';
import { packPaths, PATH_GROUP, PathList } from './path-list';
import { classIn, docOf, postingOf, type Postings } from './postings';
import { checkedSections, type Section, writeSections } from './section-file';
import type { Streams } from './streams';

/** The parts of an index that a file keeps. */
export interface IndexParts<T extends { readonly path: string }> {
  readonly dictionary: Dictionary;
  readonly postings: Postings;
  readonly streams: Streams;
  readonly shapes: Streams;
  readonly documents: Documents<T>;
}

/** Numbers of the sections. */
const COUNTS = 1;
const PATH_ENDS = 2;
const PATHS = 3;
const LENGTHS = 4;
const TERM_PLACES = 5;
const TERMS = 6;
const LIST_PLACES = 7;
const POSTINGS = 8;
const STREAM_PLACES = 9;
const STREAMS = 10;
const TERM_SLOTS = 11;
const SHAPE_PLACES = 12;
const SHAPES = 13;

/** So many postings, terms of a text or letters are written between two pauses. */
const PIECE = 1 << 13;

/**
 * An index as bytes, in pieces that each take little time, documents in the order of their paths. It must not change before
 * the last piece.
 */
export function packIndex<T extends { readonly path: string }>(parts: IndexParts<T>): Generator<Uint8Array> {
  return writeSections(analysisEdition(), sectionsOf(parts));
}

/**
 * Fills the parts of an empty index from bytes that `packIndex` made, which belong to the index from then on. Returns
 * the numbers of documents that have no item, which postings and streams still know; null when the bytes are damaged or of
 * another version, and then the parts are of no use.
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
  const [termPlaces, listPlaces, streamPlaces, shapePlaces] = [
    words(TERM_PLACES),
    words(LIST_PLACES),
    words(STREAM_PLACES),
    words(SHAPE_PLACES),
  ];
  const fit =
    lengths.length === docs &&
    words(PATH_ENDS).length === Math.ceil(docs / PATH_GROUP) &&
    streamPlaces.length === docs * PLACE &&
    shapePlaces.length === docs * PLACE &&
    listPlaces.length === numbers * PLACE &&
    termPlaces.length === numbers * TERM_PLACE;
  if (!fit) return null;
  // Tables are taken as they stand: to go through them all would be most of the work of a start.
  dictionary.adopt(termPlaces, halfWords(TERMS), words(TERM_SLOTS), hashing, terms);
  postings.adopt(listPlaces, words(POSTINGS), terms, longestList, docs);
  streams.adopt(streamPlaces, halfWords(STREAMS), longestStream);
  shapes.adopt(shapePlaces, halfWords(SHAPES), longestShape);
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
  const docs = documents.byPath();
  const paths = docs.map((doc) => documents.item(doc)?.path ?? '');
  const numbers = dictionary.limit;
  const renumber = renumbering(docs, documents.limit);
  // Documents may be read meanwhile, which gives numbers to new terms.
  const [slots, hashing] = [dictionary.slots.slice(), dictionary.hashing];
  const pathEnds: number[] = [];
  yield {
    number: PATHS,
    pieces: mapped(packPaths(paths), (group) => {
      pathEnds.push((pathEnds.at(-1) ?? 0) + group.length);
      return new Uint32Array(group.buffer);
    }),
  };
  // Known when all pieces before have been taken.
  yield { number: PATH_ENDS, pieces: [Uint32Array.from(pathEnds)] };
  yield { number: LENGTHS, pieces: [Uint32Array.from(docs, (doc) => documents.length(doc))] };
  // Each table is made when its turn comes, so that no step takes long.
  const places = dictionary.placesOf(numbers, (term) => postings.count(term) > 0);
  yield { number: TERM_PLACES, pieces: joined(WORDS, [places]) };
  const terms = Array.from({ length: numbers }, (_, term) => term).filter((term) => postings.count(term) > 0);
  yield {
    number: TERMS,
    pieces: joined(
      HALF_WORDS,
      mapped(terms, (term) => dictionary.unitsOf(term)),
    ),
  };
  yield { number: TERM_SLOTS, pieces: joined(WORDS, [slots]) };
  const lists = placesFor(numbers, (term) => postings.count(term));
  yield { number: LIST_PLACES, pieces: joined(WORDS, [lists.places]) };
  yield {
    number: POSTINGS,
    pieces: joined(
      WORDS,
      mapped(terms, (term) => renumber(postings.of(term))),
      laidOut,
    ),
  };
  const longest: number[] = [];
  for (const [arrays, inPlaces, inCells] of [
    [streams, STREAM_PLACES, STREAMS],
    [shapes, SHAPE_PLACES, SHAPES],
  ] as const) {
    const texts = placesFor(docs.length, (at) => arrays.size(docs[at] ?? 0));
    longest.push(texts.longest);
    yield { number: inPlaces, pieces: joined(WORDS, [texts.places]) };
    yield {
      number: inCells,
      pieces: joined(
        HALF_WORDS,
        mapped(docs, (doc) => arrays.of(doc)),
        laidOut,
      ),
    };
  }
  const counts = [docs.length, numbers, terms.length, lists.longest, ...longest, ...hashing];
  yield { number: COUNTS, pieces: [Uint32Array.from(counts)] };
}

/** Gives documents the numbers of their places in `docs`; a list of postings stays sorted by them. */
function renumbering(docs: readonly number[], limit: number): (list: Uint32Array) => Uint32Array {
  if (docs.every((doc, at) => doc === at)) return (list) => list;
  const numbers = new Uint32Array(limit);
  docs.forEach((doc, at) => (numbers[doc] = at));
  return (list) => list.map((posting) => postingOf(numbers[docOf(posting)] ?? 0, classIn(posting))).sort();
}

/** Cells one after the other in pieces of one size, each array where `place` puts it. */
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
