import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomFrom, serve, type Served } from '../../bench/support';
import { TOKEN } from './kill-client';
import { Inspector } from './kill-inspect';
import { drive, type Kind, type Known, seedQueue } from './kill-traffic';

/**
 * Kills the server in the middle of mixed writes over both doors and looks at what is left. Every acknowledged change must
 * be there, every file whole, every note in one place, every version that was ever acknowledged readable by its hash; no
 * temporary file and no open journal; one audit line for each tool call in a chain that is whole; maps and counts right; what
 * has changed found by the search, as it stands now.
 */
export interface KillLoopOptions {
  readonly rounds: number;
  readonly writesPerRound: number;
  readonly clients: number;
  readonly seed: number;
  readonly report?: (line: string) => void;
}

export interface KillLoopResult {
  readonly acknowledged: number;
  readonly byKind: Readonly<Record<Kind, number>>;
  /** Of the acknowledged ones, those over MCP. */
  readonly tools: number;
  readonly inFlight: number;
  readonly problems: readonly string[];
}

/** So often every file is read again, not only those that have changed. */
const THOROUGH_EVERY = 25;

export async function runKillLoop(options: KillLoopOptions): Promise<KillLoopResult> {
  const { rounds, writesPerRound, clients, seed, report = () => undefined } = options;
  const root = await mkdtemp(join(tmpdir(), 'brain-kill-'));
  const vault = join(root, 'vault');
  const problems: string[] = [];
  const byKind = { write: 0, update: 0, promote: 0, reject: 0 };
  const sums = { acknowledged: 0, tools: 0, inFlight: 0 };
  const random = randomFrom(seed);
  const notes = new Map<string, Known>();
  const inspector = new Inspector(vault);
  const servers: Served[] = [];
  const start = async (): Promise<Served> => {
    const server = await serve(vault, join(root, 'config'), TOKEN);
    servers.push(server);
    return server;
  };
  try {
    for (const folder of ['raw', 'wiki']) await mkdir(join(vault, folder), { recursive: true });
    for (let number = 0; number < rounds; number += 1) {
      const killAfter = Math.floor((0.2 + random() * 0.7) * writesPerRound);
      const round = { number, writesPerRound, clients, killAfter, random };
      await seedQueue(vault, notes, round);
      const traffic = await drive(await start(), notes, round);
      sums.acknowledged += traffic.acknowledged;
      sums.inFlight += traffic.unanswered;
      sums.tools += traffic.audited.length;
      for (const kind of ['write', 'update', 'promote', 'reject'] as const)
        byKind[kind] += traffic.byKind[kind];
      const again = await start();
      const isThorough = number % THOROUGH_EVERY === THOROUGH_EVERY - 1 || number === rounds - 1;
      const found = await inspector.inspect(notes, again, traffic, isThorough);
      await again.stop();
      found.push(...(await inspector.litter()));
      problems.push(...found.map((problem) => `round ${number + 1}: ${problem}`));
      servers.length = 0;
      for (const problem of found) report(`  ${problem}`);
      report(
        `round ${number + 1}: killed after ${traffic.acknowledged} acknowledged, ${traffic.unanswered} in flight, ${found.length} problems; ${sums.acknowledged} in all`,
      );
    }
  } finally {
    inspector.close();
    for (const server of servers) server.process.kill('SIGKILL');
    await rm(root, { recursive: true, force: true });
  }
  return { ...sums, byKind, problems };
}
