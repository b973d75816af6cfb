import { runKillLoop } from './kill-loop';

/** `npm run crash [-- rounds writes clients seed]`: the kill loop at any length, its seed printed. */
async function main(): Promise<void> {
  const [rounds = 20, writesPerRound = 500, clients = 8, seed = Date.now() % 1e9] = process.argv
    .slice(2)
    .map(Number);
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
