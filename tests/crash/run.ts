import { runInboxKill } from './inbox-kill';
import { runKillLoop } from './kill-loop';
import { isSystem, runPowerCut, whyNot } from './power-cut';

/**
 * `npm run crash [-- rounds writes clients seed]`: the kill loop at any length, its seed printed;
 * `npm run crash -- inbox [rounds files kills seed]`: the same for the drain of the inbox;
 * `npm run crash -- power [ext4|xfs|btrfs cuts writes clients seed]`: with the power cut, on Linux as root.
 */
async function main(): Promise<void> {
  const [what, ...rest] = process.argv.slice(2);
  if (what === 'inbox') await inbox(rest);
  else if (what === 'power') await power(rest);
  else await writes(process.argv.slice(2));
}

const report = (line: string) => console.log(line);

async function inbox(numbers: readonly string[]): Promise<void> {
  const [rounds = 4, files = 200, kills = 5, seed = Date.now() % 1e9] = numbers.map(Number);
  console.log(`inbox: ${rounds} rounds of ${files} files and ${kills} kills, seed ${seed}`);
  const result = await runInboxKill({ rounds, files, kills, seed, report });
  const { processed, quarantined, problems } = result;
  for (const problem of problems) console.log(`  ${problem}`);
  console.log(`${processed} processed, ${quarantined} quarantined, ${problems.length} problems`);
  process.exitCode = problems.length === 0 ? 0 : 1;
}

async function power([system = 'ext4', ...numbers]: readonly string[]): Promise<void> {
  if (!isSystem(system)) throw new Error(`${system} is none of ext4, xfs and btrfs.`);
  const [rounds = 10, writesPerRound = 400, clients = 16, seed = Date.now() % 1e9] = numbers.map(Number);
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
  process.exitCode = problems.length === 0 ? 0 : 1;
}

async function writes(numbers: readonly string[]): Promise<void> {
  const [rounds = 20, writesPerRound = 500, clients = 8, seed = Date.now() % 1e9] = numbers.map(Number);
  console.log(
    `kill loop: ${rounds} rounds of ${writesPerRound} writes from ${clients} clients, seed ${seed}`,
  );
  const result = await runKillLoop({ rounds, writesPerRound, clients, seed, report });
  const { acknowledged, byKind, tools, inFlight, problems } = result;
  const kinds = Object.entries(byKind).map(([kind, count]) => `${count} ${kind}`);
  console.log(`${acknowledged} acknowledged (${kinds.join(', ')}; ${tools} of them over MCP)`);
  console.log(`${inFlight} in flight at a kill, ${problems.length} problems`);
  process.exitCode = problems.length === 0 ? 0 : 1;
}

void main();
