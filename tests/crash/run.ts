import { runInboxKill } from './inbox-kill';
import { runKillLoop } from './kill-loop';

/**
 * `npm run crash [-- rounds writes clients seed]`: the kill loop at any length, its seed printed;
 * `npm run crash -- inbox [rounds files kills seed]`: the same for the drain of the inbox.
 */
async function main(): Promise<void> {
  const [what, ...numbers] = process.argv.slice(2);
  await (what === 'inbox' ? inbox(numbers) : writes(process.argv.slice(2)));
}

async function inbox(numbers: readonly string[]): Promise<void> {
  const [rounds = 4, files = 200, kills = 5, seed = Date.now() % 1e9] = numbers.map(Number);
  console.log(`inbox: ${rounds} rounds of ${files} files and ${kills} kills, seed ${seed}`);
  const report = (line: string) => console.log(line);
  const result = await runInboxKill({ rounds, files, kills, seed, report });
  const { processed, quarantined, problems } = result;
  for (const problem of problems) console.log(`  ${problem}`);
  console.log(`${processed} processed, ${quarantined} quarantined, ${problems.length} problems`);
  process.exitCode = problems.length === 0 ? 0 : 1;
}

async function writes(numbers: readonly string[]): Promise<void> {
  const [rounds = 20, writesPerRound = 500, clients = 8, seed = Date.now() % 1e9] = numbers.map(Number);
  console.log(
    `kill loop: ${rounds} rounds of ${writesPerRound} writes from ${clients} clients, seed ${seed}`,
  );
  const result = await runKillLoop({
    rounds,
    writesPerRound,
    clients,
    seed,
    report: (line) => console.log(line),
  });
  const { acknowledged, inFlight, problems } = result;
  console.log(`${acknowledged} acknowledged, ${inFlight} in flight at a kill, ${problems.length} problems`);
  process.exitCode = problems.length === 0 ? 0 : 1;
}

void main();
