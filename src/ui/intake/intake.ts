import type { JobState } from '../../core/operation/jobs';
import type {
  BatchAnswer,
  FolderAnswer,
  IngestAnswer,
  IngestedPage,
  IngestResult,
} from '../../core/operation/shapes';
import { namedWarnings } from '../../core/operation/warnings';
import { type BrainClient, CallError } from '../../core/registry/client';
import type { FileIngest } from '../client/host';
import { asCallError, withRetries } from '../kit/async';
import { counted } from '../kit/words';

/** The part of the answer about one source that a screen shows. */
export type SourceAnswer = Pick<IngestResult, 'extraction' | 'warnings'> & {
  readonly pages: readonly Pick<IngestedPage, 'title' | 'status' | 'path' | 'duplicate_of' | 'warnings'>[];
};

/** A note made of a source, or one with the same text. */
export interface ResultNote {
  readonly title: string;
  readonly path: string;
}

/** A file of a folder or of the inbox that could not be ingested. */
interface FileFailure {
  readonly name: string;
  readonly message: string;
}

/** The result of ingesting a source, or all files of a folder. */
export interface Outcome {
  readonly written: readonly ResultNote[];
  /** Existing notes with the same text. */
  readonly duplicates: readonly ResultNote[];
  /** Notes made of the same source when it was ingested before. */
  readonly standing: readonly ResultNote[];
  /** The titles of pages whose text was rejected before. */
  readonly rejectedBefore: readonly string[];
  /** The number of pages without a title. */
  readonly skipped: number;
  /** The number of sources that were ingested before and are unchanged. */
  readonly unchanged: number;
  readonly failures: readonly FileFailure[];
  readonly warnings: readonly string[];
}

export const NOTHING: Outcome = {
  written: [],
  duplicates: [],
  standing: [],
  rejectedBefore: [],
  skipped: 0,
  unchanged: 0,
  failures: [],
  warnings: [],
};

/** Returns the outcome of one source. */
export function outcomeOf(answer: SourceAnswer): Outcome {
  const { pages, extraction } = answer;
  const having = (status: IngestedPage['status']) => pages.filter((page) => page.status === status);
  const isKnown = extraction === 'unchanged';
  const same = having('duplicate').flatMap(({ title, duplicate_of: path }) =>
    path === undefined ? [] : [{ title, path }],
  );
  return {
    written: having('written').flatMap(({ title, path }) => (path === undefined ? [] : [{ title, path }])),
    duplicates: isKnown ? [] : same,
    standing: isKnown ? same : [],
    rejectedBefore: having('rejected_before').map(({ title }) => title),
    skipped: having('skipped_empty_title').length,
    unchanged: isKnown ? 1 : 0,
    failures: [],
    warnings: [...new Set([...answer.warnings, ...pages.flatMap(({ warnings }) => warnings)])],
  };
}

/** Returns the outcome of a folder. */
function folderOutcome(answer: FolderAnswer): Outcome {
  const all = mergeOutcomes(answer.files.map(outcomeOf));
  const failures = answer.errors.map(({ path, message }) => ({ name: path, message }));
  return { ...all, failures, warnings: [...answer.warnings, ...namedWarnings(answer.files)] };
}

/** Returns the outcome of a folder that was sent as a batch. */
function batchOutcome({ files, errors, warnings }: BatchAnswer): Outcome {
  const all = mergeOutcomes(
    files.map(({ extraction, pages }) =>
      outcomeOf({ extraction, pages: pages.map((page) => ({ ...page, warnings: [] })), warnings: [] }),
    ),
  );
  return { ...all, failures: errors.map(({ path, message }) => ({ name: path, message })), warnings };
}

/** Merges outcomes. Equal warnings are kept once. */
export function mergeOutcomes(outcomes: readonly Outcome[]): Outcome {
  return {
    written: outcomes.flatMap(({ written }) => written),
    duplicates: outcomes.flatMap(({ duplicates }) => duplicates),
    standing: outcomes.flatMap(({ standing }) => standing),
    rejectedBefore: outcomes.flatMap(({ rejectedBefore }) => rejectedBefore),
    skipped: outcomes.reduce((sum, { skipped }) => sum + skipped, 0),
    unchanged: outcomes.reduce((sum, { unchanged }) => sum + unchanged, 0),
    failures: outcomes.flatMap(({ failures }) => failures),
    warnings: [...new Set(outcomes.flatMap(({ warnings }) => warnings))],
  };
}

/** Returns an outcome in one line: `3 notes made, 1 known already, 1 rejected before`. */
export function outcomeWords(outcome: Outcome): string {
  const { written, duplicates, rejectedBefore, skipped, unchanged, failures } = outcome;
  const parts = [
    written.length > 0 && `${counted(written.length, 'note')} made`,
    duplicates.length > 0 && `${duplicates.length} known already`,
    rejectedBefore.length > 0 && `${rejectedBefore.length} rejected before`,
    skipped > 0 && `${skipped} without a title skipped`,
    unchanged > 0 && `${unchanged} unchanged`,
    failures.length > 0 && `${counted(failures.length, 'file')} failed`,
  ].filter((part) => part !== false);
  const isKnown = unchanged === 1 && parts.length === 1;
  const nothing = isKnown ? 'nothing new since it was last ingested' : 'nothing was found to make a note of';
  const words = isKnown || parts.length === 0 ? nothing : parts.join(', ');
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}

/** A source as the service takes it. */
type Source =
  | { readonly kind: 'text'; readonly text: string; readonly title?: string }
  /** A file or folder of the vault. */
  | { readonly kind: 'path'; readonly path: string }
  /** A passed-through note of the queue whose source the model extracts anew; `hash` is that of the text on the screen. */
  | { readonly kind: 'queued'; readonly path: string; readonly hash: string }
  /** A file of the person; the host sends it. */
  | { readonly kind: 'file'; readonly begin: () => Promise<FileIngest> };

/** The progress of the service with a source. */
export type Step =
  | { readonly kind: 'running'; readonly job: string; readonly done: number; readonly total: number }
  /** Cancelled before there was an outcome; notes written by then stay. */
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'done'; readonly outcome: Outcome };

/** Sends sources to the service and reads the progress. Every method rejects with a CallError. */
export interface IngestClient {
  begin(source: Source): Promise<Step>;
  poll(job: string): Promise<Step>;
  /** Cancels the job, which stops at its next step. */
  cancel(job: string): Promise<Step>;
}

/** Returns the ingest client over the operations of the service. */
export function ingestClientOf(client: BrainClient): IngestClient {
  return {
    begin: async (source) => stepOf(await begin(client, source)),
    poll: async (id) => stepOf(await client.call('job', { id })),
    cancel: async (id) => stepOf(await client.call('cancelJob', { id })),
  };
}

function begin(client: BrainClient, source: Source): Promise<IngestAnswer | JobState> {
  switch (source.kind) {
    case 'text': {
      const { text, title } = source;
      return client.call('ingest', {
        text,
        ...(title !== undefined && { title }),
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
  if ('import' in answer || 'adopted' in answer) throw new Error('an import is followed elsewhere');
  if ('batch' in answer) return { kind: 'done', outcome: batchOutcome(answer) };
  return { kind: 'done', outcome: 'errors' in answer ? folderOutcome(answer) : outcomeOf(answer) };
}

/** The polling interval of a job (ms). */
const POLL_MS = 500;
/** The list keeps at most this many ended items. */
const MAX_ENDED = 500;

/** Something to ingest. Its source is read when its turn comes. */
export interface IngestRequest {
  /** The name for the person, such as that of the file; any text. */
  readonly name: string;
  /** Reads the source. @throws CallError when it cannot be read. */
  readonly source: () => Promise<Source>;
}

/** A text that a person has begun to write, and its title. */
export interface Draft {
  readonly title: string;
  readonly text: string;
}

export const NO_DRAFT: Draft = { title: '', text: '' };

/** A source in the queue of the intake. */
export interface IntakeItem {
  readonly id: number;
  readonly name: string;
  readonly state: 'waiting' | 'running' | 'done' | 'failed' | 'cancelled';
  /** The progress while it runs; a total of 0 means unknown. */
  readonly done: number;
  readonly total: number;
  /** Set when it is done, else null. */
  readonly outcome: Outcome | null;
  /** Set when it failed, else null. */
  readonly error: CallError | null;
}

/** Ingests sources one at a time, in the given order. It outlives the screen that shows its progress. */
export class Intake {
  /** The text that was typed and not yet sent. */
  draft = NO_DRAFT;
  readonly #client: IngestClient;
  readonly #pause: (ms: number) => Promise<void>;
  readonly #listeners = new Set<() => void>();
  readonly #sources = new Map<number, IngestRequest['source']>();
  #items: readonly IntakeItem[] = [];
  #last = 0;
  #isWorking = false;
  #isCancelled = false;

  constructor(client: IngestClient, pause: (ms: number) => Promise<void>) {
    this.#client = client;
    this.#pause = pause;
  }

  /** The items in the given order; a new array after every change. */
  get items(): readonly IntakeItem[] {
    return this.#items;
  }

  /** True while something runs or waits. */
  get isBusy(): boolean {
    return this.#items.some(({ state }) => state === 'running' || state === 'waiting');
  }

  /** Adds sources. When the intake is idle, the first one starts at once and ended items are removed. */
  add(requests: readonly IngestRequest[]): void {
    if (requests.length === 0) return;
    if (!this.isBusy) this.clear();
    const added = requests.map(({ name, source }): IntakeItem => {
      const id = ++this.#last;
      this.#sources.set(id, source);
      return { id, name, state: 'waiting', done: 0, total: 0, outcome: null, error: null };
    });
    this.#show([...this.#items, ...added]);
    void this.#work();
  }

  /** Cancels the running item, which stops at its next step, and the waiting ones. Notes written by then stay. */
  cancel(): void {
    this.#isCancelled = true;
    this.#show(
      this.#items.map((item) => (item.state === 'waiting' ? { ...item, state: 'cancelled' } : item)),
    );
  }

  /** Removes the ended items. */
  clear(): void {
    this.#show(this.#items.filter(({ state }) => state === 'waiting' || state === 'running'));
  }

  /** Calls `listener` after every change, until the returned function is called. */
  listen(listener: () => void): () => void {
    const callback = (): void => listener();
    this.#listeners.add(callback);
    return () => void this.#listeners.delete(callback);
  }

  async #work(): Promise<void> {
    if (this.#isWorking) return;
    this.#isWorking = true;
    try {
      for (let next = this.#next(); next !== undefined; next = this.#next()) {
        this.#isCancelled = false;
        const { id } = next;
        this.#change(id, { state: 'running' });
        this.#change(id, await this.#resultOf(id));
        this.#sources.delete(id);
      }
    } finally {
      this.#isWorking = false;
    }
  }

  #next(): IntakeItem | undefined {
    return this.#items.find(({ state }) => state === 'waiting');
  }

  async #resultOf(id: number): Promise<Partial<IntakeItem>> {
    try {
      const step = await this.#ingest(id);
      if (step.kind === 'cancelled') return { state: 'cancelled' };
      return { state: 'done', outcome: step.outcome };
    } catch (error) {
      const { code } = asCallError(error);
      return code === 'cancelled' ? { state: 'cancelled' } : { state: 'failed', error: asCallError(error) };
    }
  }

  async #ingest(id: number): Promise<Exclude<Step, { kind: 'running' }>> {
    const read = this.#sources.get(id);
    if (read === undefined) throw new Error('The source is gone.');
    const source = await read();
    let step = await withRetries(
      async () => {
        // Nothing has been sent yet.
        if (this.#isCancelled) throw new CallError('cancelled', 'Cancelled before it was sent.');
        return this.#client.begin(source);
      },
      (ms) => this.#pause(ms),
    );
    let isCancelSent = false;
    while (step.kind === 'running') {
      const { job, done, total } = step;
      this.#change(id, { done, total });
      if (this.#isCancelled && !isCancelSent) {
        isCancelSent = true;
        step = await this.#client.cancel(job);
        continue;
      }
      await this.#pause(POLL_MS);
      step = await this.#client.poll(job);
    }
    return step;
  }

  #change(id: number, change: Partial<IntakeItem>): void {
    this.#show(this.#items.map((item) => (item.id === id ? { ...item, ...change } : item)));
  }

  #show(items: readonly IntakeItem[]): void {
    const ended = items.filter(({ state }) => state !== 'waiting' && state !== 'running');
    const old = new Set(ended.slice(0, Math.max(0, ended.length - MAX_ENDED)));
    this.#items = items.filter((item) => !old.has(item));
    for (const listener of [...this.#listeners]) listener();
  }
}
