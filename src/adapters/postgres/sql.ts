/** A row of a result, by column name. */
export type Row = Readonly<Record<string, unknown>>;

/** Runs one statement; `$1` is the first parameter. `isLong`: the statement may take many minutes. */
export type Query = (sql: string, params?: readonly unknown[], isLong?: boolean) => Promise<readonly Row[]>;

/** A connection that listens on a channel. */
export interface Ear {
  /** Calls the others that listen there; rejects, and ends, when the connection is lost. */
  call(): Promise<void>;
  /** Resolves when nothing is heard any more. */
  readonly ended: Promise<void>;
  close(): void;
}

/** The error of a statement that got no answer in time. It is being cancelled, and may still be carried out. */
export class GivenUp extends Error {
  /** Resolves when it has ended in the database too, or nothing more can be done about it. */
  readonly ended: Promise<void>;

  constructor(ended: Promise<void>) {
    super('The database gave no answer in time: timeout.');
    this.ended = ended;
  }
}

/** Rejects as `work` does, but not before a statement that was given up has ended: its next try would be one more beside it. */
export async function untilEnded<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof GivenUp) await error.ended;
    throw error;
  }
}

/**
 * A table of one row for a FROM list: the transaction of the statement waits for no standby. It is for what may be lost with the
 * primary.
 */
export const UNREPLICATED = "set_config('synchronous_commit', 'local', true) AS unreplicated";

/** A database behind any driver. Errors carry the `code` of Postgres or of the system, where there is one. */
export interface Sql {
  /** The location, for messages; never with a password. */
  readonly place: string;
  /**
   * Runs `work` in one transaction, which is committed, or rolled back when `work` rejects. Each statement sees everything
   * that was committed before it, whatever the database's default isolation level.
   */
  transaction<T>(work: (query: Query) => Promise<T>): Promise<T>;
  /** Runs one statement in a transaction of its own, with one way to the database instead of three. */
  readonly statement: Query;
  /**
   * Takes or keeps the lock of a key, until `close` or the loss of its connection. Resolves null with the lock held, and also
   * where no connection can hold one (behind a pooler); else the name of the holder.
   */
  readonly hold: (key: string, name: string) => Promise<string | null>;
  /**
   * Listens on a channel over a connection of its own, and calls `heard` when others call there. Resolves null where nothing would
   * be heard (behind a pooler).
   */
  readonly listen: (channel: string, heard: () => void) => Promise<Ear | null>;
  /** Ends running statements as far as the driver can. A later transaction rejects and opens no connection. */
  close(): Promise<void>;
}

/**
 * Begins a transaction. A transaction that has waited for a lock reads again, and must then see what others committed
 * meanwhile. The snapshot of a higher isolation level would hide it, or Postgres would abort the transaction (40001).
 */
export const BEGIN = 'BEGIN ISOLATION LEVEL READ COMMITTED';

/** Returns the error of a transaction that begins after `close`. */
export function closedError(): Error {
  return Object.assign(new Error('The database was closed.'), { code: 'ECONNRESET' });
}

/** Quotes a name for use in a statement. @throws Error for a name that Postgres does not allow. */
export function identifier(name: string): string {
  if (name === '' || name.includes('\0'))
    throw new Error('A name in the database may not be empty or hold NUL.');
  return `"${name.replaceAll('"', '""')}"`;
}

/** Quotes a text for use in a statement that takes no parameters. */
export function literal(text: string): string {
  const plain = text.replaceAll('\0', '').replaceAll("'", "''");
  // In a plain literal, a setting of the server decides what a backslash means; in the E form it always escapes.
  return plain.includes('\\') ? `E'${plain.replaceAll('\\', '\\\\')}'` : `'${plain}'`;
}

/** Returns the bytes of a column. */
export function bytesOf(value: unknown): Buffer {
  if (!Buffer.isBuffer(value)) throw new Error('The database gave no bytes where a file has its body.');
  return value;
}

/** Returns the text of a column. */
export function textOf(value: unknown): string {
  if (typeof value !== 'string') throw new Error('The database gave no text where one was asked for.');
  return value;
}
