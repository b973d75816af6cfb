interface Job {
  readonly due: number;
  readonly run: () => void | Promise<void>;
  readonly timer: ReturnType<typeof setTimeout>;
}

/**
 * Work that the host does a little later: telling about outside changes, reading metadata again. Every job has a real timer,
 * taken when it is booked, so that fake timers drive it; `flush` runs what is booked at once, in the order in which it is
 * due.
 */
export class Scheduler {
  readonly #jobs = new Set<Job>();
  readonly #timers = new Set<ReturnType<typeof setTimeout>>();
  readonly #running = new Set<Promise<unknown>>();

  later(delay: number, run: () => void | Promise<void>): void {
    const job: Job = {
      due: Date.now() + delay,
      run,
      timer: setTimeout(() => {
        this.#start(job);
      }, delay),
    };
    this.#jobs.add(job);
  }

  /** Work that only time brings about, such as the end of a notice: `flush` does not wait for it. */
  onTime(delay: number, run: () => void): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      run();
    }, delay);
    this.#timers.add(timer);
  }

  /** True while something is booked or under way. */
  get busy(): boolean {
    return this.#jobs.size > 0 || this.#running.size > 0;
  }

  /** Resolves when nothing is booked or under way any more. */
  async flush(): Promise<void> {
    while (this.busy) {
      await Promise.all(this.#running);
      const [next] = [...this.#jobs].sort((a, b) => a.due - b.due);
      if (next !== undefined) this.#start(next);
    }
  }

  /** Forgets what is booked: the window is closed. */
  stop(): void {
    for (const job of this.#jobs) clearTimeout(job.timer);
    for (const timer of this.#timers) clearTimeout(timer);
    this.#jobs.clear();
    this.#timers.clear();
  }

  /** Counts work that has begun elsewhere. */
  track(work: Promise<unknown>): void {
    const running = work.finally(() => {
      this.#running.delete(running);
    });
    this.#running.add(running);
  }

  #start(job: Job): void {
    clearTimeout(job.timer);
    this.#jobs.delete(job);
    this.track(Promise.resolve(job.run()));
  }
}
