/** When to look for changes: the clock and the window, as far as polling needs them. */
export interface Pace {
  /** Runs something after a while; returns how to prevent that. */
  later(run: () => void, ms: number): () => void;
  /** False while nobody can see the page. */
  isVisible(): boolean;
  /** Tells when the page has come into sight; returns how to stop that. */
  onVisible(run: () => void): () => void;
}

export interface Poll {
  /** Looks now, and tells the listeners as usual. @throws what the question threw. */
  look(): Promise<void>;
  /** Calls `listener` after something has changed; returns how to stop that. */
  listen(listener: () => void): () => void;
}

const EVERY_MS = 2_000;

/**
 * Asks for a mark every two seconds, as long as somebody listens and the page can be seen, and tells the listeners when
 * it is another one. After a time without an answer they are told as well: the server may have begun anew.
 */
export function pollChanges(ask: () => Promise<string>, pace: Pace): Poll {
  const listeners = new Set<() => void>();
  let known: string | null = null;
  let missed = false;
  let stop: (() => void) | null = null;

  const start = (): (() => void) => {
    let running = true;
    let asking = false;
    let cancel: () => void = () => undefined;
    const round = async (): Promise<void> => {
      cancel();
      if (asking || !running) return;
      asking = true;
      // Whoever asks has reported a failure already; the next round comes in any case.
      if (pace.isVisible()) await look().catch(() => undefined);
      asking = false;
      // No timer while the page is hidden: `onVisible` begins again.
      if (running && pace.isVisible()) cancel = pace.later(() => void round(), EVERY_MS);
    };
    const away = pace.onVisible(() => void round());
    void round();
    return () => {
      running = false;
      cancel();
      away();
    };
  };

  const look = async (): Promise<void> => {
    const mark = await ask().catch((error: unknown) => {
      missed = true;
      throw error;
    });
    const changed = missed || (known !== null && mark !== known);
    known = mark;
    missed = false;
    if (changed) for (const listener of [...listeners]) listener();
  };

  return {
    look,
    listen(listener) {
      // A listener of its own for every call, so that one function may listen twice.
      const own = (): void => listener();
      listeners.add(own);
      stop ??= start();
      return () => {
        listeners.delete(own);
        if (listeners.size > 0 || stop === null) return;
        stop();
        stop = null;
      };
    },
  };
}
