import { readFileSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import {
  benchGrowth,
  type BenchReader,
  htmlPeers,
  type OwnReader,
  ownReader,
  pandoc,
  pdftotext,
} from './documents-readers';
import { ms, table, Timings } from './support';

type Part = (corpus: Corpus, own: OwnReader, lists: boolean) => Promise<void>;

/** The parts of the bench by the name that `--kind` takes. */
const PARTS: Readonly<Record<string, Part>> = {
  html: benchPages,
  articles: benchArticles,
  pdf: (corpus, own, lists) => benchAgainst(corpus.files('pdf'), 'PDF files', own, pdftotext(), lists),
  rst: (corpus, own, lists) =>
    benchAgainst(corpus.files('rst'), 'reStructuredText', own, pandoc('rst'), lists),
  org: (corpus, own, lists) => benchAgainst(corpus.files('org'), 'Org files', own, pandoc('org'), lists),
  growth: benchGrowth,
};
/** The part that generates its documents. */
const WITHOUT_CORPUS = 'growth';

/**
 * Prints what is kept of the documents of a corpus, beside other programs in the same run.
 * @param args `--corpus PATH` once or more: folders with documents; `--kind html|articles|pdf|rst|org|growth` once or more:
 * these parts alone; `--list`: a row for each file, the worst first
 */
export async function benchDocuments(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      corpus: { type: 'string', multiple: true, default: [] },
      kind: { type: 'string', multiple: true, default: Object.keys(PARTS) },
      list: { type: 'boolean', default: false },
    },
  });
  const unknown = values.kind.find((kind) => !Object.hasOwn(PARTS, kind));
  if (unknown !== undefined)
    throw new Error(`${unknown} is no kind of this bench. Kinds: ${Object.keys(PARTS).join(', ')}.`);
  const hasCorpus = values.corpus.length > 0;
  if (!hasCorpus) console.log('## Documents\n\nNo corpus: name a folder with documents after `--corpus`.\n');
  const corpus = readCorpus(values.corpus);
  const own = ownReader();
  try {
    for (const kind of values.kind)
      if (hasCorpus || kind === WITHOUT_CORPUS) await PARTS[kind]?.(corpus, own, values.list);
  } finally {
    own.close();
  }
}

/** What one reader made of a file. */
interface Reading {
  readonly path: string;
  /** Empty when the reader refused the file. */
  readonly text: string;
}

/** Reads every file, after the first one to warm up, and takes the time of each. */
async function readAll(
  reader: BenchReader,
  paths: readonly string[],
): Promise<{ readings: Reading[]; timings: Timings }> {
  const timings = new Timings();
  const readings: Reading[] = [];
  for (const path of paths.slice(0, 1)) await reader.read(path);
  for (const path of paths)
    readings.push({ path, text: (await timings.time(() => reader.read(path))) ?? '' });
  return { readings, timings };
}

/** How a snippet and a text are compared: letters and digits alone, with blanks for all else. */
function normalized(text: string): string {
  return ` ${wordsOf(text).join(' ')} `;
}

async function benchPages({ pages }: Corpus, own: OwnReader, lists: boolean): Promise<void> {
  if (pages.length === 0) return;
  console.log(
    `## Web pages: ${pages.length} with snippets of their story and of their boilerplate\n\n` +
      'A snippet is kept when the words of the text hold it. Precision: of the kept snippets, the share of the story; recall: of the story, the share that is kept.\n',
  );
  const addresses = new Map(pages.map(({ path, url }) => [path, url]));
  const rows: string[][] = [];
  for (const reader of [...htmlPeers((path) => addresses.get(path)), own]) {
    const { readings, timings } = await readAll(reader, [...addresses.keys()]);
    const texts = new Map(readings.map(({ path, text }) => [path, normalized(textOfMarkdown(text))]));
    let [story, kept, boilerplate, keptBoilerplate] = [0, 0, 0, 0];
    const worst: { path: string; lost: string[]; kept: string[] }[] = [];
    for (const page of pages) {
      const text = texts.get(page.path) ?? '';
      const isIn = (snippet: string) => text.includes(normalized(snippet).trim());
      const lost = page.with.filter((snippet) => !isIn(snippet));
      const noise = page.without.filter(isIn);
      story += page.with.length;
      kept += page.with.length - lost.length;
      boilerplate += page.without.length;
      keptBoilerplate += noise.length;
      worst.push({ path: page.path, lost, kept: noise });
    }
    const scores = { precision: kept / (kept + keptBoilerplate), recall: kept / story };
    rows.push([
      reader.name,
      `${kept} of ${story}`,
      `${keptBoilerplate} of ${boilerplate}`,
      ...shares(scores),
      ms(timings.quantile(0.5)),
      ms(timings.mean),
    ]);
    if (lists && reader === own)
      for (const page of worst.filter((one) => one.lost.length + one.kept.length > 0))
        console.log(
          `- ${basename(page.path)} lost ${JSON.stringify(page.lost)} kept ${JSON.stringify(page.kept)}`,
        );
  }
  table(
    ['reader', 'story kept', 'boilerplate kept', 'precision', 'recall', 'F', 'a page, p50', 'a page, mean'],
    rows,
  );
}

async function benchArticles({ articles }: Corpus, own: OwnReader, lists: boolean): Promise<void> {
  if (articles.length === 0) return;
  console.log(
    `## Articles: ${articles.length} saved pages with the article that is expected of each\n\nMeans over the articles of the shares of words in common, with how often each occurs.\n`,
  );
  const rows: string[][] = [];
  for (const reader of [...htmlPeers(() => undefined), own]) {
    const { readings, timings } = await readAll(
      reader,
      articles.map(({ path }) => path),
    );
    const scores = readings.map(({ path, text }) => {
      const expected = articles.find((article) => article.path === path)?.expected ?? '';
      return {
        path,
        ...agreement(wordsOf(textOfMarkdown(text)), wordsOf(textOfHtml(readFileSync(expected, 'utf8')))),
      };
    });
    rows.push([reader.name, ...meanShares(scores), ms(timings.quantile(0.5)), ms(timings.mean)]);
    if (lists && reader === own) list(scores, (path) => basename(dirname(path)));
  }
  table(['reader', 'precision', 'recall', 'F', 'an article, p50', 'an article, mean'], rows);
}

/** The elements inside a word. */
const INLINE =
  'a|abbr|b|bdi|bdo|cite|code|del|em|font|i|ins|kbd|mark|q|s|samp|small|span|strong|sub|sup|u|var|wbr';

/** Returns the text of HTML that has been cleaned: without tags, and with a blank for each that ends a word. */
function textOfHtml(html: string): string {
  return html
    .replace(/<!--[^]*?-->/g, '')
    .replace(new RegExp(`</?(?:${INLINE})(?:\\s[^<>]*)?>`, 'gi'), '')
    .replace(/<\/?[a-z][^<>]*>/gi, ' ')
    .replace(/&(?:#(\d+)|#x([\da-f]+)|(\w+));/gi, (whole, decimal?: string, hex?: string, name?: string) => {
      if (decimal !== undefined) return String.fromCodePoint(Number(decimal));
      if (hex !== undefined) return String.fromCodePoint(Number.parseInt(hex, 16));
      return { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' }[name ?? ''] ?? whole;
    });
}

/** Compares our text with that of another program: words as multisets, and pairs of neighbouring words for their order. */
async function benchAgainst(
  paths: readonly string[],
  what: string,
  own: OwnReader,
  peer: BenchReader | null,
  lists: boolean,
): Promise<void> {
  if (paths.length === 0) return;
  console.log(`## ${what}: ${paths.length}\n`);
  if (peer === null) {
    console.log(
      'The program to compare with is not installed (poppler-utils, pandoc), so nothing is compared.\n',
    );
    return;
  }
  const theirs = await readAll(peer, paths);
  const ours = await readAll(own, paths);
  const expected = new Map(theirs.readings.map(({ path, text }) => [path, wordsOf(text)]));
  // Tables and columns have two orders; the nearer one counts.
  const otherwise = new Map<string, readonly string[]>();
  for (const path of peer.readOtherwise === undefined ? [] : paths)
    otherwise.set(path, wordsOf((await peer.readOtherwise?.(path)) ?? ''));
  const orderOf = (path: string, read: readonly string[]): number =>
    [expected.get(path) ?? [], otherwise.get(path) ?? []]
      .filter(({ length }) => length > 0)
      .reduce((most, other) => Math.max(most, agreement(pairsOf(read), pairsOf(other)).recall), 0);
  const scores = ours.readings
    .filter(({ path }) => (expected.get(path) ?? []).length > 0)
    .map(({ path, text }) => {
      const [read, other] = [wordsOf(textOfMarkdown(text)), expected.get(path) ?? []];
      const { precision } = agreement(read, other);
      // A link keeps an address that the other program may show as text.
      const { recall } = agreement(wordsOf(textOfMarkdown(text, true)), other);
      return { path, precision, recall, order: orderOf(path, read) };
    });
  const refused = paths.filter((path) => own.refusals.has(path));
  const empty = paths.filter((path) => (expected.get(path) ?? []).length === 0);
  console.log(
    `Means over the ${scores.length} files in which ${peer.name.split(',')[0]} finds words (none in ${empty.length}). Order: of its pairs of neighbouring words, the share that our text has too${peer.readOtherwise === undefined ? '' : ', in the nearer of its two layouts'}. We refuse ${refused.length}: ${refused.map((path) => `${basename(path)} (${own.refusals.get(path)})`).join(', ') || 'none'}.\n`,
  );
  if (lists) list(scores, (path) => basename(path));
  table(
    ['precision', 'recall', 'F', 'order', 'ours, p50', 'ours, mean', `${peer.name}, p50`, 'mean'],
    [
      [
        ...meanShares(scores),
        mean(scores.map(({ order }) => order)).toFixed(3),
        ...[ours, theirs].flatMap(({ timings }) => [ms(timings.quantile(0.5)), ms(timings.mean)]),
      ],
    ],
  );
}

function shares(scores: Agreement): string[] {
  return [scores.precision, scores.recall, fScore(scores)].map((share) => share.toFixed(3));
}

/** The means of precision, recall and F over files. */
function meanShares(scores: readonly Agreement[]): string[] {
  return [scores.map((one) => one.precision), scores.map((one) => one.recall), scores.map(fScore)].map(
    (all) => mean(all).toFixed(3),
  );
}

/** Prints a row for each file, the worst first. */
function list(
  scores: readonly (Agreement & { readonly path: string; readonly order?: number })[],
  nameOf: (path: string) => string,
): void {
  const worstFirst = [...scores].sort((one, other) => fScore(one) - fScore(other));
  table(
    ['file', 'precision', 'recall', 'F', 'order'],
    worstFirst.map((one) => [nameOf(one.path), ...shares(one), one.order?.toFixed(3) ?? '']),
  );
}

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
interface Corpus {
  readonly pages: readonly JudgedPage[];
  readonly articles: readonly JudgedArticle[];
  /** Paths by extension, sorted. */
  files(extension: string): readonly string[];
}

/**
 * Finds what is measured below folders: pages listed in an `expected.json` beside them (`{page: {url, with, without}}`), articles
 * (`source.html` beside `expected.html`), and other files by their extension.
 */
function readCorpus(folders: readonly string[]): Corpus {
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

/** Shares of what two texts have in common, each between 0 and 1. */
interface Agreement {
  /** The share of the read text that is also in the expected one. */
  readonly precision: number;
  /** The share of the expected text that was read. */
  readonly recall: number;
}

/**
 * Returns the words of a text: runs of letters, marks and digits after NFKC, in lower case. Each character of Chinese and
 * Japanese is one, as they have no blanks and a line may end between any two.
 */
function wordsOf(text: string): string[] {
  return (
    text
      .normalize('NFKC')
      .toLowerCase()
      .match(
        /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|(?:(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}])[\p{L}\p{M}\p{N}])+/gu,
      ) ?? []
  );
}

/** Returns each pair of neighbouring words, joined by a blank. */
function pairsOf(words: readonly string[]): string[] {
  return words.slice(1).map((word, at) => `${words[at]} ${word}`);
}

/** Compares two lists as multisets: an item counts as often as it occurs in both. An empty list agrees fully. */
function agreement(read: readonly string[], expected: readonly string[]): Agreement {
  const rest = new Map<string, number>();
  for (const item of expected) rest.set(item, (rest.get(item) ?? 0) + 1);
  let common = 0;
  for (const item of read) {
    const left = rest.get(item) ?? 0;
    if (left > 0) common += 1;
    rest.set(item, left - 1);
  }
  return {
    precision: read.length === 0 ? 1 : common / read.length,
    recall: expected.length === 0 ? 1 : common / expected.length,
  };
}

/** The harmonic mean of precision and recall. */
function fScore({ precision, recall }: Agreement): number {
  return precision + recall === 0 ? 0 : (2 * precision * recall) / (precision + recall);
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Code, which stays as it is: blocks between fences and code in a line. */
const CODE =
  /^[ \t>]*(`{3,}|~{3,})[^\n]*\n[^]*?^[ \t>]*\1[ \t]*$|(?<![`\\])(`+)(?!`)(?:[^`\n]|\n(?!\n)|(?!\2(?!`))`+)+?\2(?!`)/gm;

/**
 * Reduces Markdown to its words: links and pictures to their text, addresses and code as they are, without escapes and tags of
 * HTML.
 * @param hasTargets whether the targets of links are words too
 */
function textOfMarkdown(markdown: string, hasTargets = false): string {
  const shown = hasTargets ? '$1 $2' : '$1';
  let text = '';
  let at = 0;
  for (const { index, 0: code } of markdown.matchAll(CODE)) {
    text += textOfProse(markdown.slice(at, index), shown) + code;
    at = index + code.length;
  }
  return text + textOfProse(markdown.slice(at), shown);
}

function textOfProse(markdown: string, link: string): string {
  return markdown
    .replace(
      /!?\[((?:[^[\]\\]|\\.|\[[^[\]]*\])*)\]\(((?:<[^>]*>|[^()\s]|\([^()]*\))*)(?:\s+"[^"]*")?\)/g,
      link,
    )
    .replace(/(?<!\\)<(?!(?:https?|mailto):)\/?[a-z][^<>]*>/gi, ' ')
    .replace(/\\(?=[!-/:-@[-`{-~])/g, '');
}
