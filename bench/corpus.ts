import { readdirSync, readFileSync, closeSync, openSync, readSync, writeSync } from 'node:fs';
import { basename, join } from 'node:path';
import { randomFrom } from './support';

/** A document as every engine of a bench gets it: the same fields for all. */
export interface BenchDocument {
  readonly path: string;
  readonly title: string;
  /** Headings below the title, one a line. */
  readonly headings: string;
  /** The whole body, headings included, without front matter. */
  readonly text: string;
  /** The subject it belongs to, of collections with several. */
  readonly wing?: string | undefined;
}

/** Which documents: of a folder of Markdown, or made by the seeded generator when there is none. */
export interface CorpusChoice {
  readonly folder?: string;
  readonly seed: number;
}

/**
 * So many documents, the same in every process that asks with the same choice. When a folder holds fewer, the others are
 * recombined from its paragraphs.
 */
export function* documentsOf({ folder, seed }: CorpusChoice, count: number): Iterable<BenchDocument> {
  if (folder === undefined) {
    yield* generatedDocuments(seed, count);
    return;
  }
  const real = markdownDocuments(folder, seed);
  yield* real.slice(0, count);
  if (count > real.length) yield* recombined(real, seed, count - real.length);
}

/** What a reader of the figures must know of the documents. */
export function sayCorpus({ folder, seed }: CorpusChoice): string {
  return folder === undefined
    ? `made by the bench's generator, seed ${seed}: Zipf's law, words that cluster in documents, one document in five not in Latin script`
    : `the Markdown files below ${folder} in an order of seed ${seed}; beyond their number, documents recombined from their paragraphs (which adds no new words)`;
}

/** The same text in memory of its own: not a slice of a larger one, nor the unjoined parts of one. */
function flat(text: string): string {
  return Buffer.from(text).toString();
}

/** Share of words that hold sentences together, as in English prose. */
const FUNCTION_SHARE = 0.42;
/** Content words up to this rank follow Zipf's law with exponent 1, flattened at the top as Mandelbrot found it … */
const CORE = 3000;
const FLATTENED = 40;
/** … the others a steeper tail, out of which new words come for ever (Heaps' law, exponent about 0.6). */
const TAIL_SHARE = 0.2;
const TAIL_EXPONENT = 1 / 0.6;
/** Words of a document's topic, and how often a content word is one of them or repeats one that stood before. */
const TOPIC_WORDS = 12;
const TOPIC_SHARE = 0.25;
const REPEAT_SHARE = 0.15;
/** Lengths are log-normal: half of the notes are shorter than this many words. */
const MEDIAN_WORDS = 130;
const LENGTH_SIGMA = 0.85;
const SECTION_WORDS = 90;

/**
 * Notes made of nothing but a seed: word frequencies by Zipf's law with an endless tail, words that cluster in documents,
 * lengths with a long tail, headings, identifiers, one note in five in another script. Note `n` is the same whatever the
 * count.
 */
function* generatedDocuments(seed: number, count: number): Iterable<BenchDocument> {
  for (let n = 0; n < count; n += 1) yield generatedDocument(seed, n);
}

/** The note with this number. */
export function generatedDocument(seed: number, n: number): BenchDocument {
  const random = randomFrom(Math.imul(seed, 0x9e3779b1) ^ Math.imul(n + 1, 0x85ebca6b));
  const script = scriptOf(random());
  const topic = Array.from({ length: TOPIC_WORDS }, () => contentRank(random));
  const fromTopic = (): string => spelled(script, topic[Math.floor(random() * topic.length)] ?? 1);
  const phrase = (words: number): string => sentenceOf(Array.from({ length: words }, fromTopic), script.gap);
  const title = phrase(2 + Math.floor(random() * 3));
  const length = Math.max(
    20,
    Math.min(4000, Math.round(MEDIAN_WORDS * Math.exp(LENGTH_SIGMA * normal(random)))),
  );
  const headings: string[] = [];
  const parts: string[] = [];
  const used: number[] = [];
  for (let written = 0; written < length;) {
    if (written > 0 && random() < 14 / SECTION_WORDS) {
      const heading = phrase(2 + Math.floor(random() * 3));
      headings.push(heading);
      parts.push(`\n\n## ${heading}\n\n`);
    }
    const words = Array.from({ length: 6 + Math.floor(random() * 16) }, () => {
      if (random() < FUNCTION_SHARE) return script.functionWord(random());
      if (random() < 0.02) return identifier(random);
      const rank = nextRank(random, topic, used);
      used.push(rank);
      return spelled(script, rank);
    });
    written += words.length;
    parts.push(sentenceOf(words, script.gap), script.stop, random() < 0.2 ? '\n\n' : script.gap);
  }
  return {
    path: `generated/${n}.md`,
    title: flat(title),
    headings: flat(headings.join('\n')),
    text: flat(parts.join('')),
  };
}

function nextRank(random: () => number, topic: readonly number[], used: readonly number[]): number {
  const choice = random();
  const pool = choice < TOPIC_SHARE ? topic : choice < TOPIC_SHARE + REPEAT_SHARE ? used : [];
  return pool[Math.floor(random() * pool.length)] ?? contentRank(random);
}

/** A rank of a content word, from 1. */
function contentRank(random: () => number): number {
  const place = 1 - random();
  if (random() < TAIL_SHARE) return Math.min(2 ** 30, Math.floor(CORE * place ** -TAIL_EXPONENT));
  // The logarithm of the shifted rank is even: that is exponent 1.
  return Math.max(1, Math.floor(FLATTENED * ((CORE + FLATTENED) / FLATTENED) ** place) - FLATTENED);
}

function sentenceOf(words: readonly string[], gap: string): string {
  const text = words.join(gap);
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** What notes on machines are full of: versions, names of settings, names of functions. */
function identifier(random: () => number): string {
  const latin = scriptOf(0);
  const [a, b] = [spelled(latin, contentRank(random)), spelled(latin, contentRank(random))];
  const kind = Math.floor(random() * 4);
  if (kind === 0) return `v${Math.floor(random() * 9)}.${Math.floor(random() * 40)}`;
  if (kind === 1) return `${a}_${b}`.toUpperCase();
  return kind === 2 ? a + b.charAt(0).toUpperCase() + b.slice(1) : String(Math.floor(random() * 10_000));
}

/** A normally distributed number (Box and Muller). */
function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/** Frequent first: in English prose the share of a word falls with its place in this list. */
const ENGLISH =
  'the of and to a in is that for it as was with be on not he by are this at from or have an they which one you were all her she there would their we him been has when who will no more if out so up said what its about than into them can only other time new some could these two may first then do any like my now over such our man me even most made after also did many off before must well back through years where much your way down should because each people those too good very make world still see own work long here between both life being under day never same another know while last us might great go since come against used'.split(
    ' ',
  );
const RUSSIAN =
  'и в не на я что он с это как по но они к у же вы за бы так от мы ты все из его о для до при если только или ещё уже когда'.split(
    ' ',
  );
const GERMAN =
  'der die und in den von zu das mit sich des auf für ist im dem nicht ein eine als auch es an werden aus er hat dass sie nach wird bei einer um am sind noch wie einem über einen so zum war haben nur oder aber vor zur bis mehr durch man sein wurde'.split(
    ' ',
  );
const ARABIC = 'في من على إلى أن هذا التي الذي عن مع كان ما لا بعد كل قد هو هي أو ثم'.split(' ');
const JAPANESE = 'の は を に が で と も から まで より へ や です ます した する こと もの'.split(' ');
const CHINESE = '的 了 在 是 我 有 和 就 不 人 都 一 也 很 到 说 要 去 你 会'.split(' ');

const ONSETS = 'b c d f g h l m n p r s t v br cl dr gr pl pr st tr sh'.split(' ');
const NUCLEI = 'a e i o u ai ea io'.split(' ');
const CODAS = ['', '', 'l', 'm', 'n', 'r', 's', 't', 'ck', 'nd'];
/** Four ranks share a stem, as the forms of a word do. */
const ENDINGS = ['', 's', 'ing', 'ed'];

interface Script {
  /** Share of the notes that are written in it. */
  readonly share: number;
  readonly gap: string;
  readonly stop: string;
  /** A frequent word that holds sentences together; `place` is even in 0 to 1. */
  functionWord(place: number): string;
  spell(rank: number): string;
}

const SCRIPTS: readonly Script[] = [
  spaced(0.8, ENGLISH, latin),
  spaced(0.05, GERMAN, (rank) =>
    latin(rank)
      .replace(/a(?=[lmn])/g, 'ä')
      .replace(/o(?=[rst])/g, 'ö'),
  ),
  spaced(0.05, RUSSIAN, (rank) => mapped(latin(rank), 'abcdefghiklmnoprstuv', 'абцдефгхиклмнопрстув')),
  spaced(0.02, ARABIC, (rank) => mapped(latin(rank), 'abcdefghiklmnoprstuv', 'ابجدهفغحيكلمنوبرستوق')),
  unspaced(0.04, JAPANESE),
  unspaced(0.04, CHINESE),
];

/** The script of a note; `place` is even in 0 to 1, and 0 is English. */
function scriptOf(place: number): Script {
  let left = place;
  for (const script of SCRIPTS) {
    left -= script.share;
    if (left < 0) return script;
  }
  return spaced(1, ENGLISH, latin);
}

/** Words are asked for again and again, the frequent ones most of all. */
const remembered = new Map<Script, Map<number, string>>();
const MAX_REMEMBERED = 20_000;

/** The word of this rank, counted from 1. */
function spelled(script: Script, rank: number): string {
  const words = remembered.get(script) ?? new Map<number, string>();
  if (words.size === 0) remembered.set(script, words);
  const known = words.get(rank);
  if (known !== undefined) return known;
  const word = script.spell(rank);
  if (words.size < MAX_REMEMBERED) words.set(rank, word);
  return word;
}

function spaced(share: number, words: readonly string[], spell: (rank: number) => string): Script {
  return { share, gap: ' ', stop: '.', functionWord: (place) => frequent(words, place), spell };
}

function unspaced(share: number, words: readonly string[]): Script {
  // Two of the 4,096 first ideographs: every rank below 16 million has its own pair.
  const sign = (code: number): string => String.fromCharCode(0x4e00 + (code & 4095));
  return {
    share,
    gap: '',
    stop: '。',
    functionWord: (place) => frequent(words, place),
    spell: (rank) => sign(Math.imul(rank, 1021)) + sign(rank >>> 8),
  };
}

function frequent(words: readonly string[], place: number): string {
  return words[Math.floor(words.length ** place) - 1] ?? '';
}

function latin(rank: number): string {
  let left = rank >>> 2;
  let word = '';
  do {
    word += ONSETS[left % ONSETS.length] ?? '';
    left = Math.floor(left / ONSETS.length);
    word += NUCLEI[left % NUCLEI.length] ?? '';
    left = Math.floor(left / NUCLEI.length);
    word += CODAS[left % CODAS.length] ?? '';
    left = Math.floor(left / CODAS.length);
  } while (left > 0 || word.length < 4);
  return word + (ENDINGS[rank & 3] ?? '');
}

function mapped(word: string, from: string, to: string): string {
  return Array.from(word, (letter) => to[from.indexOf(letter)] ?? letter).join('');
}

const FRONT_MATTER = /^\uFEFF?---\r?\n[\s\S]*?\r?\n---[ \t]*(?:\r?\n|$)/;
const HEADING = /^#{1,6}[ \t]+(.+?)[ \t]*#*[ \t]*$/gm;
/**
 * A recombined document takes its other paragraphs from so many neighbours: those of the same folder, so of the same
 * language.
 */
const NEIGHBOURS = 40;

/** Reads one Markdown text: title is its first heading of level 1, else the name of the file. */
export function markdownDocument(path: string, source: string): BenchDocument {
  const body = plainLinks(source.replace(FRONT_MATTER, ''));
  const title = /^#[ \t]+(.+)$/m.exec(body)?.[1]?.trim() ?? basename(path, '.md');
  const headings = [...body.matchAll(HEADING)].map(([, heading = '']) => heading);
  return { path, title, headings: headings.filter((heading) => heading !== title).join('\n'), text: body };
}

/** Every Markdown file below a folder, in a seeded order. */
function markdownDocuments(folder: string, seed: number): BenchDocument[] {
  const paths = markdownPaths(folder);
  const random = randomFrom(seed);
  for (let at = paths.length - 1; at > 0; at -= 1) {
    const other = Math.floor(random() * (at + 1));
    [paths[at], paths[other]] = [paths[other] ?? '', paths[at] ?? ''];
  }
  return paths.map((path) => flatDocument(markdownDocument(path, readFileSync(join(folder, path), 'utf8'))));
}

/** The Markdown files below a folder, sorted. */
export function markdownPaths(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.md'))
    .sort();
}

/**
 * Documents made from paragraphs of real ones: each keeps about half of the paragraphs of one document and takes the others
 * from its neighbours by path, so that words still go together as they do in real notes.
 */
function* recombined(real: readonly BenchDocument[], seed: number, count: number): Iterable<BenchDocument> {
  const random = randomFrom(seed + 1);
  const sorted = [...real].sort((a, b) => (a.path < b.path ? -1 : 1));
  const paragraphs = sorted.map(({ text }) => text.split(/\n\s*\n/).filter((part) => part.trim() !== ''));
  for (let n = 0; n < count; n += 1) {
    const base = Math.floor(random() * sorted.length);
    const neighbour = (): number =>
      (base + Math.floor(random() * NEIGHBOURS) - NEIGHBOURS / 2 + sorted.length) % sorted.length;
    const parts = (paragraphs[base] ?? []).map((own) => {
      const others = random() < 0.5 ? undefined : paragraphs[neighbour()];
      return others?.[Math.floor(random() * others.length)] ?? own;
    });
    const title = (random() < 0.5 ? sorted[base] : sorted[neighbour()])?.title ?? '';
    const text = parts.join('\n\n');
    const headings = [...text.matchAll(HEADING)].map(([, heading = '']) => heading).join('\n');
    yield flatDocument({ path: `recombined/${n}.md`, title, headings, text });
  }
}

/** `[[a|b]]` and `[b](a)` as `b`, `[[a]]` as `a`: what a reader sees. */
function plainLinks(text: string): string {
  return text
    .replace(/!?\[\[(?:[^\][|]*\|)?([^\][|]+)\]\]/g, '$1')
    .replace(/!?\[([^\][]*)\]\([^()\s]*\)/g, '$1');
}

function flatDocument({ path, title, headings, text }: BenchDocument): BenchDocument {
  return { path, title: flat(title), headings: flat(headings), text: flat(text) };
}

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
