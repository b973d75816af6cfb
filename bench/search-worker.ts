import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { type BenchDocument, documentsOf, readDocuments, type Source } from './corpus';
import { requirePeer, Timings, randomFrom } from './support';
import { type Engine, type EngineKind, ENGINES } from './search-engines';

/** What one process is to measure. */
export interface Job {
  /**
   * `build` has all documents in memory before it starts the clock. `hold` gets them one at a time, so that nothing but the
   * index is left to weigh. `load` opens what `build` saved below the same folder as soon as its process runs, and `weigh`
   * does so in one that has come to rest.
   */
  readonly task: 'build' | 'hold' | 'load' | 'weigh';
  readonly engine: string;
  readonly source: Source;
  readonly folder: string;
  readonly queries: readonly QueryList[];
  /** Clocks processor time of all threads instead of time, which other programs disturb less. */
  readonly cpu: boolean;
}

/** Times in milliseconds, sizes in MiB. */
export interface Figures {
  readonly build?: number;
  readonly queries?: readonly { readonly name: string; readonly p50: number; readonly p99: number }[];
  readonly update?: number;
  readonly file?: number;
  readonly cold?: number;
  /** Resident memory above the same process before the engine was there. */
  readonly held?: number;
  /** The most that the process ever held, documents included. */
  readonly peak: number;
  /** Share of a processor that the process got while it measured: well below 1 when other programs ran. */
  readonly processor: number;
}

const RESULTS = 10;
/**
 * Each query is asked so often, in passes over the whole list; the median counts, which leaves out what other programs did
 * meanwhile.
 */
const PASSES = 3;
/** Before the clock starts, an engine is asked for so long (milliseconds) that its code is compiled for good. */
const WARM_UP_MS = 1000;
const UPDATES = 100;
const READINGS = 1000;
/** So long, and so often, a process is left alone before its memory is looked at. */
const SETTLE_MS = 2000;
const SETTLE_ROUNDS = 3;
const MIB = 2 ** 20;

process.once('message', (job: Job) => {
  void run(job).then((figures) => process.send?.({ figures }, () => process.exit()));
});

async function run(job: Job): Promise<Figures> {
  const kind = ENGINES.find(({ name }) => name === job.engine);
  if (kind === undefined) throw new Error(`There is no engine "${job.engine}".`);
  const now = job.cpu ? processorTime : () => performance.now();
  if (job.task === 'load') return measureLoad(kind, job, now);
  if (job.task === 'weigh') return weighLoaded(kind, job);
  return job.task === 'hold' ? measureHold(kind, job, now) : measureBuild(kind, job, now);
}

type Clock = () => number;

/** As many of the queries as an engine is asked. */
function fewest(lists: readonly QueryList[], { queries }: EngineKind): readonly QueryList[] {
  return lists.map((list) => ({
    ...list,
    warmUp: list.warmUp.slice(0, queries),
    timed: list.timed.slice(0, queries),
  }));
}

async function measureBuild(
  kind: EngineKind,
  { source, folder, queries }: Job,
  now: Clock,
): Promise<Figures> {
  const documents = [...readDocuments(source)];
  collect();
  const share = processorShare();
  const start = now();
  const engine = kind.build(documents, folder);
  const build = now() - start;
  const timed = timeLists(engine, fewest(queries, kind), now);
  const update = timeUpdates(engine, spread(documents, kind.updates ?? UPDATES), now);
  const processor = share();
  await engine.save(folder);
  engine.close?.();
  return { build, queries: timed, update, file: sizeOf(folder), processor, peak: peak() };
}

/** Of a source without a file, this is all that is measured: build time then holds the making of the documents. */
async function measureHold(kind: EngineKind, { source, folder, queries }: Job, now: Clock): Promise<Figures> {
  const empty = await resident();
  const share = processorShare();
  const start = now();
  const engine = kind.build(readDocuments(source), folder);
  const build = now() - start;
  const processor = share();
  const held = (await resident()) - empty;
  if ('file' in source) return { held, processor, peak: peak() };
  const timed = timeLists(engine, fewest(queries, kind), now);
  const update = timeUpdates(engine, [...documentsOf(source.corpus, UPDATES)], now);
  return { build, queries: timed, update, held, processor, peak: peak() };
}

async function measureLoad(kind: EngineKind, { folder, queries }: Job, now: Clock): Promise<Figures> {
  const question = questionIn(queries);
  // Our own code is part of this file: that of a peer is not to be read within its time either.
  if (kind.peer !== undefined) requirePeer(kind.peer);
  const share = processorShare();
  const start = now();
  const engine = await answering(kind, folder, question);
  const cold = now() - start;
  const processor = share();
  engine.close?.();
  return { cold, processor, peak: peak() };
}

async function weighLoaded(kind: EngineKind, { folder, queries }: Job): Promise<Figures> {
  const question = questionIn(queries);
  const empty = await resident();
  const share = processorShare();
  const engine = await answering(kind, folder, question);
  const processor = share();
  const held = (await resident()) - empty;
  engine.close?.();
  return { held, processor, peak: peak() };
}

/** The engine out of its file, which has answered a question. */
async function answering(kind: EngineKind, folder: string, question: string): Promise<Engine> {
  if (kind.load === undefined) throw new Error(`${kind.name} has no file to load.`);
  const engine = await kind.load(folder);
  const found = engine.search(question, RESULTS);
  if (found.length === 0) throw new Error(`${kind.name} finds nothing for "${question}" after loading.`);
  return engine;
}

/** Three English words: not every engine finds words of other scripts. */
function questionIn(queries: readonly QueryList[]): string {
  const question = queries
    .flatMap(({ timed }) => timed)
    .find((query) => /^[a-z]+ [a-z]+ [a-z]+$/.test(query));
  if (question === undefined) throw new Error('The corpus has no query of three English words.');
  return question;
}

/** Each list, and behind them the lists of each length together. */
function timeLists(engine: Engine, lists: readonly QueryList[], now: Clock): Required<Figures>['queries'] {
  const timed = lists.map((list) => ({ list, times: timeQueries(engine, list, now) }));
  const together = [...new Set(lists.map(({ words }) => words))].map((words) => {
    const times = timed.filter(({ list }) => list.words === words).flatMap((each) => each.times);
    return { name: nameOfLength(words), times };
  });
  return [...timed.map(({ list: { name }, times }) => ({ name, times })), ...together].map(
    ({ name, times }) => {
      const timings = new Timings();
      for (const time of times) timings.add(time);
      return { name, p50: timings.quantile(0.5), p99: timings.quantile(0.99) };
    },
  );
}

/** What each query of a list takes. */
function timeQueries(engine: Engine, { warmUp, timed }: QueryList, now: Clock): number[] {
  warm(engine, warmUp);
  const reading = timeOfReading(now);
  const perQuery = timed.map(() => new Timings());
  for (let pass = 0; pass < PASSES; pass += 1) {
    timed.forEach((query, index) => {
      const start = now();
      engine.search(query, RESULTS);
      perQuery[index]?.add(Math.max(0, now() - start - reading));
    });
  }
  return perQuery.map((own) => own.quantile(0.5));
}

/** How long it takes to read the clock: processor time takes as long as a tenth of a query. */
function timeOfReading(now: Clock): number {
  const timings = new Timings();
  for (let reading = 0; reading < READINGS; reading += 1) {
    const start = now();
    timings.add(now() - start);
  }
  return timings.quantile(0.5);
}

/** Asks every query of the list once at least. */
function warm(engine: Engine, queries: readonly string[]): void {
  const end = performance.now() + WARM_UP_MS;
  do {
    for (const query of queries) engine.search(query, RESULTS);
  } while (performance.now() < end);
}

/** Median of replacing a document and finding a word that only its new form has. */
function timeUpdates(engine: Engine, documents: readonly BenchDocument[], now: Clock): number {
  const timings = new Timings();
  documents.forEach((document, index) => {
    const word = markerOf(index);
    const changed = { ...document, text: `${document.text}\n\n${word}` };
    const start = now();
    engine.update(changed);
    const [found] = engine.search(word, RESULTS);
    timings.add(now() - start);
    if (found !== document.path) throw new Error(`The update of ${document.path} is not found by "${word}".`);
  });
  return timings.quantile(0.5);
}

/**
 * A word that no corpus has, every engine keeps whole, none of the others begins with, and none of them is taken for by who
 * forgives the wrong letters of a fifth of a word.
 */
function markerOf(index: number): string {
  const letters = (n: number): string => ('abdefghkmo'[n % 10] ?? 'a').repeat(3);
  return `qz${letters(index)}vj${letters(Math.floor(index / 10))}k`;
}

function spread<T>(items: readonly T[], count: number): T[] {
  const step = Math.max(1, Math.floor(items.length / count));
  return items.filter((_, index) => index % step === 0).slice(0, count);
}

function sizeOf(folder: string): number {
  const bytes = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => statSync(join(folder, name)))
    .filter((stats) => stats.isFile())
    .reduce((sum, { size }) => sum + size, 0);
  return bytes / MIB;
}

/**
 * What the process holds when it has come to rest. Right after hard work the heap still has the room for young objects that
 * the work needed, whoever did it; it is given back when the process has been idle and its garbage is collected, half of it
 * at a time.
 */
async function resident(): Promise<number> {
  for (let round = 0; round < SETTLE_ROUNDS; round += 1) {
    collect();
    await sleep(SETTLE_MS);
  }
  collect();
  return process.memoryUsage().rss / MIB;
}

/** The most that the process ever had in memory, in MiB. */
function peak(): number {
  return process.resourceUsage().maxRSS / 1024;
}

function processorTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** Several rounds: what the first frees, the next can give back to the system. */
function collect(): void {
  for (let round = 0; round < 4; round += 1) globalThis.gc?.();
}

function processorShare(): () => number {
  const [start, before] = [performance.now(), process.cpuUsage()];
  return () => {
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000 / (performance.now() - start);
  };
}

/** Queries of one length and kind. */
export interface QueryList {
  readonly name: string;
  readonly words: number;
  /**
   * `topical`: words that some documents hold. `frequent`: words that many hold, stop words among them. `prose`: words in a row
   * as they stand.
   */
  readonly kind: 'topical' | 'frequent' | 'prose';
  readonly warmUp: readonly string[];
  readonly timed: readonly string[];
}

/**
 * A topical word stands in at least so many of the documents looked at, and in at most a tenth of them; a frequent one in
 * more.
 */
const FEWEST = 3;
const MOST_SHARE = 0.1;
const WARM_UP = 50;
/** A longer "word" is a whole sentence of a script without spaces, which nobody types. */
const LONGEST_WORD = 20;
const TRIES = 100_000;

/**
 * Queries of 1, 3 and 8 words taken from the documents themselves, the same for every engine and run. Throws when the documents
 * are too few or too short for them.
 */
export function queryLists(documents: readonly BenchDocument[], count: number, seed: number): QueryList[] {
  const random = randomFrom(seed);
  const words = documents.map(({ text }) => wordsIn(text));
  const homes = new Map<string, number>();
  for (const list of words) for (const word of new Set(list)) homes.set(word, (homes.get(word) ?? 0) + 1);
  const most = Math.max(FEWEST, documents.length * MOST_SHARE);
  const between = (least: number, limit: number): string[][] =>
    words.map((list) =>
      [...new Set(list)].filter((word) => {
        const found = homes.get(word) ?? 0;
        return found >= least && found <= limit && !/^\d/.test(word);
      }),
    );
  const sources = {
    topical: between(FEWEST, most),
    frequent: between(most + 1, documents.length),
    prose: words,
  };
  const drawn = (lists: readonly (readonly string[])[], length: number): string => {
    for (let n = 0; n < TRIES; n += 1) {
      const list = lists[Math.floor(random() * lists.length)] ?? [];
      const from = Math.floor(random() * (list.length - length + 1));
      if (list.length >= length) return list.slice(from, from + length).join(' ');
    }
    throw new Error(`No document has ${length} words for a query. Choose another corpus or more documents.`);
  };
  return (['topical', 'frequent', 'prose'] as const).flatMap((kind) =>
    [1, 3, 8].map((length) => {
      const make = (): string => drawn(sources[kind], length);
      return {
        name: `${wordsOf(length)}, ${kind}`,
        words: length,
        kind,
        warmUp: Array.from({ length: WARM_UP }, make),
        timed: Array.from({ length: count }, make),
      };
    }),
  );
}

/** What the queries of one length are called, of whatever kind. */
export function nameOfLength(words: number): string {
  return `${wordsOf(words)}, all kinds`;
}

function wordsOf(length: number): string {
  return `${length} ${length === 1 ? 'word' : 'words'}`;
}

function wordsIn(text: string): string[] {
  // Joiners stand within words of some scripts.
  const words = text.toLowerCase().match(/[\p{L}\p{M}\p{N}\u200c\u200d]{2,}/gu) ?? [];
  return words.filter((word) => word.length <= LONGEST_WORD);
}
