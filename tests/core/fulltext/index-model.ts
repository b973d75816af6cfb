import { finish } from '../../../src/core/base/steps';
import { type Hit, SearchIndex } from '../../../src/core/fulltext/search-index';
import type { Field } from '../../../src/core/fulltext/reader';

/** A document for tests, with what a search may be limited to. */
export interface Doc {
  readonly path: string;
  readonly title: string;
  readonly body: string;
  readonly properties?: string;
  readonly wing?: string;
  readonly hall?: string;
  readonly raw?: boolean;
}

export function fieldsOf(doc: Doc): Field[] {
  return [
    { kind: 'name', text: doc.title },
    { kind: 'text', text: doc.body },
    ...(doc.properties === undefined ? [] : [{ kind: 'property' as const, text: doc.properties }]),
  ];
}

export function emptyIndex(): SearchIndex<Doc> {
  return new SearchIndex<Doc>((doc) => doc);
}

export function putDoc(index: SearchIndex<Doc>, doc: Doc): void {
  index.put(doc, index.prepare(fieldsOf(doc)));
}

export function indexOf(docs: Iterable<Doc>): SearchIndex<Doc> {
  const index = emptyIndex();
  for (const doc of docs) putDoc(index, doc);
  return index;
}

/** A small generator of numbers from 0 up to below `limit` (Numerical Recipes), so that a failure can be run again. */
export function randomFrom(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

/** The bytes of an index, as a file has them. */
export function packed(index: SearchIndex<Doc>): Uint8Array {
  const pieces = [...index.pack()];
  const bytes = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes;
}

/** An index from its bytes, for the documents that there still are; null when the bytes are refused. */
export function unpacked(bytes: Uint8Array, docs: ReadonlyMap<string, Doc>): SearchIndex<Doc> | null {
  return finish(
    SearchIndex.unpackSteps<Doc>(
      bytes,
      (path) => docs.get(path),
      (doc) => doc,
    ),
  );
}

/** All that is seen of hits. */
export function seen(hits: readonly Hit<Doc>[]): unknown[] {
  return hits.map(({ item, score, terms }) => [item.path, score, [...terms]]);
}
