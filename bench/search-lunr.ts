import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import lunr from 'lunr';
import type { BenchDocument } from './corpus';
import { type Engine, type EngineKind, FIELDS, readWhole, wordsOf } from './search-engine';

/** lunr is a dependency of the project, which takes its stemmer; so its index needs no peer. */
export const lunrIndex: EngineKind = {
  name: 'lunr',
  says: `lunr ${lunr.version}; its default pipeline; words through index.query, which unlike index.search takes any text; title x3; an update builds the index anew`,
  largest: { documents: 10_000, why: 'its build takes minutes and gigabytes beyond' },
  updates: 1,
  build(documents) {
    const known = new Map([...documents].map((document) => [document.path, document] as const));
    return engineOf(indexOf(known.values()), known);
  },
  async load(folder) {
    const saved: object = JSON.parse((await readWhole(fileIn(folder))).toString());
    return engineOf(lunr.Index.load(saved), new Map());
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

function engineOf(first: lunr.Index, known: Map<string, BenchDocument>): Engine {
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
    save: (folder) => writeFile(fileIn(folder), JSON.stringify(index)),
  };
}

function fileIn(folder: string): string {
  return join(folder, 'lunr.json');
}
