import { appendFile, mkdir, open, rename, unlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Caller } from '../src/core/access/tokens';
import { settleConfig } from '../src/core/config/config';
import { writeNote } from '../src/core/notes/write';
import { openBrain, type OpenedBrain } from '../src/core/vault/open';
import { fakeDocuments } from '../tests/support/fake-documents';
import { perform } from '../src/core/operation/operation';
import { promoteNote } from '../src/core/review/promote';
import { openStorage } from '../src/adapters/vault/storage';
import { vaultPath } from '../src/core/vocabulary/paths';
import { ms, randomFrom, table, textOf, Timings, withFolder } from './support';

const caller: Caller = {
  origin: 'http',
  name: 'bench',
  human: false,
  scopes: new Set(['read', 'write', 'review']),
};

/** What any program does that wants its bytes to survive a power cut: temporary file, sync, rename, sync the folder. */
export async function plainDurableWrite(path: string, text: string): Promise<void> {
  const temporary = `${path}.tmp`;
  const file = await open(temporary, 'wx', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(temporary, path);
  await syncFolder(dirname(path));
}

/** What a program does that only wants no torn file: enough for a wing map, which is derived. */
async function plainReplace(path: string, text: string): Promise<void> {
  await writeFile(`${path}.tmp`, text);
  await rename(`${path}.tmp`, path);
}

export async function plainRead(path: string): Promise<string> {
  const file = await open(path, 'r');
  try {
    return await file.readFile('utf8');
  } finally {
    await file.close();
  }
}

export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

export async function openBench(folder: string): Promise<OpenedBrain & { closeAll(): Promise<void> }> {
  const clock = { now: () => new Date() };
  const log = {
    debug: () => undefined,
    info: () => undefined,
    warn: () => undefined,
    error: () => undefined,
  };
  const storage = await openStorage(folder, { device: 'bench000', clock, log, watch: false });
  const opened = await openBrain(
    { ...storage, clock, log, documents: fakeDocuments() },
    settleConfig({ BRAIN_RATE_LIMIT: '0' }),
    {
      device: 'bench000',
      version: 'bench',
      sleep: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds).unref()),
      breathe: () => new Promise((resolve) => setImmediate(resolve)),
    },
  );
  await opened.loaded;
  return {
    ...opened,
    async closeAll() {
      await opened.close();
      await storage.close();
    },
  };
}

interface Arm {
  readonly name: string;
  readonly timings: Timings;
}

/** Prints a table; the last arm is that of the service, and the one before it is its floor. */
function report(title: string, arms: readonly Arm[]): void {
  const base = arms.at(-2);
  console.log(`## ${title}\n`);
  table(
    ['arm', 'p50', 'p99', 'per second', 'p50 to the floor', 'mean to the floor'],
    arms.map(({ name, timings }) => [
      name,
      ms(timings.quantile(0.5)),
      ms(timings.quantile(0.99)),
      (1000 / timings.mean).toFixed(0),
      (timings.quantile(0.5) / (base?.timings.quantile(0.5) ?? 1)).toFixed(2),
      (timings.mean / (base?.timings.mean ?? 1)).toFixed(2),
    ]),
  );
}

/** The most that a write and a promotion may take, as multiples of their floors (p50). */
const GOALS = { write: 1.5, promote: 1.6 };
const STEP = 250;

/**
 * Writes and promotions through the whole core, one at a time, in turns with their floors: plain file operations with as many bytes
 * and as many syncs as the design needs, one after the other.
 */
export async function benchWrite(count: number): Promise<void> {
  await withFolder(async (folder) => {
    const vault = join(folder, 'vault');
    const bare = join(folder, 'bare');
    for (const made of [vault, bare, join(bare, 'wiki'), join(bare, 'raw'), join(bare, 'journal')])
      await mkdir(made);
    const opened = await openBench(vault);
    const { brain } = opened;
    const random = randomFrom(1);
    const write = { note: new Timings(), both: new Timings(), floor: new Timings(), ours: new Timings() };
    const cpu = { floor: new Timings(), ours: new Timings() };
    const promote = { floor: new Timings(), ours: new Timings() };
    for (let n = 0; n < count; n += 1) {
      if (n % STEP === 0) console.error(`writing notes: ${n} of ${count}`);
      const content = `# Note ${n}\n\n${textOf(550, random)}\n`;
      const input = { wing: `wing-${n % 10}`, hall: 'facts', slug: `note-${n}`, content };
      const answer = await cpu.ours.timeCpu(() =>
        write.ours.time(() => perform(brain, writeNote, input, caller)),
      );
      const written = await plainRead(join(vault, answer.path));
      const map = await plainRead(join(vault, answer.index ?? ''));
      await write.note.time(() => plainDurableWrite(join(bare, 'wiki', `alone-${n}.md`), written));
      await write.both.time(async () => {
        await plainDurableWrite(join(bare, 'wiki', `both-${n}.md`), written);
        await plainDurableWrite(join(bare, 'wiki', `both-map-${n % 10}.md`), map);
      });
      await cpu.floor.timeCpu(() =>
        write.floor.time(async () => {
          await plainDurableWrite(join(bare, 'wiki', `note-${n}.md`), written);
          await appendFile(join(bare, 'journal', 'changes.jsonl'), `${JSON.stringify(answer.path)}\n`);
          await plainReplace(join(bare, 'wiki', `map-${n % 10}.md`), map);
        }),
      );
    }
    report(`Write: ${count} notes of about 4 KiB, index and wing map refreshed`, [
      { name: 'the note alone: 2 syncs', timings: write.note },
      { name: 'note and wing map, both synced: 4 syncs', timings: write.both },
      {
        name: 'floor: note, line of the change log, wing map; only the note synced: 2 syncs',
        timings: write.floor,
      },
      { name: 'write operation: the same bytes, 2 syncs', timings: write.ours },
    ]);
    const [spent, needed] = [ms(cpu.ours.quantile(0.5)), ms(cpu.floor.quantile(0.5))];
    const ratio = (write.ours.quantile(0.5) / write.both.quantile(0.5)).toFixed(2);
    console.log(
      `Goal: ${GOALS.write} times the floor. To note and wing map, both synced: ${ratio}. Processor time of the process, p50: ${spent} (floor: ${needed}).\n`,
    );
    const raw = Math.ceil(count / 3);
    for (let n = 0; n < raw; n += 1) {
      if (n % STEP === 0) console.error(`promoting notes: ${n} of ${raw}`);
      const text = `# Raw ${n}\n\n${textOf(550, random)}\n`;
      const name = `2026-11-01-raw-${n}.md`;
      await plainDurableWrite(join(bare, 'raw', name), text);
      await brain.vault.create(vaultPath(`raw/${name}`), text);
      const input = { path: `raw/${name}`, wing: `promoted-${n % 10}`, hall: 'hypotheses' };
      const answer = await promote.ours.time(() => perform(brain, promoteNote, input, caller));
      const promoted = await plainRead(join(vault, answer.path));
      const map = await plainRead(join(vault, answer.index));
      // The same reads, writes and syncs: the raw note read, kept in the history, announced in the journal,
      // the new note written and read back, the raw note removed and its folder synced; the wing map, the line of the change
      // log and the note of where it came from written without a sync.
      await promote.floor.time(async () => {
        const old = await plainRead(join(bare, 'raw', name));
        await plainDurableWrite(join(bare, 'journal', `history-${n}.md`), old);
        const journal = await open(join(bare, 'journal', 'journal.jsonl'), 'a');
        await journal.writeFile(`${JSON.stringify({ promoted })}\n`);
        await journal.sync();
        await journal.close();
        await plainDurableWrite(join(bare, 'wiki', `raw-${n}.md`), promoted);
        await plainRead(join(bare, 'wiki', `raw-${n}.md`));
        await unlink(join(bare, 'raw', name));
        await syncFolder(join(bare, 'raw'));
        await appendFile(join(bare, 'journal', 'journal.jsonl'), '{"done":"x"}\n');
        await appendFile(join(bare, 'journal', 'changes.jsonl'), `${JSON.stringify(answer.path)}\n`);
        await appendFile(join(bare, 'journal', 'promotions.jsonl'), `${JSON.stringify(answer)}\n`);
        await plainReplace(join(bare, 'wiki', `promoted-${n % 10}.md`), map);
      });
    }
    report(`Promote without tunnels: ${raw} notes of about 4 KiB`, [
      { name: 'floor: the same reads and writes, 6 syncs one after the other', timings: promote.floor },
      { name: 'promote operation: 6 syncs', timings: promote.ours },
    ]);
    console.log(`Goal: ${GOALS.promote} times the floor.\n`);
    await opened.closeAll();
  });
}
