import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** A saved page with snippets of its story and of its boilerplate. */
interface JudgedPage {
  readonly path: string;
  readonly url: string;
  readonly with: readonly string[];
  readonly without: readonly string[];
}

/** A saved page and the article that is expected of it, as HTML. */
interface JudgedArticle {
  readonly path: string;
  readonly expected: string;
}

/** The files of a corpus by what can be measured on them. */
export interface Corpus {
  readonly pages: readonly JudgedPage[];
  readonly articles: readonly JudgedArticle[];
  /** Paths by extension, sorted. */
  files(extension: string): readonly string[];
}

/**
 * Finds what is measured below folders: pages listed in an `expected.json` beside them (`{page: {url, with, without}}`), articles
 * (`source.html` beside `expected.html`), and other files by their extension.
 */
export function readCorpus(folders: readonly string[]): Corpus {
  const paths = folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((path) => join(folder, path)),
  );
  paths.sort();
  const pages = paths
    .filter((path) => basename(path) === 'expected.json')
    .flatMap((path) => {
      const judged: Record<string, Omit<JudgedPage, 'path'>> = JSON.parse(readFileSync(path, 'utf8'));
      return Object.entries(judged).map(([name, page]) => ({ ...page, path: pathOf(dirname(path), name) }));
    });
  const known = new Set(paths);
  const articles = paths
    .filter((path) => basename(path) === 'source.html')
    .map((path) => ({ path, expected: join(dirname(path), 'expected.html') }))
    .filter(({ expected }) => known.has(expected));
  return {
    pages,
    articles,
    files: (extension) => paths.filter((path) => path.toLowerCase().endsWith(`.${extension}`)),
  };
}

function pathOf(folder: string, name: string): string {
  return join(folder, name.endsWith('.html') ? name : `${name}.html`);
}
