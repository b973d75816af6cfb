import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BenchDocument } from './corpus';
import { requirePeer } from './peer-packages';
import { type Engine, type EngineKind, FIELDS, readWhole } from './search-engine';

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

export const flexSearch: EngineKind = {
  name: 'FlexSearch',
  says: 'Document index, whole words, its English encoder with stemmer and stop words, suggest: true so that any word may match; it knows no weights of fields',
  peer: 'flexsearch',
  build(documents) {
    const index = newIndex();
    for (const document of documents) index.add(document);
    return engineOf(index);
  },
  async load(folder) {
    const index = newIndex();
    for (const name of await readdir(partsIn(folder))) {
      const part = await readWhole(join(partsIn(folder), name));
      await index.import(decodeURIComponent(name), part.toString());
    }
    return engineOf(index);
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

function engineOf(index: FlexDocument): Engine {
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
