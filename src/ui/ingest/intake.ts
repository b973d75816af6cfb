import { CallError } from '../client';
import { patiently } from '../parts/patiently';
import { asCallError } from '../parts/use-async';
import type { Courier, Source, Step } from './courier';
import type { Outcome } from './outcome';

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
  readonly #courier: Courier;
  readonly #pause: (ms: number) => Promise<void>;
  readonly #listeners = new Set<() => void>();
  readonly #sources = new Map<number, Wanted['source']>();
  #items: readonly IntakeItem[] = [];
  #last = 0;
  #works = false;
  #called = false;

  constructor(courier: Courier, pause: (ms: number) => Promise<void>) {
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
