import { useEffect, useState } from 'preact/hooks';
import type { JobState } from '../../core/operation/jobs';
import type { ImportAnswer, IngestAnswer } from '../../core/operation/shapes';
import { type BrainClient, type CallError } from '../../core/registry/client';
import type { UiHost } from '../client/host';
import { asCallError, withRetries } from '../kit/async';
import type { Picked, PickedFile } from './picked';

/** The bytes of a file that are sent at once: a file of any size comes in parts. */
const PART_BYTES = 64 * 1024 * 1024;
/** The files that are sent at the same time. */
const AT_ONCE = 4;
/** The polling interval of a job (ms). */
const POLL_MS = 300;

/** What a person says of an import before its files are sent. */
export interface Terms {
  readonly name: string;
  readonly onlyMe: boolean;
  /** What would act in the pages is kept as it is. */
  readonly keep: boolean;
  /** The import of this name gets what is new. */
  readonly again: boolean;
}

/** How far an import has come on this screen. */
export type Stage =
  | { readonly step: 'nothing'; readonly error: CallError | null }
  | { readonly step: 'chosen'; readonly picked: Picked; readonly isFromQueue: boolean }
  | {
      readonly step: 'sending' | 'reading' | 'writing';
      readonly name: string;
      readonly done: number;
      /** 0 while that is not known. */
      readonly total: number;
    }
  | {
      readonly step: 'preview';
      readonly made: ImportAnswer;
      readonly keep: boolean;
      readonly error: CallError | null;
    }
  | { readonly step: 'done'; readonly made: ImportAnswer };

/** How the outcome of a job is waited for. */
export interface Waiting {
  readonly pause: (ms: number) => Promise<void>;
  /** Called with the progress of the job. */
  readonly progress: (job: JobState) => void;
  readonly isCancelled: () => boolean;
}

/**
 * Follows a job to its outcome, and cancels it when that is asked for. Resolves with null for one that was cancelled.
 * @throws CallError of the job
 */
export async function outcomeOf(
  client: Pick<BrainClient, 'call'>,
  begun: IngestAnswer | JobState,
  { pause, progress, isCancelled }: Waiting,
): Promise<IngestAnswer | null> {
  let answer = begun;
  let isCancelSent = false;
  while ('job' in answer) {
    if (answer.status === 'cancelled') return null;
    progress(answer);
    const { job: id } = answer;
    if (isCancelled() && !isCancelSent) {
      isCancelSent = true;
      answer = await client.call('cancelJob', { id });
      continue;
    }
    await pause(POLL_MS);
    answer = await client.call('job', { id });
  }
  return answer;
}

/** Returns the import of an answer. */
export function importOf(answer: IngestAnswer | JobState | null): ImportAnswer | null {
  return answer !== null && 'import' in answer ? answer.import : null;
}

/** An import from the choice of its files until it is made. It outlives the screen that shows it. */
export class Incoming {
  readonly #client: BrainClient;
  readonly #pause: (ms: number) => Promise<void>;
  readonly #listeners = new Set<() => void>();
  #stage: Stage = { step: 'nothing', error: null };
  #batch: string | null = null;
  #isCancelled = false;

  constructor(client: BrainClient, pause: (ms: number) => Promise<void>) {
    this.#client = client;
    this.#pause = pause;
  }

  /** The present stage; a new object after every change. */
  get stage(): Stage {
    return this.#stage;
  }

  /** Takes what a person has chosen, unless an import is on its way. */
  choose(picked: Picked, isFromQueue = false): void {
    if (this.#stage.step === 'nothing' || this.#stage.step === 'chosen' || this.#stage.step === 'done')
      this.#show({ step: 'chosen', picked, isFromQueue });
  }

  /** Sends what was chosen and reads it, so that the stage is the preview. Nothing changes in the vault. */
  async send(terms: Terms, sendPart: UiHost['sendPart']): Promise<void> {
    const { stage } = this;
    if (stage.step !== 'chosen') return;
    const { picked } = stage;
    this.#isCancelled = false;
    this.#show({ step: 'sending', name: terms.name, done: 0, total: picked.bytes });
    try {
      const { batch } = await this.#client.call('openImport', {
        name: terms.name,
        source: picked.source.slice(0, 500),
        ...(terms.onlyMe && { only_me: true }),
        ...(terms.keep && { keep: true }),
        ...(terms.again && { again: true }),
      });
      this.#batch = batch;
      await this.#sendFiles(batch, picked, terms.name, sendPart);
      const made = this.#isCancelled ? null : await this.#run(batch, terms.name, true);
      if (made !== null) return this.#show({ step: 'preview', made, keep: terms.keep, error: null });
      await this.#drop(null);
    } catch (error) {
      await this.#drop(asCallError(error));
    }
  }

  /** Makes the import that is previewed. */
  async make(): Promise<void> {
    const { stage } = this;
    if (stage.step !== 'preview' || this.#batch === null) return;
    this.#isCancelled = false;
    this.#show({ step: 'writing', name: stage.made.name, done: 0, total: 0 });
    try {
      const made = await this.#run(this.#batch, stage.made.name, false);
      this.#batch = null;
      this.#show(made === null ? { step: 'nothing', error: null } : { step: 'done', made });
    } catch (error) {
      const failure = asCallError(error);
      if (failure.code === 'not_found') await this.#drop(failure);
      else this.#show({ ...stage, error: failure });
    }
  }

  /** Stops what is under way. Before the import is made, nothing of it stays; then what is written stays. */
  cancel(): void {
    this.#isCancelled = true;
    if (this.#stage.step === 'preview' || this.#stage.step === 'chosen') void this.#drop(null);
  }

  /** Forgets an import that is made. */
  clear(): void {
    if (this.#stage.step === 'done' || this.#stage.step === 'nothing')
      this.#show({ step: 'nothing', error: null });
  }

  /** Says why nothing was chosen. */
  refuse(error: CallError): void {
    if (this.#stage.step === 'nothing' || this.#stage.step === 'done') this.#show({ step: 'nothing', error });
  }

  /** Calls `listener` after every change, until the returned function is called. */
  listen(listener: () => void): () => void {
    const callback = (): void => listener();
    this.#listeners.add(callback);
    return () => void this.#listeners.delete(callback);
  }

  async #sendFiles(
    batch: string,
    { files, bytes }: Picked,
    name: string,
    sendPart: UiHost['sendPart'],
  ): Promise<void> {
    let next = 0;
    let sent = 0;
    const tell = (size: number): void => {
      sent += size;
      this.#show({ step: 'sending', name, done: sent, total: bytes });
    };
    const work = async (): Promise<void> => {
      for (let file = files[next++]; file !== undefined && !this.#isCancelled; file = files[next++])
        await this.#sendFile(batch, file, sendPart, tell);
    };
    const turn = (): Promise<void> =>
      work().catch((error: unknown) => {
        next = files.length; // The other turns end with their file.
        throw error;
      });
    for (const each of await Promise.allSettled(Array.from({ length: AT_ONCE }, turn)))
      if (each.status === 'rejected') throw each.reason;
  }

  async #sendFile(
    batch: string,
    { place, file }: PickedFile,
    sendPart: UiHost['sendPart'],
    tell: (bytes: number) => void,
  ): Promise<void> {
    let most = PART_BYTES;
    let offset = 0;
    do {
      const part = file.slice(offset, offset + most);
      try {
        await withRetries(() => sendPart({ batch, name: place, offset }, part), this.#pause);
        tell(part.size);
        offset += part.size;
      } catch (error) {
        const { code, details } = asCallError(error);
        const { limit_bytes: limit, offset: has } = details;
        // A server may take less at once. After a lost answer it may have the part already.
        if (code === 'too_large' && typeof limit === 'number' && limit > 0 && limit < part.size) most = limit;
        else if (code === 'hash_mismatch' && typeof has === 'number' && has > offset) {
          tell(has - offset);
          offset = has;
        } else throw error;
      }
    } while (offset < file.size && !this.#isCancelled);
  }

  async #run(batch: string, name: string, isPreview: boolean): Promise<ImportAnswer | null> {
    const begun = await this.#client.call('runBatch', {
      batch,
      ...(isPreview && { dry_run: true }),
      background: true,
    });
    const answer = await outcomeOf(this.#client, begun, {
      pause: this.#pause,
      progress: ({ done, total }) =>
        this.#show({ step: isPreview ? 'reading' : 'writing', name, done, total }),
      isCancelled: () => this.#isCancelled,
    });
    return importOf(answer);
  }

  /** Drops the files that were sent. What the server keeps of them after a failure goes within a day. */
  async #drop(error: CallError | null): Promise<void> {
    const batch = this.#batch;
    this.#batch = null;
    this.#show({ step: 'nothing', error: error?.code === 'cancelled' ? null : error });
    if (batch === null) return;
    try {
      await this.#client.call('dropBatch', { batch });
    } catch (failure) {
      // It is gone already, or the server is away: then the first error says so.
      if (asCallError(failure).code !== 'not_found' && error === null) this.refuse(asCallError(failure));
    }
  }

  #show(stage: Stage): void {
    this.#stage = stage;
    for (const listener of [...this.#listeners]) listener();
  }
}

const incomings = new WeakMap<BrainClient, Incoming>();

/** Returns the import that a client brings. All screens with that client share it. */
export function incomingOf(client: BrainClient): Incoming {
  const existing = incomings.get(client);
  if (existing !== undefined) return existing;
  const incoming = new Incoming(client, sleep);
  incomings.set(client, incoming);
  return incoming;
}

export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => void window.setTimeout(resolve, ms));
}

/** Returns the stage of an import, kept up to date. */
export function useStage(incoming: Incoming): Stage {
  const [stage, setStage] = useState(incoming.stage);
  useEffect(() => {
    // The stage may have changed between the rendering and this effect.
    setStage(incoming.stage);
    return incoming.listen(() => setStage(incoming.stage));
  }, [incoming]);
  return stage;
}
