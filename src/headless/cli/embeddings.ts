import type { Command } from 'commander';
import { setTimeout as sleep } from 'node:timers/promises';
import type { backfillEmbeddings } from '../../core/search/backfill';
import type { status } from '../../core/status/status';
import { type Answer, type Client, clientFrom } from '../terminal/client';
import { FailedAnswer, Interrupted, interruptible, type Io, type Output } from '../terminal/io';
import { counted, oneLine, progressBar, show } from '../terminal/output';
import { ask, wantsJson } from './ask';

/** The timeout of a backfill (ms): a whole vault may have to be embedded, at some ten notes a second. */
const TIMEOUT_MS = 24 * 60 * 60 * 1000;
const LOOK_EVERY_MS = 500;

type Outcome = Answer<typeof backfillEmbeddings>;
type Progress = NonNullable<Answer<typeof status>['hybrid']['progress']>;

/** Adds `brain backfill-embeddings`: it updates the vectors to the notes now. */
export function addEmbeddingsCommand(program: Command, io: Io): void {
  program
    .command('backfill-embeddings')
    .description('bring the embeddings up to date, and wait for it; ends with 1 when notes failed')
    .option('--cancel', 'stop the sync that runs instead; what it has done stands')
    .action(async (_: unknown, command: Command) => {
      if (command.opts<{ readonly cancel?: boolean }>().cancel === true) {
        await ask(io, command, 'cancelBackfill', {}, ({ cancelled }) => [
          cancelled ? 'The sync was stopped.' : 'No sync was running.',
        ]);
        return;
      }
      const client = await clientFrom(io);
      const { reply, stopped } = await interruptible(async (signal) => {
        // What was embedded stands, and the answer tells how many notes that were.
        signal.addEventListener('abort', () => void client.call('cancelBackfill', {}).catch(() => undefined));
        const ended = await withBar(io.stderr, client, () => client.call('backfill', {}, TIMEOUT_MS));
        return { reply: ended, stopped: signal.aborted };
      });
      show(io, wantsJson(command), reply, outcomeLines);
      if (stopped) throw new Interrupted('The sync was stopped. Run it again for the rest.', true);
      const failed = reply.value.errors.length;
      if (failed > 0) throw new FailedAnswer(`${counted(failed, 'error')}. The next sync tries again.`);
    });
}

/** Returns the outcome of a sync as lines of text. */
export function outcomeLines({ added, deleted, errors }: Outcome): string[] {
  return [
    `${counted(added, 'note')} embedded, ${counted(deleted, 'vector')} removed.`,
    ...errors.map(
      ({ path, error }) => `  ${path === undefined ? '' : `${oneLine(path)}: `}${oneLine(error)}`,
    ),
  ];
}

/** Shows the progress of the sync while `work` runs, in a terminal. */
async function withBar<T>(out: Output, client: Client, work: () => Promise<T>): Promise<T> {
  if (out.isTTY !== true) return work();
  const done = new AbortController();
  const drawing = (async () => {
    while (!done.signal.aborted) {
      // A token that may not read the status gets no progress bar.
      const found = await client.call('status').catch(() => null);
      if (found === null) return;
      const { progress } = found.value.hybrid;
      if (progress !== undefined && !done.signal.aborted) out.write(`\r${barOf(progress)}\u001b[K`);
      await sleep(LOOK_EVERY_MS, undefined, { signal: done.signal }).catch(() => undefined);
    }
  })();
  try {
    return await work();
  } finally {
    done.abort();
    await drawing;
    out.write('\r\u001b[K');
  }
}

/** Returns the progress bar: `embedding [#####     ] 12/40`. */
export function barOf({ phase, done, total }: Progress): string {
  return progressBar(phase, { done, total });
}
