import { readFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { parseArgs } from 'node:util';
import { type Corpus, readCorpus } from './documents-corpus';
import { benchGrowth } from './documents-growth';
import {
  type BenchReader,
  htmlPeers,
  type OwnReader,
  ownReader,
  pandoc,
  pdftotext,
} from './documents-readers';
import { type Agreement, agreement, fScore, mean, pairsOf, textOfMarkdown, wordsOf } from './documents-words';
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
