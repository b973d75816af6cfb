export type Unsubscribe = () => void;

export interface Clock {
  now(): Date;
}

/** Tells work that has begun that nobody waits for it any more. */
export interface StopSignal {
  readonly stopped: boolean;
  /** Calls `listener` once when the work is to stop, at once when it already is; returns how to stop listening. */
  onStop(listener: () => void): Unsubscribe;
}

export type LogFields = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** One structured line an event. Never given note text, tokens or other secrets. */
export interface Log {
  /** What only matters to someone who looks for something: a line for every request. */
  debug(event: string, fields?: LogFields): void;
  info(event: string, fields?: LogFields): void;
  warn(event: string, fields?: LogFields): void;
  error(event: string, fields?: LogFields): void;
}
