import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import lunr from 'lunr';
import type { BenchDocument } from './corpus';
import { requirePeer } from './peer-packages';
import { type Engine, type EngineKind, FIELDS, readWhole } from './search-engine';

/** What the bench uses of MiniSearch. */
interface MiniSearch {
  add(document: BenchDocument): void;
  replace(document: BenchDocument): void;
  search(query: string): { id: string }[];
}
interface MiniSearchClass {
  new (options: object): MiniSearch;
  loadJSON(json: string, options: object): MiniSearch;
}

export const miniSearch: EngineKind = kind(
  'MiniSearch',
  'its defaults: any word may match, no prefixes, no typos; title x3',
  {},
);

export const miniSearchStemmed: EngineKind = kind(
  'MiniSearch, stemmed',
  "as MiniSearch, with lunr's stemmer and stop words as processTerm",
  { processTerm },
);

export const miniSearchGuessing: EngineKind = {
  ...kind(
    'MiniSearch, prefixes and typos',
    'as MiniSearch, with `prefix: true, fuzzy: 0.2`, the search options that its documentation shows and many an application takes; as a query takes it long, it is asked the first 12 of each length',
    {},
    { prefix: true, fuzzy: 0.2 },
  ),
  largest: { documents: 100_000, why: 'a query of eight words takes it many seconds' },
  queries: 12,
};

/** The hook as its documentation shows it, with what lunr's pipeline does to a word. */
function processTerm(term: string): string | null {
  const lower = new lunr.Token(term.toLowerCase(), {});
  return lunr.stopWordFilter(lower) === undefined ? null : lunr.stemmer(lower).toString();
}

function kind(name: string, says: string, more: object, howToSearch: object = {}): EngineKind {
  const searchOptions = { boost: FIELDS, ...howToSearch };
  const options = { fields: Object.keys(FIELDS), idField: 'path', searchOptions, ...more };
  const peer = (): MiniSearchClass => {
    const loaded: { default: MiniSearchClass } | MiniSearchClass = requirePeer('minisearch');
    return 'default' in loaded ? loaded.default : loaded;
  };
  return {
    name,
    says,
    peer: 'minisearch',
    build(documents) {
      const index = new (peer())(options);
      for (const document of documents) index.add(document);
      return engineOf(index);
    },
    async load(folder) {
      const json = (await readWhole(fileIn(folder))).toString();
      return engineOf(peer().loadJSON(json, options));
    },
  };
}

function engineOf(index: MiniSearch): Engine {
  return {
    search: (query, limit) =>
      index
        .search(query)
        .slice(0, limit)
        .map(({ id }) => id),
    update: (document) => index.replace(document),
    save: (folder) => writeFile(fileIn(folder), JSON.stringify(index)),
  };
}

function fileIn(folder: string): string {
  return join(folder, 'minisearch.json');
}
