import { mkdir, open, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ingestInboxFile } from '../src/core/inbox/drain';
import { vaultPath } from '../src/core/vocabulary/paths';
import { StopController } from '../src/core/base/concurrency';
import { ms, randomFrom, table, textOf, Timings, withFolder } from './support';
import { openBench, plainDurableWrite, plainRead, syncFolder } from './write';

/** What any program does that adds a line for good to a file that stands. */
async function plainDurableAppend(path: string, line: string): Promise<void> {
  const file = await open(path, 'a');
  try {
    await file.writeFile(line);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function plainDurableMove(from: string, to: string): Promise<void> {
  await rename(from, to);
  await syncFolder(dirname(to));
  await syncFolder(dirname(from));
}

/** Markdown files of the inbox through the whole pipeline, one at a time, in turns with the bare file operations they need. */
export async function benchMarkdown(count: number): Promise<void> {
  await withFolder(async (folder) => {
    const [vault, bare] = [join(folder, 'vault'), join(folder, 'bare')];
    for (const made of ['vault/inbox', 'bare/inbox', 'bare/raw', 'bare/processed'])
      await mkdir(join(folder, made), { recursive: true });
    const ledger = join(bare, 'ledger.jsonl');
    await writeFile(ledger, '');
    const opened = await openBench(vault);
    const random = randomFrom(11);
    const [ours, same, oursCpu, sameCpu] = [new Timings(), new Timings(), new Timings(), new Timings()];
    const stop = new StopController();
    for (let n = 0; n < count; n += 1) {
      const name = `note-${n}.md`;
      const text = `# Note ${n}\n\n${textOf(550, random)}\n`;
      for (const inbox of [join(vault, 'inbox'), join(bare, 'inbox')])
        await plainDurableWrite(join(inbox, name), text);
      await oursCpu.timeCpu(() =>
        ours.time(async () => {
          const trouble = await ingestInboxFile(opened.brain, vaultPath(`inbox/${name}`), stop);
          if (trouble !== null) throw new Error(trouble.message);
        }),
      );
      const [page] = opened.brain.catalog.pathsBelow('raw/').filter((path) => path.endsWith(`-note-${n}.md`));
      const [line] = (await readFile(join(vault, '.brain/ledger.bench000.jsonl'), 'utf8'))
        .split('\n')
        .slice(-2);
      const made = await plainRead(join(vault, page ?? ''));
      await sameCpu.timeCpu(() =>
        same.time(async () => {
          await plainRead(join(bare, 'inbox', name));
          await plainDurableWrite(join(bare, 'raw', name), made);
          await plainDurableAppend(ledger, `${line}\n`);
          await plainDurableMove(join(bare, 'inbox', name), join(bare, 'processed', `${name}.txt`));
        }),
      );
    }
    await opened.closeAll();
    console.log(
      `## Ingest of ${count} Markdown files of about 4 KiB from the inbox, without a language model\n\n` +
        'Against the same bytes read, written, appended to the ledger and moved, with the same syncs, in turns.\n',
    );
    const row = (arm: string, timings: Timings, cpu: Timings) => [
      arm,
      ms(timings.quantile(0.5)),
      ms(timings.quantile(0.99)),
      (1000 / timings.mean).toFixed(0),
      (timings.quantile(0.5) / same.quantile(0.5)).toFixed(2),
      (timings.mean / same.mean).toFixed(2),
      ms(cpu.quantile(0.5)),
    ];
    table(
      [
        'arm',
        'p50',
        'p99',
        'per second',
        'p50 to the same',
        'mean to the same (goal: within 2)',
        'processor, p50',
      ],
      [row('the same bytes and syncs', same, sameCpu), row('ingest', ours, oursCpu)],
    );
  });
}
