/** A row of an answer, by the names of its columns. */
export type Row = Readonly<Record<string, unknown>>;

/** Runs one statement; `$1` stands for the first parameter. `isLong` when it may take many minutes. */
export type Query = (sql: string, params?: readonly unknown[], isLong?: boolean) => Promise<readonly Row[]>;

/** A database, by whatever driver. Errors carry the `code` of Postgres or of the system where there is one. */
export interface Sql {
  /** Where it is, for messages: never with a password. */
  readonly place: string;
  /** Most rows that one statement should write: an embedded database holds the thread meanwhile. */
  readonly writeRows: number;
  /**
   * Runs `work` in one transaction, which ends whatever happens; on an error nothing of it stands. Each statement sees what
   * was committed before it, whatever isolation the database has as its default.
   */
  transaction<T>(work: (query: Query) => Promise<T>): Promise<T>;
  /**
   * Runs one statement outside of any transaction; only where nothing but this process looks after the database, which then
   * has to do by itself what a server does in the background.
   */
  readonly alone?: (sql: string) => Promise<void>;
  /**
   * Takes the lock of that key, or keeps it, until `close` or the end of the connection that it stands on; null then, and where
   * no connection can keep one. Else the name of who has it. Left out where this process alone has the database.
   */
  readonly hold?: (key: string, name: string) => Promise<string | null>;
  /** Ends what runs as far as the driver can. A transaction that is asked for later rejects and opens nothing. */
  close(): Promise<void>;
}

/**
 * Begins a transaction. Who waits for a lock looks again once it has it, so what others did meanwhile must be seen: with
 * the snapshot of a higher isolation it would not be, or Postgres would refuse to go on (40001).
 */
export const BEGIN = 'BEGIN ISOLATION LEVEL READ COMMITTED';

/** What a transaction rejects with that comes after the database was closed. */
export function closedError(): Error {
  return Object.assign(new Error('The database was closed.'), { code: 'ECONNRESET' });
}

/** A name for use in a statement, whatever it holds. @throws Error for a name that Postgres cannot have. */
export function identifier(name: string): string {
  if (name === '' || name.includes('\0'))
    throw new Error('A name in the database may not be empty or hold NUL.');
  return `"${name.replaceAll('"', '""')}"`;
}

/** A text for use in a statement that takes no parameters. */
export function literal(text: string): string {
  const plain = text.replaceAll('\0', '').replaceAll("'", "''");
  // Whether a backslash means itself is a setting of the server; in this form it never does.
  return plain.includes('\\') ? `E'${plain.replaceAll('\\', '\\\\')}'` : `'${plain}'`;
}
