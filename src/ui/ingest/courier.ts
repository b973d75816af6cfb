import type { IngestAnswer } from '../../core/ingest/ingest-answers';
import type { JobState } from '../../core/ingest/jobs';
import type { BrainClient } from '../client';
import type { FileIngest } from '../host';
import { folderOutcome, type Outcome, outcomeOf } from './outcome';

/** A source as the service takes it. */
export type Source =
  /** `label` says where the text is from: the name of its file. */
  | { readonly kind: 'text'; readonly text: string; readonly title?: string; readonly label?: string }
  /** A file or folder of the vault. */
  | { readonly kind: 'path'; readonly path: string }
  /** A note of the queue that was passed through, as it was seen: the model is to make pages of its source. */
  | { readonly kind: 'queued'; readonly path: string; readonly hash: string }
  /** A file that is held here; the host knows how it begins. */
  | { readonly kind: 'file'; readonly begin: () => Promise<FileIngest> };

/** How far the service is with a source. */
export type Step =
  | { readonly kind: 'running'; readonly job: string; readonly done: number; readonly total: number }
  /** Called off before there was an outcome; what is written by then stands. */
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'done'; readonly outcome: Outcome };

/** Hands sources to the service and asks how far it is. Every method rejects with a CallError. */
export interface Courier {
  begin(source: Source): Promise<Step>;
  look(job: string): Promise<Step>;
  /** Calls the job off, which stops at its next step. */
  cancel(job: string): Promise<Step>;
}

/** The way of an intake over the operations of the service. */
export function courierOf(client: BrainClient): Courier {
  return {
    begin: async (source) => stepOf(await begin(client, source)),
    look: async (id) => stepOf(await client.call('job', { id })),
    cancel: async (id) => stepOf(await client.call('cancelJob', { id })),
  };
}

function begin(client: BrainClient, source: Source): Promise<IngestAnswer | JobState> {
  switch (source.kind) {
    case 'text': {
      const { text, title, label } = source;
      return client.call('ingest', {
        text,
        ...(title !== undefined && { title }),
        ...(label !== undefined && { source: label }),
        background: true,
      });
    }
    case 'queued': {
      const { path, hash } = source;
      return client.call('reExtract', { path, expected_hash: hash, background: true });
    }
    case 'path':
      return client.call('ingestPath', { path: source.path, background: true });
    case 'file':
      return source.begin();
  }
}

function stepOf(answer: IngestAnswer | JobState): Step {
  if ('job' in answer) {
    const { job, status, done, total } = answer;
    return status === 'running' ? { kind: 'running', job, done, total } : { kind: 'cancelled' };
  }
  return { kind: 'done', outcome: 'errors' in answer ? folderOutcome(answer) : outcomeOf(answer) };
}
