import * as z from 'zod';
import type { Caller } from '../access/tokens';
import { BrainError } from '../base/errors';
import type { Watch } from '../base/steps';
import type { Brain } from '../operation/context';
import { readInput } from '../operation/input';
import { type JobState, noJob } from '../operation/jobs';
import { operation } from '../operation/operation';
import {
  type BatchAnswer,
  type BriefFolder,
  briefFolderShape,
  fileAnswerShape,
  type FolderAnswer,
  type IngestAnswer,
  ingestResultShape,
  jobShape,
} from '../operation/shapes';
import { namedWarnings } from '../operation/warnings';
import { ingestPath, ingestText } from './operations';

/** The tool answers within this time (ms): several clients give up on a call after a minute. */
const WAIT_MS = 45_000;
/** The number of listed files: a whole folder would fill the context of a model. */
const MAX_LISTED = 50;
const MAX_WARNINGS = 10;

const { title, source, wing, hall, destination, text } = ingestText.input.shape;
const input = z.strictObject({
  text: text.optional(),
  path: ingestPath.input.shape.path.optional(),
  job: z.string().max(100).optional().describe('Ask for a job that was still running'),
  ...{ title, source, wing, hall, destination },
});
type Ask = z.output<typeof input>;

/**
 * Ingests a text or the files at a path, as `ingest` and `ingest_path` do, and answers with a job when that takes more than 45
 * s; given a job, it waits for it as long. Cancelling the first call cancels the ingest: no other caller knows its job.
 */
export const ingestTool = operation({
  name: 'brain_ingest',
  scope: 'propose',
  mutates: true,
  keyed: 'answer',
  // A call that waits for a job only reads, as over HTTP.
  onlyReads: ({ job }) => job !== undefined,
  input,
  output: z.union([jobShape, briefFolderShape, fileAnswerShape, ingestResultShape]),
  async run(brain, ask, caller, watch = {}) {
    checkChoice(ask);
    if (ask.job !== undefined) return inBrief(await brain.jobs.wait(ask.job, caller, WAIT_MS, watch));
    const { job } = await brain.jobs.start(caller, begin(brain, ask, caller));
    const cancel = async (): Promise<unknown> => brain.jobs.cancel(job, caller);
    // A job that has failed by then tells so below.
    const forget = watch.signal?.onStop(() => void cancel().catch(() => undefined));
    try {
      return inBrief(await brain.jobs.wait(job, caller, WAIT_MS, watch));
    } finally {
      forget?.();
    }
  },
});

/** @throws BrainError `invalid_field` unless the call names exactly one thing to do */
function checkChoice({ text, path, job, ...others }: Ask): void {
  if ([text, path, job].filter((each) => each !== undefined).length !== 1) {
    throw new BrainError('invalid_field', 'Give exactly one of "text", "path" and "job".', { field: 'text' });
  }
  const given = (field: keyof typeof others) => others[field] !== undefined;
  const idle: (keyof typeof others)[] =
    job !== undefined ? ['title', 'source', 'wing', 'hall', 'destination'] : [];
  const ofText: (keyof typeof others)[] = path !== undefined ? ['title', 'source'] : [];
  const field = [...idle, ...ofText].find(given);
  if (field === undefined) return;
  const where =
    job === undefined ? '"text": a file has its own' : 'what is ingested, not with a job that runs already';
  throw new BrainError('invalid_field', `"${field}" goes with ${where}. Leave it out.`, { field });
}

/** Parses the rest of the input by the operation that does the work, and returns how to run it. */
function begin(
  brain: Brain,
  { text, path, job: _, title, source, ...place }: Ask,
  caller: Caller,
): (watch: Watch) => Promise<IngestAnswer> {
  if (path !== undefined) {
    const ask = readInput(ingestPath.input, { path, ...place });
    return async (watch) => outcomeOf(await ingestPath.run(brain, ask, caller, watch));
  }
  const ask = readInput(ingestText.input, { text, title, source, ...place });
  return async (watch) => outcomeOf(await ingestText.run(brain, ask, caller, watch));
}

/** No operation answers with a job of its own here, because none is asked to work in the background. */
function outcomeOf(answer: IngestAnswer | JobState): IngestAnswer {
  if ('job' in answer) throw new Error('an ingest that was waited for went into the background');
  return answer;
}

function inBrief(answer: IngestAnswer | JobState) {
  // The job of an import is its owner's, who asks for it elsewhere.
  if ('import' in answer || 'adopted' in answer) throw noJob();
  if ('skipped' in answer) return briefFolder(answer);
  return 'batch' in answer ? briefBatch(answer) : answer;
}

function briefBatch({ batch, counts, files, errors, warnings, cancelled }: BatchAnswer): BriefFolder {
  const { files: total, ingested, unchanged, empty, failed } = counts;
  const made = files.filter(({ extraction }) => extraction !== 'unchanged');
  const more = Math.max(0, made.length - MAX_LISTED) + Math.max(0, errors.length - MAX_LISTED);
  return {
    path: batch,
    counts: { files: total, ingested, unchanged, skipped: 0, failed: failed + empty },
    files: made.slice(0, MAX_LISTED).map(({ file, pages }) => ({ file, pages })),
    errors: errors.slice(0, MAX_LISTED),
    ...(more > 0 && { more }),
    ...(warnings.length > 0 && { warnings: warnings.slice(0, MAX_WARNINGS) }),
    ...(cancelled === true && { cancelled }),
  };
}

function briefFolder(answer: FolderAnswer): BriefFolder {
  const { path, counts, files, errors, cancelled } = answer;
  const made = files.filter(({ extraction }) => extraction !== 'unchanged');
  const warnings = [...answer.warnings, ...namedWarnings(made)];
  const more = Math.max(0, made.length - MAX_LISTED) + Math.max(0, errors.length - MAX_LISTED);
  return {
    path,
    counts,
    files: made.slice(0, MAX_LISTED).map(({ file, pages }) => ({
      file,
      pages: pages.map(({ title, status, path }) => ({ title, status, ...(path !== undefined && { path }) })),
    })),
    errors: errors.slice(0, MAX_LISTED),
    ...(more > 0 && { more }),
    ...(warnings.length > 0 && { warnings: warnings.slice(0, MAX_WARNINGS) }),
    ...(cancelled === true && { cancelled }),
  };
}
