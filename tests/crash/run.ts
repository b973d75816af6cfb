import { parseArgs } from 'node:util';
import { runInboxKill } from './inbox-kill';
import { runKillLoop } from './kill-loop';
import { isSystem, runPowerCut, whyNot } from './power-cut';
import { postgresCluster } from '../support/postgres-cluster';
import { runTeamKill } from './team-kill';

/**
 * `npm run crash [-- rounds writes clients seed]`: the kill loop at any length, its seed printed;
 * `npm run crash -- inbox [rounds files kills seed]`: the same for the drain of the inbox;
 * `npm run crash -- team [hits servers clients seed]`: servers that share a database, killed and frozen, and the database too, with failovers;
 * `npm run crash -- power [ext4|xfs|btrfs cuts writes clients seed]`: with the power cut, on Linux as root.
 * How many writes are acknowledged before a kill is drawn: with `--at-least <count>` the kill loop and the power cut also fail
 * when there were fewer than so many in all, and the inbox when it was left with fewer files to go at its kills.
 */
async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { 'at-least': { type: 'string', default: '0' } },
  });
  const atLeast = numberOf(values['at-least']);
  const [what, ...rest] = positionals;
  if (what === 'team') await team(rest.map(numberOf), atLeast);
  else if (what === 'inbox') await inbox(rest.map(numberOf), atLeast);
  else if (what === 'power') await power(rest, atLeast);
  else await writes(positionals.map(numberOf), atLeast);
}

const report = (line: string) => console.log(line);

function numberOf(text: string): number {
  if (/^\d+$/.test(text)) return Number(text);
  throw new Error(`"${text}" is no number.`);
}

/** Ends the run: badly when something was wrong, or when less was tried than was asked for. */
function conclude(problems: readonly string[], tried: number, atLeast: number): void {
  const isEnough = tried >= atLeast;
  if (!isEnough) console.log(`Too little was tried: ${tried}, and it had to be at least ${atLeast}.`);
  process.exitCode = problems.length === 0 && isEnough ? 0 : 1;
}

async function inbox(numbers: readonly number[], atLeast: number): Promise<void> {
  const [rounds = 4, files = 200, kills = 5, seed = Date.now() % 1e9] = numbers;
  console.log(`inbox: ${rounds} rounds of ${files} files and ${kills} kills, seed ${seed}`);
  const result = await runInboxKill({ rounds, files, kills, seed, report });
  const { interrupted, processed, quarantined, problems } = result;
  for (const problem of problems) console.log(`  ${problem}`);
  console.log(`${processed} processed, ${quarantined} quarantined, ${problems.length} problems`);
  conclude(problems, interrupted, atLeast);
}

async function team(numbers: readonly number[], atLeast: number): Promise<void> {
  const [hits = 50, servers = 3, clients = 16, seed = Date.now() % 1e9] = numbers;
  console.log(
    `team: ${hits} hits of ${servers} servers and their database, ${clients} clients, seed ${seed}`,
  );
  const cluster = await postgresCluster();
  try {
    const result = await runTeamKill({ cluster, servers, clients, hits, seed, report });
    for (const problem of result.problems) console.log(`  ${problem}`);
    const kinds = Object.entries(result.hits).map(([kind, count]) => `${count} ${kind}`);
    console.log(`${result.acknowledged} acknowledged (${result.tools} over MCP), hits: ${kinds.join(', ')}`);
    console.log(`${result.problems.length} problems`);
    conclude(result.problems, result.acknowledged, atLeast);
  } finally {
    cluster.remove();
  }
}

async function power([system = 'ext4', ...rest]: readonly string[], atLeast: number): Promise<void> {
  if (!isSystem(system)) throw new Error(`${system} is none of ext4, xfs and btrfs.`);
  const [rounds = 10, writesPerRound = 400, clients = 16, seed = Date.now() % 1e9] = rest.map(numberOf);
  const reason = await whyNot(system);
  if (reason !== null) {
    console.log(`The power cannot be cut here: ${reason}.`);
    process.exitCode = 1;
    return;
  }
  console.log(
    `power: ${rounds} cuts of ${system}, ${writesPerRound} writes from ${clients} clients, seed ${seed}`,
  );
  const result = await runPowerCut({ system, rounds, writesPerRound, clients, seed, report });
  const { acknowledged, problems, unsynced } = result;
  console.log(`${acknowledged} acknowledged, ${problems.length} problems`);
  console.log(
    `${unsynced.lost} of ${unsynced.written} files that nobody had synced were lost, as they should be`,
  );
  conclude(problems, acknowledged, atLeast);
}

async function writes(numbers: readonly number[], atLeast: number): Promise<void> {
  const [rounds = 20, writesPerRound = 500, clients = 8, seed = Date.now() % 1e9] = numbers;
  console.log(
    `kill loop: ${rounds} rounds of ${writesPerRound} writes from ${clients} clients, seed ${seed}`,
  );
  const result = await runKillLoop({ rounds, writesPerRound, clients, seed, report });
  const { acknowledged, byKind, tools, inFlight, problems } = result;
  const kinds = Object.entries(byKind).map(([kind, count]) => `${count} ${kind}`);
  console.log(`${acknowledged} acknowledged (${kinds.join(', ')}; ${tools} of them over MCP)`);
  console.log(`${inFlight} in flight at a kill, ${problems.length} problems`);
  conclude(problems, acknowledged, atLeast);
}

void main();
