import { closeSync, openSync, readSync, writeSync } from 'node:fs';
import { type BenchDocument, type CorpusChoice, documentsOf } from './corpus';

/** Where the documents of a job come from: a file of them, or made as they are asked for. */
export type Source = { readonly file: string } | { readonly corpus: CorpusChoice; readonly count: number };

const CHUNK = 1 << 16;

/** Writes documents into a file, a line of JSON each. */
export function writeDocuments(file: string, documents: Iterable<BenchDocument>): void {
  const handle = openSync(file, 'w');
  for (const document of documents) writeSync(handle, `${JSON.stringify(document)}\n`);
  closeSync(handle);
}

/** Documents one at a time: no more than a chunk of the file is in memory for them. */
export function* readDocuments(source: Source): Iterable<BenchDocument> {
  if (!('file' in source)) {
    yield* documentsOf(source.corpus, source.count);
    return;
  }
  const handle = openSync(source.file, 'r');
  const chunk = Buffer.alloc(CHUNK);
  let rest = Buffer.alloc(0);
  for (let read = readSync(handle, chunk); read > 0; read = readSync(handle, chunk)) {
    const bytes = Buffer.concat([rest, chunk.subarray(0, read)]);
    let from = 0;
    for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, from)) {
      const document: BenchDocument = JSON.parse(bytes.toString('utf8', from, end));
      yield document;
      from = end + 1;
    }
    rest = bytes.subarray(from);
  }
  closeSync(handle);
}
