export type Unsubscribe = () => void;

export interface Clock {
  now(): Date;
}

/** A signal that asks running work to stop, because nobody waits for it. */
export interface StopSignal {
  readonly stopped: boolean;
  /** Calls `listener` once when the signal stops, at once when it has stopped already. Returns the unsubscribe function. */
  onStop(listener: () => void): Unsubscribe;
}

export type LogFields = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** A structured log, one line for each event. Callers never pass note text, tokens or other secrets. */
export interface Log {
  /** Details for diagnosis, such as a line for every request. */
  debug(event: string, fields?: LogFields): void;
  info(event: string, fields?: LogFields): void;
  warn(event: string, fields?: LogFields): void;
  error(event: string, fields?: LogFields): void;
}
