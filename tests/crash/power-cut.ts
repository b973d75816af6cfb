import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { randomFrom, serve, type Served } from '../../bench/support';
import { TOKEN } from './kill-client';
import { Inspector } from './kill-inspect';
import { drive, type Known, seedQueue } from './kill-traffic';

const run = promisify(execFile);

/** File systems that the power can be cut of, with what makes them, and the smallest image they fit into, in MiB. */
const SYSTEMS = {
  ext4: { make: ['mkfs.ext4', '-q', '-F'], size: 256 },
  xfs: { make: ['mkfs.xfs', '-q', '-f'], size: 512 },
  btrfs: { make: ['mkfs.btrfs', '-q', '-f'], size: 512 },
} as const;
export type SystemName = keyof typeof SYSTEMS;

export function isSystem(name: string): name is SystemName {
  return name in SYSTEMS;
}

export interface PowerCutOptions {
  readonly system: SystemName;
  readonly rounds: number;
  readonly writesPerRound: number;
  readonly clients: number;
  readonly seed: number;
  readonly report?: (line: string) => void;
}

export interface PowerCutResult {
  readonly acknowledged: number;
  readonly problems: readonly string[];
  /** Files that were written without a sync right before the cuts, and how many of them did not outlast them. */
  readonly unsynced: { readonly written: number; readonly lost: number };
}

/** Files of a control group. */
const CONTROLS = 20;

/** Why the power cannot be cut on this machine, or null. */
export async function whyNot(system: SystemName): Promise<string | null> {
  if (process.platform !== 'linux') return 'it needs Linux, for loop devices';
  if (process.getuid?.() !== 0) return 'it needs root, to mount an image';
  const [tool] = SYSTEMS[system].make;
  const folder = await mkdtemp(join(tmpdir(), 'brain-power-'));
  const disk = new Disk(folder, system);
  try {
    await disk.make();
    await disk.mount();
    return null;
  } catch (error) {
    return `${tool}, losetup or mount does not work here: ${String(error).split('\n', 1)[0]}`;
  } finally {
    await disk.discard();
  }
}

/**
 * Cuts the power in the middle of mixed writes, as far as software can: the vault lies on a file system in an image, and at
 * the kill the image is copied before the system writes back what nobody has synced. What the copy holds is what a disk
 * would. It is mounted, which replays the file system's own journal, and looked at as after a kill.
 */
export async function runPowerCut(options: PowerCutOptions): Promise<PowerCutResult> {
  const { system, rounds, writesPerRound, clients, seed, report = () => undefined } = options;
  const folder = await mkdtemp(join(tmpdir(), 'brain-power-'));
  const disk = new Disk(folder, system);
  const vault = join(disk.top, 'vault');
  const random = randomFrom(seed);
  const notes = new Map<string, Known>();
  const inspector = new Inspector(vault);
  const servers: Served[] = [];
  const start = async (): Promise<Served> => {
    const server = await serve(vault, join(folder, 'config'), TOKEN);
    servers.push(server);
    return server;
  };
  const problems: string[] = [];
  const unsynced = { written: 0, lost: 0 };
  let acknowledged = 0;
  try {
    await disk.make();
    await disk.mount();
    for (const each of ['raw', 'wiki']) await mkdir(join(vault, each), { recursive: true });
    for (let number = 0; number < rounds; number += 1) {
      const killAfter = Math.floor((0.2 + random() * 0.7) * writesPerRound);
      const round = { number, writesPerRound, clients, killAfter, random };
      await seedQueue(vault, notes, round);
      // What a person has put there is not ours to sync.
      await run('sync', ['-f', vault]);
      const server = await start();
      const traffic = await drive(server, notes, round);
      const controls = await writeControls(disk.top, number);
      await disk.cutPower();
      acknowledged += traffic.acknowledged;
      unsynced.written += controls.length;
      unsynced.lost += await countLost(controls);
      const again = await start();
      // Other inodes may have the numbers and times of those that were seen before the cut.
      const found = await inspector.inspect(notes, again, traffic, true);
      await again.stop();
      found.push(...(await inspector.litter()));
      servers.length = 0;
      problems.push(...found.map((problem) => `cut ${number + 1}: ${problem}`));
      for (const problem of found) report(`  ${problem}`);
      report(
        `cut ${number + 1}: after ${traffic.acknowledged} acknowledged, ${traffic.unanswered} in flight, ${found.length} problems`,
      );
    }
    return { acknowledged, problems, unsynced };
  } finally {
    inspector.close();
    for (const server of servers) {
      server.process.kill('SIGKILL');
      await server.exited;
    }
    await disk.discard();
  }
}

/** Files that nobody syncs: a cut that loses none of them would prove nothing. */
async function writeControls(top: string, round: number): Promise<string[]> {
  const paths = Array.from({ length: CONTROLS }, (_, n) => join(top, `control-${round}-${n}`));
  for (const path of paths) await writeFile(path, path);
  return paths;
}

async function countLost(paths: readonly string[]): Promise<number> {
  let lost = 0;
  for (const path of paths) {
    const text = await readFile(path, 'utf8').catch(() => '');
    if (text !== path) lost += 1;
  }
  return lost;
}

/** A file system in an image. */
class Disk {
  /** Where it is mounted. */
  readonly top: string;
  #images = 0;
  #isMounted = false;

  constructor(
    private readonly folder: string,
    private readonly system: SystemName,
  ) {
    this.top = join(folder, 'mounted');
  }

  async make(): Promise<void> {
    const { make, size } = SYSTEMS[this.system];
    const [tool, ...options] = make;
    await mkdir(this.top);
    const image = await open(this.#image(), 'w');
    await image.truncate(size * 1024 * 1024);
    await image.close();
    await run(tool, [...options, this.#image()]);
  }

  async mount(): Promise<void> {
    await run('mount', ['-o', 'loop', this.#image(), this.top]);
    this.#isMounted = true;
  }

  /** Goes on with what is in the image at this moment, without what the system has not written back. */
  async cutPower(): Promise<void> {
    const before = this.#image();
    this.#images += 1;
    await copyFile(before, this.#image());
    await this.#unmount();
    await rm(before);
    await this.mount();
  }

  async discard(): Promise<void> {
    await this.#unmount();
    await rm(this.folder, { recursive: true, force: true });
  }

  async #unmount(): Promise<void> {
    if (this.#isMounted) await run('umount', [this.top]);
    this.#isMounted = false;
  }

  #image(): string {
    return join(this.folder, `disk-${this.#images}.img`);
  }
}
