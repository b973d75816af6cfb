import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { mkdir } from 'node:fs/promises';
import { fork } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { build } from 'esbuild';
import { type CorpusChoice, documentsOf, sayCorpus, writeDocuments } from './corpus';
import { type EngineKind, installed, sayEngines } from './search-engines';
import { nameOfLength, type QueryList, queryLists, type Job, type Figures } from './search-worker';
import { withFolder, ms, table } from './support';

const SIZES = [1000, 10_000];
const MILLION = 1_000_000;
/** The goals are for vaults that are not small. */
const FEWEST_FOR_GOALS = 10_000;
const SEED = 4;
/** Documents out of which queries are drawn. */
const LOOKED_AT = 20_000;
/** A process that gets less of a processor was disturbed. */
const QUIET = 0.9;
/** What a million documents must do with. */
const MILLION_HEAP_MIB = 4096;

/**
 * Speed and size of the index beside its peers: every engine, size and run in a process of its own, medians of the runs.
 * @param args sizes, then `--corpus DIR`, `--runs N` (3), `--queries N` of each length (200), `--engines A,B` by the beginnings
 * of their names, `--cpu` for processor time instead of time, `--long` for a million documents of our own engine
 */
export async function benchSearch(args: readonly string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      corpus: { type: 'string' },
      runs: { type: 'string', default: '3' },
      queries: { type: 'string', default: '200' },
      engines: { type: 'string' },
      long: { type: 'boolean', default: false },
      cpu: { type: 'boolean', default: false },
    },
  });
  const sizes = positionals.length > 0 ? positionals.map(Number) : values.long ? [] : SIZES;
  const corpus: CorpusChoice = { seed: SEED, ...(values.corpus !== undefined && { folder: values.corpus }) };
  const [runs, queries] = [Number(values.runs), Number(values.queries)];
  const { engines, missing } = installed();
  const wanted = values.engines?.toLowerCase().split(',');
  const timed = engines.filter(
    ({ name, timed: isTimed }) =>
      isTimed !== false && (wanted?.some((start) => name.toLowerCase().startsWith(start.trim())) ?? true),
  );
  console.log(
    `## Search: ${runs} runs, each in a process of its own, the engines in turns, medians\n\nDocuments: ${sayCorpus(corpus)}.\nQueries: ${queries} of each length, asked three times of which the median counts, after others of their kind for a second; words of the documents; topical words stand in 3 documents to a tenth of them, frequent words in more (stop words among them), prose is words in a row as they stand, all kinds are the three together. The time that it takes to read the clock is taken off.\n${values.cpu ? 'Times are processor time of all threads of the process, for a machine that others use as well.' : 'Times are what a clock on the wall says.'}\nMemory is resident, above the same process without the engine and without documents, six seconds after the build or the load, when the heap has given back the room that the work needed. A cold start is that of a process which has done nothing else; the system still has the file in its cache.\n\n${sayEngines(timed)}\n`,
  );
  if (missing !== null) console.log(`${missing}\n`);
  await buildWorker();
  const plan = { corpus, runs, queries, engines: timed, cpu: values.cpu };
  for (const documents of sizes)
    await withFolder((folder) => measureSize(plan, documents, join(folder, 'documents')));
  if (values.long) await measureMillion(plan);
}

interface Plan {
  readonly corpus: CorpusChoice;
  readonly runs: number;
  readonly queries: number;
  readonly engines: readonly EngineKind[];
  readonly cpu: boolean;
}

async function measureSize(
  { corpus, runs, queries, engines, cpu }: Plan,
  documents: number,
  file: string,
): Promise<void> {
  console.log(`### ${documents} documents\n`);
  writeDocuments(file, documentsOf(corpus, documents));
  const lists = queriesFor(corpus, documents, queries);
  const notes: string[] = [];
  const able = engines.filter(({ name, largest }) => {
    if (largest === undefined || documents <= largest.documents) return true;
    notes.push(`${name} is left out: ${largest.why}.`);
    return false;
  });
  const measured = new Map<string, Measured>();
  for (const [name, result] of await measureEngines(able, { source: { file }, queries: lists, cpu }, runs)) {
    if (result instanceof Error) notes.push(result.message);
    else measured.set(name, result);
  }
  printSize(namesOf(lists), measured);
  const quiet = cpu ? 1 : Math.min(...[...measured.values()].map(({ build }) => build.processor));
  if (quiet < QUIET) {
    notes.push(
      `The machine was busy with other programs: a process got down to ${Math.round(quiet * 100)} % of a processor, so times are too long and their ratios shaky.`,
    );
  }
  for (const note of notes) console.log(`${note}\n`);
  if (documents >= FEWEST_FOR_GOALS) printGoals(goalsOf(documents, measured));
}

async function measureMillion({ corpus, queries, cpu }: Plan): Promise<void> {
  console.log(
    `### ${MILLION} documents, our engine alone, one run\n\nThe build time holds the making of the documents.\n`,
  );
  const lists = queriesFor(corpus, MILLION, queries);
  await withFolder(async (folder) => {
    const source = { corpus, count: MILLION };
    const job: Job = { task: 'hold', engine: 'Brain Server', source, folder, queries: lists, cpu };
    const built = await inOwnProcess(job, MILLION_HEAP_MIB);
    if (built instanceof Error) {
      console.log(`${built.message}\n`);
      return;
    }
    printOne(namesOf(lists), built);
    printGoals(goalsOfMillion(built));
  });
}

/** Of each list, and of the lists of each length together. */
function namesOf(lists: readonly QueryList[]): string[] {
  return [...lists.map(({ name }) => name), ...new Set(lists.map(({ words }) => nameOfLength(words)))];
}

function queriesFor(corpus: CorpusChoice, documents: number, count: number): QueryList[] {
  return queryLists([...documentsOf(corpus, Math.min(documents, LOOKED_AT))], count, SEED);
}

/** What one engine needed at one size: medians over its runs. */
interface Measured {
  readonly build: Figures;
  readonly hold: Figures;
  readonly load?: Figures;
  readonly weigh?: Figures;
}

interface Goal {
  readonly says: string;
  /** Undefined when a peer or a figure is missing. */
  readonly met: boolean | undefined;
}

/** Name of one engine to what it needed. */
type AtOneSize = ReadonlyMap<string, Measured>;

/** What this project holds itself to, beside what was measured at one size. */
function goalsOf(documents: number, engines: AtOneSize): Goal[] {
  const own = engines.get('Brain Server');
  const mini = engines.get('MiniSearch');
  if (own === undefined) return [];
  const names = (own.build.queries ?? []).map(({ name }) => name);
  const eight = names.filter((name) => name.startsWith('8 '));
  // A peer as it comes, and as those set it up who want to find what was half typed or mistyped, as we do.
  const peers = [
    { peer: 'MiniSearch', asked: names, goal: 100 },
    { peer: 'SQLite FTS5', asked: eight, goal: 30 },
    { peer: 'MiniSearch, prefixes and typos', asked: names, goal: 100 },
    { peer: 'SQLite FTS5, prefixes', asked: eight, goal: 30 },
  ].filter(({ peer }) => engines.has(peer));
  return [
    ...peers.flatMap(({ peer, asked, goal }) =>
      asked.flatMap((name) => [
        times(`p50 of ${name}`, p50(engines.get(peer), name), p50(own, name), goal, peer),
        times(`p99 of ${name}`, p99(engines.get(peer), name), p99(own, name), goal, peer),
      ]),
    ),
    times('build', mini?.build.build, own.build.build, 6, 'MiniSearch'),
    ...(documents === 10_000 ? [below('update until found', own.build.update, 0.2, 'ms')] : []),
    times('cold start', mini?.load?.cold, own.load?.cold, 40, "MiniSearch's JSON"),
    share('memory after build', own.hold.held, mini?.hold.held),
    share('memory after load', own.weigh?.held, mini?.weigh?.held),
  ];
}

/** What is asked of a million documents. */
function goalsOfMillion(own: Figures): Goal[] {
  const eight = (own.queries ?? []).filter(({ name }) => name.startsWith('8 '));
  return [
    ...eight.map(({ name, p50: value }) => below(`p50 of ${name}`, value, 20, 'ms')),
    below('peak memory of the process', own.peak, 4096, 'MiB'),
  ];
}

function times(
  what: string,
  theirs: number | undefined,
  own: number | undefined,
  goal: number,
  peer: string,
): Goal {
  const ratio = theirs === undefined || own === undefined ? undefined : theirs / own;
  return {
    says: `${what}: ${ratio === undefined ? 'not measured' : `${ratio.toFixed(1)} times as fast as ${peer}`}, goal ${goal}`,
    met: ratio === undefined ? undefined : ratio >= goal,
  };
}

function share(what: string, own: number | undefined, theirs: number | undefined): Goal {
  const ratio = theirs === undefined || own === undefined ? undefined : own / theirs;
  return {
    says: `${what}: ${ratio === undefined ? 'not measured' : `${ratio.toFixed(2)} of MiniSearch's`}, goal 0.25`,
    met: ratio === undefined ? undefined : ratio <= 0.25,
  };
}

function below(what: string, value: number | undefined, goal: number, unit: string): Goal {
  return {
    says: `${what}: ${value === undefined ? 'not measured' : `${value.toFixed(2)} ${unit}`}, goal below ${goal} ${unit}`,
    met: value === undefined ? undefined : value < goal,
  };
}

function p50(measured: Measured | undefined, name: string): number | undefined {
  return measured?.build.queries?.find((query) => query.name === name)?.p50;
}

function p99(measured: Measured | undefined, name: string): number | undefined {
  return measured?.build.queries?.find((query) => query.name === name)?.p99;
}

/** Prints what every engine needed at one size. */
function printSize(queries: readonly string[], measured: AtOneSize): void {
  table(
    ['p50 / p99', ...queries],
    [...measured].map(([name, { build }]) => [name, ...queries.map((query) => sayQuery(build, query))]),
  );
  table(
    ['', 'build', 'update until found', 'cold start', 'memory after build', 'after load', 'file'],
    [...measured].map(([name, { build, hold, load, weigh }]) => [
      name,
      say(build.build, ms),
      say(build.update, ms),
      say(load?.cold, ms),
      say(hold.held, mib),
      say(weigh?.held, mib),
      say(load === undefined ? undefined : build.file, mib),
    ]),
  );
}

/** Prints what one engine needed in one process. */
function printOne(queries: readonly string[], figures: Figures): void {
  table(
    ['build', ...queries.map((name) => `${name}, p50 / p99`), 'update until found', 'memory', 'peak'],
    [
      [
        say(figures.build, ms),
        ...queries.map((name) => sayQuery(figures, name)),
        say(figures.update, ms),
        say(figures.held, mib),
        mib(figures.peak),
      ],
    ],
  );
}

/** Prints a line for each goal. */
function printGoals(goals: readonly Goal[]): void {
  for (const { says, met } of goals)
    console.log(`- ${met === undefined ? 'open' : met ? 'met' : 'missed'}: ${says}`);
  console.log('');
}

function sayQuery(figures: Figures, name: string): string {
  const found = figures.queries?.find((query) => query.name === name);
  return found === undefined ? '–' : `${fine(found.p50)} / ${fine(found.p99)}`;
}

function say(value: number | undefined, unit: (value: number) => string): string {
  return value === undefined ? '–' : unit(value);
}

/** Milliseconds of queries that may take a hundredth of one. */
function fine(value: number): string {
  return value < 1 ? `${value.toFixed(3)} ms` : ms(value);
}

function mib(value: number): string {
  return `${value < 10 ? value.toFixed(1) : value.toFixed(0)} MiB`;
}

/** A peer may use what it needs. */
const HEAP_MIB = 12_288;

type Taken = Record<Job['task'], Figures[]>;

interface Turn {
  readonly kind: EngineKind;
  readonly taken: Taken;
  error: Error | undefined;
}

/**
 * Medians of so many runs of each engine, or the error of the first that fails. Every task of every run has a process of its
 * own, and the engines take turns: a machine that others make slower for a while is slower for all of them.
 */
async function measureEngines(
  kinds: readonly EngineKind[],
  job: Omit<Job, 'task' | 'folder' | 'engine'>,
  runs: number,
): Promise<ReadonlyMap<string, Measured | Error>> {
  const all = kinds.map((kind): Turn => ({ kind, taken: nothingTaken(), error: undefined }));
  for (let run = 0; run < runs; run += 1) {
    for (const one of all) one.error ??= await runOnce(one.kind, job, one.taken);
  }
  return new Map(all.map(({ kind, taken, error }) => [kind.name, error ?? medians(taken)]));
}

/** Adds the figures of one run of an engine to those that were taken before. */
async function runOnce(
  kind: EngineKind,
  job: Omit<Job, 'task' | 'folder' | 'engine'>,
  taken: Taken,
): Promise<Error | undefined> {
  const ofFile = kind.load === undefined ? [] : (['load', 'weigh'] as const);
  return withFolder(async (folder) => {
    for (const task of ['build' as const, ...ofFile, 'hold' as const]) {
      // What holds its index in a file starts from an empty folder.
      const own = join(folder, task === 'hold' ? 'hold' : 'saved');
      await mkdir(own, { recursive: true });
      const measured = await inOwnProcess({ ...job, engine: kind.name, task, folder: own }, HEAP_MIB);
      if (measured instanceof Error) return measured;
      taken[task].push(measured);
    }
    return undefined;
  });
}

function nothingTaken(): Taken {
  return { build: [], hold: [], load: [], weigh: [] };
}

function medians({ build, hold, load, weigh }: Taken): Measured {
  return {
    build: medianOf(build),
    hold: medianOf(hold),
    ...(load.length > 0 && { load: medianOf(load), weigh: medianOf(weigh) }),
  };
}

/** Each figure's median over runs that measured the same things. */
function medianOf(runs: readonly Figures[]): Figures {
  const figure = (pick: (run: Figures) => number | undefined): number | undefined => {
    const values = runs.flatMap((run) => pick(run) ?? []).sort((a, b) => a - b);
    return values[Math.floor(values.length / 2)];
  };
  const [build, update] = [figure((run) => run.build), figure((run) => run.update)];
  const [file, cold] = [figure((run) => run.file), figure((run) => run.cold)];
  const held = figure((run) => run.held);
  const queries = runs[0]?.queries?.map(({ name }, index) => ({
    name,
    p50: figure((run) => run.queries?.[index]?.p50) ?? Number.NaN,
    p99: figure((run) => run.queries?.[index]?.p99) ?? Number.NaN,
  }));
  return {
    ...(build !== undefined && { build }),
    ...(update !== undefined && { update }),
    ...(file !== undefined && { file }),
    ...(cold !== undefined && { cold }),
    ...(held !== undefined && { held }),
    ...(queries !== undefined && { queries }),
    processor: figure((run) => run.processor) ?? Number.NaN,
    peak: figure((run) => run.peak) ?? Number.NaN,
  };
}

const WORKER = join('.cache', 'search-worker.mjs');

/** Bundles what the measuring processes run: the engines and nothing else, so that an empty one is small. */
async function buildWorker(): Promise<void> {
  mkdirSync('.cache', { recursive: true });
  await build({
    entryPoints: [join('bench', 'search-worker.ts')],
    outfile: WORKER,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    // As the headless server is bundled; the peers stay what their packages hold.
    minifySyntax: true,
    // Some packages of the helpers that it shares are CommonJS.
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    },
    logLevel: 'warning',
  });
}

/** Does one job in a process of its own; resolves with its error when the engine cannot do it. */
function inOwnProcess(job: Job, heapMiB: number): Promise<Figures | Error> {
  return new Promise((resolve) => {
    const child = fork(WORKER, [], {
      // Without source maps, as programs run: with them ours took longer, and the peers, which are not in the bundle, did not.
      execArgv: ['--expose-gc', `--max-old-space-size=${heapMiB}`],
      stdio: ['ignore', 'inherit', 'pipe', 'ipc'],
    });
    let errors = '';
    child.stderr?.on('data', (data: Buffer) => (errors += data.toString()));
    child.once('message', ({ figures }: { figures: Figures }) => resolve(figures));
    child.once('exit', (code, signal) => {
      const reason = /^.*Error: .*$/m.exec(errors)?.[0] ?? errors.trim().slice(-300);
      resolve(new Error(`${job.engine} ended with ${signal ?? code}: ${reason}`));
    });
    child.send(job);
  });
}
