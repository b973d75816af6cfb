import * as z from 'zod';
import type { Brain } from '../brain';
import type { Caller } from '../caller';
import { operation } from '../operation';
import type { Watch } from '../progress';
import { type IngestAnswer, ingestAnswerShape, jobShape } from './ingest-answers';
import type { JobState } from './jobs';

const input = z.strictObject({ id: z.string().max(100).describe('From the answer that named the job') });
const output = z.union([jobShape, ingestAnswerShape]);

/**
 * The outcome of a job, or how far it is. What the job failed with, this fails with. Fails with `not_found` when the caller
 * has no such job.
 */
export const followJob = operation({
  name: 'job',
  scope: 'propose',
  mutates: false,
  early: true,
  input,
  output,
  run: async (brain, { id }, caller) => brain.jobs.look(id, caller),
});

/**
 * Calls a job off: it stops at its next step, and what it has written stands. Answers as `job` does; one that has ended stays
 * as it is.
 */
export const cancelJob = operation({
  name: 'cancel_job',
  scope: 'propose',
  mutates: false,
  early: true,
  input,
  output,
  run: async (brain, { id }, caller) => brain.jobs.cancel(id, caller),
});

export const backgroundField = z
  .boolean()
  .optional()
  .describe('Answer at once with a job, and go on without the caller');

/**
 * Does the work for a caller who waits for it, or, in the background, begins a job that does and answers with it.
 * @throws BrainError `busy`, with nothing done, when as many wait as may, or when this caller has as many jobs as it may
 */
export async function perhapsInBackground<Result extends IngestAnswer>(
  brain: Brain,
  call: {
    readonly caller: Caller;
    readonly background: boolean | undefined;
    readonly watch: Watch | undefined;
  },
  work: (watch: Watch) => Promise<Result>,
): Promise<Result | JobState> {
  if (call.background === true) return brain.jobs.start(call.caller, work);
  return brain.fileTurns.admit(() => work(call.watch ?? {}));
}
