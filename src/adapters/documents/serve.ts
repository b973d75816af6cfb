import { BrainError } from '../../core/errors';
import type { Answer, Job, ReadCharacterMap, Refusal } from './protocol';
import { readDocument } from './read-document';

/** How the thread is spoken to; its host writes these few lines (`node-thread.ts`, `web-thread.ts`). */
export interface ThreadPort {
  /** Calls `listener` with the one job of this thread. */
  onJob(listener: (job: Job) => void): void;
  answer(answer: Answer): void;
  readonly characterMaps: ReadCharacterMap;
}

/** Reads the document that the port brings and answers what it says, or why it cannot be read. */
export function serve(port: ThreadPort): void {
  port.onJob((job) => {
    readDocument(job, port.characterMaps).then(
      (text) => port.answer({ text }),
      (error: unknown) => port.answer({ error: told(error, job.name) }),
    );
  });
}

function told(error: unknown, name: string): Refusal {
  if (error instanceof BrainError) return { code: error.code, message: error.message };
  const cause = String(error);
  if (error instanceof RangeError)
    return {
      code: 'too_large',
      message: `${name} is nested too deep or unpacks to too much to be read. Save its text by itself and ingest that.`,
      cause,
    };
  return {
    code: 'unsupported_type',
    message: `${name} is damaged, so that it cannot be read. Open it, save it again, and ingest that.`,
    cause,
  };
}
