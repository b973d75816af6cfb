import type { JobState } from '../../core/operation/jobs';
import type { FolderAnswer, IngestAnswer, IngestedPage, IngestResult } from '../../core/operation/shapes';
import { type BrainClient, CallError } from '../../core/registry/client';
import type { FileIngest } from '../client/host';
import { asCallError, patiently } from '../kit/async';
import { counted } from '../kit/words';

/** As much of the service's answer about one source as a screen shows. */
export type SourceAnswer = Pick<IngestResult, 'extraction' | 'warnings'> & {
  readonly pages: readonly Pick<IngestedPage, 'title' | 'status' | 'path' | 'duplicate_of' | 'warnings'>[];
};

/** A note that a source led to, by its title and where it stands. */
export interface LedTo {
  readonly title: string;
  readonly path: string;
}

/** A file of a folder, or of the inbox, that no note was made of. */
interface FileFailure {
  readonly name: string;
  readonly message: string;
}

/** What became of a source, or of all files of a folder. */
export interface Outcome {
  readonly written: readonly LedTo[];
  /** Notes that were there already with the same text. */
  readonly duplicates: readonly LedTo[];
  /** Notes that were made of it when it was taken in before. */
  readonly standing: readonly LedTo[];
  /** Titles of pages whose text was rejected before. */
  readonly rejectedBefore: readonly string[];
  /** Pages that had no title. */
  readonly skipped: number;
  /** Sources that were taken in before and have not changed since. */
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

/** What became of one source. */
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

/** What became of a folder. */
function folderOutcome(answer: FolderAnswer): Outcome {
  const all = joined(answer.files.map(outcomeOf));
  const failures = answer.errors.map(({ path, message }) => ({ name: path, message }));
  const passed = answer.skipped.length;
  const warnings =
    passed === 0
      ? []
      : [
          `${counted(passed, 'file')} of kinds that cannot be read now ${passed === 1 ? 'was' : 'were'} passed over.`,
        ];
  return { ...all, failures, warnings: [...warnings, ...all.warnings] };
}

/** Several outcomes as one. A warning that all of them give is said once. */
export function joined(outcomes: readonly Outcome[]): Outcome {
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

/** What became of it, in one line: `3 notes made, 1 known already, 1 rejected before`. */
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
export interface IngestClient {
  begin(source: Source): Promise<Step>;
  look(job: string): Promise<Step>;
  /** Calls the job off, which stops at its next step. */
  cancel(job: string): Promise<Step>;
}

/** The way of an intake over the operations of the service. */
export function courierOf(client: BrainClient): IngestClient {
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

/** So often it is asked how far an ingest is, in milliseconds. */
const LOOK_EVERY_MS = 500;
/** Items that have ended are forgotten beyond so many. */
const MAX_ENDED = 500;

/** Something to ingest. What it is may have to be read first, which happens when its turn comes. */
export interface Wanted {
  /** As a person knows it: the name of a file. Any text. */
  readonly name: string;
  /** @throws CallError when it cannot be read. */
  readonly source: () => Promise<Source>;
}

/** Text that a person has begun to write, and its title. */
export interface Draft {
  readonly title: string;
  readonly text: string;
}

export const NO_DRAFT: Draft = { title: '', text: '' };

/** One source on its way. */
export interface IntakeItem {
  readonly id: number;
  readonly name: string;
  readonly state: 'waiting' | 'running' | 'done' | 'failed' | 'cancelled';
  /** How far it is, while it runs; a total of 0 when nobody knows. */
  readonly done: number;
  readonly total: number;
  /** When it is done. */
  readonly outcome: Outcome | null;
  /** When it failed. */
  readonly error: CallError | null;
}

/**
 * What a person has given to be ingested, one after the other. It outlives the screen that shows it: whoever comes back
 * sees how far it is.
 */
export class Intake {
  /** What was last written and not yet sent. */
  draft = NO_DRAFT;
  readonly #courier: IngestClient;
  readonly #pause: (ms: number) => Promise<void>;
  readonly #listeners = new Set<() => void>();
  readonly #sources = new Map<number, Wanted['source']>();
  #items: readonly IntakeItem[] = [];
  #last = 0;
  #works = false;
  #called = false;

  constructor(courier: IngestClient, pause: (ms: number) => Promise<void>) {
    this.#courier = courier;
    this.#pause = pause;
  }

  /** In the order in which they were given. Another array after every change. */
  get items(): readonly IntakeItem[] {
    return this.#items;
  }

  /** True while something runs or waits. */
  get isBusy(): boolean {
    return this.#items.some(({ state }) => state === 'running' || state === 'waiting');
  }

  /** Takes sources on; when nothing runs the first begins at once, and what was shown of earlier ones goes. */
  add(wanted: readonly Wanted[]): void {
    if (wanted.length === 0) return;
    if (!this.isBusy) this.clear();
    const added = wanted.map(({ name, source }): IntakeItem => {
      const id = ++this.#last;
      this.#sources.set(id, source);
      return { id, name, state: 'waiting', done: 0, total: 0, outcome: null, error: null };
    });
    this.#show([...this.#items, ...added]);
    void this.#work();
  }

  /** Calls off what runs, which stops at its next step, and drops what waits. What is written by then stands. */
  cancel(): void {
    this.#called = true;
    this.#show(
      this.#items.map((item) => (item.state === 'waiting' ? { ...item, state: 'cancelled' } : item)),
    );
  }

  /** Forgets everything that has ended. */
  clear(): void {
    this.#show(this.#items.filter(({ state }) => state === 'waiting' || state === 'running'));
  }

  /** Calls `listener` after every change. Returns how to stop that. */
  listen(listener: () => void): () => void {
    const own = (): void => listener();
    this.#listeners.add(own);
    return () => void this.#listeners.delete(own);
  }

  async #work(): Promise<void> {
    if (this.#works) return;
    this.#works = true;
    try {
      for (let next = this.#next(); next !== undefined; next = this.#next()) {
        this.#called = false;
        const { id } = next;
        this.#change(id, { state: 'running' });
        this.#change(id, await this.#ended(id));
        this.#sources.delete(id);
      }
    } finally {
      this.#works = false;
    }
  }

  #next(): IntakeItem | undefined {
    return this.#items.find(({ state }) => state === 'waiting');
  }

  async #ended(id: number): Promise<Partial<IntakeItem>> {
    try {
      const step = await this.#carry(id);
      if (step.kind === 'cancelled') return { state: 'cancelled' };
      return { state: 'done', outcome: step.outcome };
    } catch (error) {
      const { code } = asCallError(error);
      return code === 'cancelled' ? { state: 'cancelled' } : { state: 'failed', error: asCallError(error) };
    }
  }

  async #carry(id: number): Promise<Exclude<Step, { kind: 'running' }>> {
    const read = this.#sources.get(id);
    if (read === undefined) throw new Error('The source is gone.');
    const source = await read();
    let step = await patiently(
      async () => {
        // Nothing has been sent yet.
        if (this.#called) throw new CallError('cancelled', 'Cancelled before it was sent.');
        return this.#courier.begin(source);
      },
      (ms) => this.#pause(ms),
    );
    let isCalledOff = false;
    while (step.kind === 'running') {
      const { job, done, total } = step;
      this.#change(id, { done, total });
      if (this.#called && !isCalledOff) {
        isCalledOff = true;
        step = await this.#courier.cancel(job);
        continue;
      }
      await this.#pause(LOOK_EVERY_MS);
      step = await this.#courier.look(job);
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
