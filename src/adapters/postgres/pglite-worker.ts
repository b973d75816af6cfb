import type { MessagePort } from 'node:worker_threads';

/** A request to the worker; `close` ends the database. */
export type WorkerRequest =
  | { readonly id: number; readonly kind: 'query'; readonly sql: string; readonly params: readonly unknown[] }
  | { readonly id: number; readonly kind: 'close' };

/** An answer of the worker: one for each request, and one with the id 0 when the database is open. */
export type WorkerResponse =
  | { readonly id: number; readonly rows: readonly unknown[] }
  | { readonly id: number; readonly error: { readonly message: string; readonly code: string } };

/** An extension of Postgres: the path of its package, and the name that it has there. */
export interface Extension {
  readonly module: string;
  readonly name: string;
}

/** The path of the package, the extension, and the folder of the database. */
export interface WorkerData {
  readonly pglite: string;
  readonly extension: Extension;
  readonly folder: string;
}

/** The part of PGlite's interface that is used. */
interface Database {
  query(sql: string, params: readonly unknown[]): Promise<{ rows: readonly unknown[] }>;
  close(): Promise<void>;
}

interface Packages {
  readonly [name: string]: unknown;
  PGlite: { create(options: object): Promise<Database> };
}

/**
 * The code of the worker. The worker gets its source text, so it may use only its parameters; this way a program of a
 * single file needs no second one.
 */
export function runPglite(load: (id: string) => Packages, port: MessagePort, data: WorkerData): void {
  const problem = (id: number, error: unknown): WorkerResponse => {
    const code = typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
    return { id, error: { message: String(error), code } };
  };
  const answer = async (db: Database, asked: WorkerRequest): Promise<WorkerResponse> => {
    try {
      if (asked.kind === 'query')
        return { id: asked.id, rows: (await db.query(asked.sql, asked.params)).rows };
      await db.close();
      return { id: asked.id, rows: [] };
    } catch (error) {
      return problem(asked.id, error);
    }
  };
  const { PGlite } = load(data.pglite);
  const { module, name } = data.extension;
  PGlite.create({ dataDir: data.folder, extensions: { [name]: load(module)[name] } }).then(
    (db) => {
      port.on('message', (asked: WorkerRequest) => {
        void answer(db, asked).then((answered) => port.postMessage(answered));
      });
      port.postMessage({ id: 0, rows: [] });
    },
    (error: unknown) => port.postMessage(problem(0, error)),
  );
}
