import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Field } from '../src/core/fulltext/reader';
import { SearchIndex } from '../src/core/fulltext/search-index';
import { finish } from '../src/core/base/steps';
import type { BenchDocument } from './corpus';
import { type Engine, type EngineKind, FIELDS, readWhole } from './search-engine';

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
    return engineOf(index);
  },
  async load(folder) {
    const bytes = await readWhole(fileIn(folder));
    const index = finish(SearchIndex.unpackSteps<Item>(bytes, (path) => ({ path })));
    if (index === null) throw new Error('Our own index file was refused.');
    return engineOf(index);
  },
};

function put(index: SearchIndex<Item>, document: BenchDocument): void {
  index.put({ path: document.path }, index.prepare(benchFields(document)));
}

/** Returns the fields of a document as the index takes them. */
export function benchFields({ title, headings, text }: BenchDocument): Field[] {
  return [
    { text: title, weight: FIELDS.title },
    ...headings.split('\n').map((heading) => ({ text: heading, weight: FIELDS.headings })),
    { text, weight: FIELDS.text },
  ];
}

function engineOf(index: SearchIndex<Item>): Engine {
  return {
    search: (query, limit) =>
      index.search(query, { limit, accept: () => true }).map(({ item: { path } }) => path),
    update: (document) => put(index, document),
    save: (folder) => writeFile(fileIn(folder), index.pack()),
  };
}

function fileIn(folder: string): string {
  return join(folder, 'brain.index');
}
