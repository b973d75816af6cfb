import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { call, ms, randomFrom, serve, type Served, table, textOf, withFolder } from './support';

const HALLS = ['facts', 'decisions', 'failures', 'hypotheses', 'sources'];

/** A vault of so many notes in ten wings, made without the service. */
export async function makeVault(folder: string, notes: number): Promise<void> {
  const random = randomFrom(7);
  for (let n = 0; n < notes; n += 1) {
    const [wing, hall] = [`wing-${n % 10}`, HALLS[n % 5] ?? 'facts'];
    const path = join(folder, 'wiki', wing, hall, `note-${n}.md`);
    if (n < 50) await mkdir(join(folder, 'wiki', wing, hall), { recursive: true });
    const head = `---\nwing: ${wing}\nhall: ${hall}\ncreated_at: 2026-01-01T00:00:00Z\n---\n# Note ${n}\n\n`;
    await writeFile(path, head + textOf(300, random));
  }
}

/** Where the server keeps the snapshot of a vault when the device has this name. */
const DEVICE = 'bench000';
const SNAPSHOT = ['.brain', `local.${DEVICE}`, 'catalog.bin'];

/** The ways to start: the first time, with the snapshot that the run before has left, and without it. */
const STARTS = ['first start', 'with a snapshot', 'snapshot taken away'] as const;

/**
 * Prints for each vault the milliseconds from starting the process to the answer of the first query, and until all notes are
 * read, beside a plain reading of the same files: each with `readFile`, sixteen at a time.
 * @param vaults numbers of notes to make, or folders, of which a copy is read
 */
export async function benchStart(vaults: readonly (number | string)[]): Promise<void> {
  console.log('## Start of the server to the first answer\n');
  const rows: string[][] = [];
  for (const made of vaults) {
    await withFolder(async (folder) => {
      const [vault, config] = [join(folder, 'vault'), join(folder, 'config')];
      console.error(`making the vault: ${made}`);
      if (typeof made === 'number') await makeVault(vault, made);
      else await cp(made, vault, { recursive: true, filter: (path) => !/\/\.brain(?:\/|$)/.test(path) });
      const snapshot = join(vault, ...SNAPSHOT);
      // What was written in the last two seconds is read again at a start; nobody's vault is that young.
      await new Promise((resolve) => setTimeout(resolve, 3000));
      const floor = await plainReading(vault);
      for (const run of STARTS) {
        console.error(`${run}, ${floor.notes} notes`);
        if (run === 'snapshot taken away') await rm(snapshot);
        const start = performance.now();
        const served = await serve(vault, config, 'bench-token-that-is-long-enough-0123456789', {
          BRAIN_DEVICE: DEVICE,
        });
        const first = await answered(served);
        const total = performance.now() - start;
        while ('reading' in (await answered(served))) await new Promise((resolve) => setTimeout(resolve, 50));
        const whole = performance.now() - start;
        // A server that is stopped earlier leaves no snapshot of a large vault.
        while (!existsSync(snapshot)) await new Promise((resolve) => setTimeout(resolve, 200));
        const memory = await residentMegabytes(served);
        await served.stop();
        const size = `${((await stat(snapshot)).size / 1e6).toFixed(1)} MB`;
        const of = 'reading' in first ? 'a part' : 'all';
        const times = ((whole - served.listening) / floor.milliseconds).toFixed(1);
        rows.push([
          String(floor.notes),
          run,
          ms(served.listening),
          `${ms(total)} of ${of}`,
          `${ms(whole)} (${times} times)`,
          ms(floor.milliseconds),
          size,
          memory,
        ]);
      }
    });
  }
  const read = 'all notes read (behind the address, times the plain reading)';
  table(
    [
      'notes',
      'run',
      'address printed',
      'first answer',
      read,
      'plain reading',
      'snapshot left',
      'resident memory',
    ],
    rows,
  );
}

/** Reads every note of a vault as text and returns their number and the time. */
async function plainReading(vault: string): Promise<{ notes: number; milliseconds: number }> {
  const start = performance.now();
  const found = await readdir(vault, { recursive: true, withFileTypes: true });
  const notes = found.filter((entry) => entry.isFile() && entry.name.endsWith('.md'));
  const waiting = notes.values();
  const reader = async (): Promise<void> => {
    for (const note of waiting) await readFile(join(note.parentPath, note.name), 'utf8');
  };
  await Promise.all(Array.from({ length: 16 }, reader));
  return { notes: notes.length, milliseconds: performance.now() - start };
}

/** Returns the resident memory of the server; on Linux alone. */
async function residentMegabytes({ process: { pid } }: Served): Promise<string> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1];
  return kilobytes === undefined ? 'unknown' : `${(Number(kilobytes) / 1000).toFixed(0)} MB`;
}

async function answered(served: Served): Promise<Record<string, unknown>> {
  for (;;) {
    const { status, body } = await call(
      served,
      'bench-token-that-is-long-enough-0123456789',
      'POST',
      '/query',
      { query: 'note 7' },
    );
    if (status === 200) return body;
    if (status !== 503) throw new Error(`the query answered ${status}`);
  }
}
