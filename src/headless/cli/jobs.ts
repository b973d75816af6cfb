import type { Command } from 'commander';
import { setTimeout as sleep } from 'node:timers/promises';
import type { followJob } from '../../core/ingest/operations';
import type { JobState } from '../../core/operation/jobs';
import type { Answer, Client, Reply } from '../terminal/client';
import { Interrupted, interruptible, type Io } from '../terminal/io';
import { type Line, progressBar } from '../terminal/output';
import { ask } from './ask';

/** The intervals of asking for the outcome (ms): most jobs end within a moment, later ones are asked for less often. */
const FIRST_LOOK_MS = 50;
const LOOK_EVERY_MS = 500;

/** The outcome of a job. */
export type JobOutcome = Exclude<Answer<typeof followJob>, { job: string }>;

/** What to do after a job was cancelled. */
export const RESUME =
  'Run the same command again for the rest: what is done is known, and is not done twice.';

/**
 * Waits for the outcome of a job, and shows its progress in a terminal. The first interrupt (Ctrl-C) cancels the job and
 * waits for what was done by then, the second ends the program. `stopped` is true after an interrupt.
 * @throws CommandError with the job's error, Interrupted when it was cancelled before anything was done.
 */
export async function waitForJob(
  client: Client,
  { job }: JobState,
  { stderr, command }: Pick<Io, 'stderr' | 'command'>,
): Promise<{ reply: Reply<JobOutcome>; stopped: boolean }> {
  const shows = stderr.isTTY === true;
  return interruptible(async (signal) => {
    signal.addEventListener('abort', () => {
      stderr.write(
        `${shows ? '\r\u001b[K' : ''}Cancelling job ${job}. Ctrl-C again leaves it running: "${command} job ${job}" looks at it, --cancel stops it.\n`,
      );
      // The next request for the outcome shows whether it worked.
      client.call('cancelJob', { id: job }).catch(() => undefined);
    });
    try {
      for (let pause = FIRST_LOOK_MS; ; pause = Math.min(LOOK_EVERY_MS, pause * 2)) {
        const { value, text } = await client.call('job', { id: job });
        if (!('job' in value)) return { reply: { value, text }, stopped: signal.aborted };
        if (value.status === 'cancelled')
          throw new Interrupted(`Cancelled before anything was written. ${RESUME}`);
        if (shows) stderr.write(`\r${progressBar(value.phase ?? 'ingesting', value)}\u001b[K`);
        await sleep(pause);
      }
    } finally {
      if (shows) stderr.write('\r\u001b[K');
    }
  });
}

/** Adds `brain job`: how far a long ingest is that another command began; `describe` returns an outcome as lines. */
export function addJobCommand(program: Command, io: Io, describe: (outcome: JobOutcome) => Line[]): void {
  program
    .command('job')
    .description('say how far a long ingest is, or cancel it; what it has done stands')
    .argument('<id>', 'as the command that began it has named it')
    .option('--cancel', 'cancel it')
    .action((id: string, _: unknown, command: Command) => {
      const { cancel } = command.opts<{ readonly cancel?: boolean }>();
      return ask(io, command, cancel === true ? 'cancelJob' : 'job', { id }, (value) =>
        'job' in value ? [jobLine(value)] : describe(value),
      );
    });
}

function jobLine({ status, done, total }: JobState): string {
  const state = status === 'cancelled' ? 'Cancelled' : 'Running';
  return total === 0 ? `${state}.` : `${state}: ${done} of ${total} done.`;
}
