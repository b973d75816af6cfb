// Shows that the tests guard the rules: breaks one rule after the other in a copy of the tree (tests/mutations/list.ts), and runs the
// nearest suites, which must fail. `npm run mutate [-- <part of an area or a file> ...]`
import { execFileSync, spawn } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync } from 'node:fs';
import { rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { type Mutation, MUTATIONS } from '../tests/mutations/list';

/** The part of the mutations that must be noticed. */
const REQUIRED = 0.95;
/** A suite that takes longer hangs, which is noticed too (ms). */
const LIMIT_MS = 300_000;
const BASE_LIMIT_MS = 3_600_000;

/** What Jest writes with `--json`. */
interface Report {
  readonly testResults: readonly {
    readonly name: string;
    readonly assertionResults: readonly { readonly status: string }[];
  }[];
}

interface Outcome {
  readonly passed: boolean;
  readonly output: string;
  /** Null for a run that was ended at its limit. */
  readonly report: Report | null;
}

/** Copies all files that are not ignored, as they are now, to a temporary folder, and has it use the packages of this one. */
function copyTree(): string {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'brain-mutate-')));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard']);
  for (const file of listed.toString().split('\0')) {
    if (file === '' || !existsSync(file)) continue;
    const to = path.join(folder, file);
    mkdirSync(path.dirname(to), { recursive: true });
    copyFileSync(file, to);
  }
  symlinkSync(realpathSync('node_modules'), path.join(folder, 'node_modules'), 'junction');
  return folder;
}

/** Runs suites in the copy. */
function runJest(folder: string, suites: readonly string[], limitMs: number): Promise<Outcome> {
  const written = path.join(folder, '.cache', 'report.json');
  rmSync(written, { force: true });
  const jest = path.join(folder, 'node_modules', 'jest', 'bin', 'jest.js');
  const options = ['--bail', '-w', '1', '--json', `--outputFile=${written}`, '--cacheDirectory=.cache/jest'];
  const child = spawn(process.execPath, [jest, ...options, '--runTestsByPath', ...suites], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
    timeout: limitMs,
    killSignal: 'SIGKILL',
  });
  let output = '';
  child.stderr.on('data', (part: Buffer) => (output += part.toString()));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => {
      const text = existsSync(written) ? readFileSync(written, 'utf8') : null;
      // Jest writes it.
      const report = text === null ? null : (JSON.parse(text) as Report);
      resolve({ passed: code === 0, output, report });
    });
  });
}

/** Runs all suites without a mutation; returns those of which a test has run here, and ends the process when one fails. */
async function runnable(folder: string, suites: readonly string[]): Promise<ReadonlySet<string>> {
  const { passed, output, report } = await runJest(folder, suites, BASE_LIMIT_MS);
  if (!passed || report === null) {
    console.error(`${output}\nThe suites fail without a mutation. Mend them first.`);
    process.exit(1);
  }
  return new Set(
    report.testResults
      .filter(({ assertionResults }) => assertionResults.some(({ status }) => status === 'passed'))
      .map(({ name }) => path.relative(folder, name).split(path.sep).join('/')),
  );
}

/** Puts a mutation into the copy, runs its suites and takes it back. */
async function outcomeOf(folder: string, mutation: Mutation): Promise<'killed' | 'survived' | 'broken'> {
  const file = path.join(folder, mutation.file);
  const text = readFileSync(file, 'utf8');
  writeFileSync(
    file,
    text.replace(mutation.find, () => mutation.replace),
  );
  const { passed, report } = await runJest(folder, mutation.suites, LIMIT_MS);
  writeFileSync(file, text);
  if (passed) return 'survived';
  // A file that cannot be loaded fails every suite and shows nothing.
  const failed = report?.testResults.some(({ assertionResults }) =>
    assertionResults.some(({ status }) => status === 'failed'),
  );
  return failed === false ? 'broken' : 'killed';
}

function seconds(since: number): string {
  return `${((performance.now() - since) / 1000).toFixed(1)} s`;
}

async function main(): Promise<void> {
  const asked = process.argv.slice(2);
  const chosen = MUTATIONS.filter(
    ({ area, file }) =>
      asked.length === 0 || asked.some((part) => area.includes(part) || file.includes(part)),
  );
  const lost = chosen.filter(({ file, find }) => readFileSync(file, 'utf8').split(find).length !== 2);
  for (const { file, find } of lost) console.error(`${file} does not hold this exactly once: ${find}`);
  if (lost.length > 0 || chosen.length === 0) {
    console.error(
      'Nothing was run. Correct tests/mutations/list.ts, or ask for an area or a file that it names.',
    );
    process.exit(1);
  }

  const began = performance.now();
  const folder = copyTree();
  const suites = [...new Set(chosen.flatMap((mutation) => mutation.suites))].sort();
  const usable = await runnable(folder, suites);
  console.log(`Without a mutation all tests pass; suites: ${suites.length} (${seconds(began)})`);

  const counts = { killed: 0, survived: 0, broken: 0, skipped: 0 };
  const survivors: string[] = [];
  for (const mutation of chosen) {
    const { area, what, file } = mutation;
    const start = performance.now();
    const isUsable = mutation.suites.some((suite) => usable.has(suite));
    const outcome = isUsable ? await outcomeOf(folder, mutation) : 'skipped';
    counts[outcome] += 1;
    const line = `${area}: ${what} (${file})`;
    console.log(`${outcome.padEnd(8)} ${seconds(start).padStart(8)}  ${line}`);
    if (outcome === 'survived' || outcome === 'broken') survivors.push(line);
  }

  const run = chosen.length - counts.skipped;
  const rate = run === 0 ? 0 : counts.killed / run;
  const skipped =
    counts.skipped === 0 ? '' : `; ${counts.skipped} not run, as this machine skips their suites`;
  const share = `${(100 * rate).toFixed(1)} %`;
  console.log(`\n${counts.killed} of ${run} mutations were killed (${share}) in ${seconds(began)}${skipped}`);
  for (const line of survivors) console.log(`not killed: ${line}`);
  if (rate < REQUIRED) process.exitCode = 1;
}

await main();
