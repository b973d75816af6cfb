import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type CorpusChoice, documentsOf, sayCorpus } from './corpus';
import { writeDocuments } from './corpus-file';
import type { EngineKind } from './search-engine';
import { installed, sayEngines } from './search-engines';
import { goalsOf, goalsOfMillion, type Measured } from './search-goals';
import { measureEngines } from './search-measure';
import { buildWorker, inOwnProcess } from './search-process';
import { nameOfLength, type QueryList, queryLists } from './search-queries';
import { printGoals, printOne, printSize } from './search-report';
import type { Job } from './search-worker';
import { withFolder } from './support';

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
