import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { call, ms, randomFrom, serve, table, textOf, withFolder } from './support';

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

/** Milliseconds from starting the process to the answer of the first query. */
export async function benchStart(sizes: readonly number[]): Promise<void> {
  console.log('## Start of the server to the first answer\n');
  const rows: string[][] = [];
  for (const notes of sizes) {
    await withFolder(async (folder) => {
      const [vault, config] = [join(folder, 'vault'), join(folder, 'config')];
      await makeVault(vault, notes);
      for (const run of ['first start', 'second start']) {
        const start = performance.now();
        const served = await serve(vault, config, 'bench-token');
        let answer = await call(served, 'bench-token', 'POST', '/query', { query: 'note 7' });
        while (answer.status === 503)
          answer = await call(served, 'bench-token', 'POST', '/query', { query: 'note 7' });
        const total = performance.now() - start;
        if (answer.status !== 200) throw new Error(`the first query answered ${answer.status}`);
        rows.push([String(notes), run, ms(served.listening), ms(total)]);
        await served.stop();
      }
    });
  }
  table(['notes', 'run', 'address printed', 'first answer'], rows);
}
