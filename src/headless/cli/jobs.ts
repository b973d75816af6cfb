import { setTimeout as sleep } from 'node:timers/promises';
import type { followJob } from '../../core/ingest/operations';
import type { JobState } from '../../core/operation/jobs';
import type { Answer, Client, Reply } from '../terminal/client';
import { CommandError, type Output } from '../terminal/io';
import { progressBar } from '../terminal/output';

/** The intervals of asking for the outcome (ms): most jobs end within a moment, later ones are asked for less often. */
const FIRST_LOOK_MS = 50;
const LOOK_EVERY_MS = 500;

/** The outcome of a job. */
export type JobOutcome = Exclude<Answer<typeof followJob>, { job: string }>;

/**
 * Waits for the outcome of a job, and shows its progress in a terminal. The first interrupt (Ctrl-C) cancels the job and
 * waits for what was done by then, the second ends the program.
 * @throws CommandError with the job's error, and when the job was cancelled before anything was done.
 */
export async function waitForJob(client: Client, { job }: JobState, out: Output): Promise<Reply<JobOutcome>> {
  let calledOff: Promise<unknown> | null = null;
  const interrupt = (): void => {
    if (calledOff !== null) process.exit(130);
    // The next request for the outcome shows whether it worked.
    calledOff = client.call('cancelJob', { id: job }).catch(() => undefined);
  };
  process.on('SIGINT', interrupt);
  try {
    for (let pause = FIRST_LOOK_MS; ; pause = Math.min(LOOK_EVERY_MS, pause * 2)) {
      const { value, text } = await client.call('job', { id: job });
      if (!('job' in value)) return { value, text };
      if (value.status === 'cancelled') throw new CommandError('Cancelled before anything was written.');
      if (out.isTTY === true) out.write(`\r${progressBar('ingesting', value)}\u001b[K`);
      await sleep(pause);
    }
  } finally {
    process.off('SIGINT', interrupt);
    if (out.isTTY === true) out.write('\r\u001b[K');
  }
}
