import path from 'node:path';
import { Worker } from 'node:worker_threads';
import {
  type Extension,
  type WorkerResponse,
  type WorkerRequest,
  runPglite,
  type WorkerData,
} from './pglite-worker';
import { BEGIN, closedError, type Query, type Row, type Sql } from './sql';

/** The packages of PGlite are not installed. They are optional: with a Postgres server their 40 MB are not needed. */
export class PgliteMissing extends Error {
  override readonly name = 'PgliteMissing';
}

/** Checks that the packages are installed; call it before a folder is made for the database. @throws PgliteMissing. */
export function checkPglite(): void {
  packages();
}

/**
 * Returns an embedded database in a folder, which is made when it is absent; only one process may have the folder open. It
 * runs in a thread of its own, which ends with the process: indexing a row takes some ten milliseconds, which would block
 * this thread.
 * @param extension by default pgvector
 * @throws PgliteMissing when the packages are not installed.
 */
export function pgliteSql(folder: string, extension?: Extension): Sql {
  const data: WorkerData = { ...packages(), ...(extension && { extension }), folder: path.resolve(folder) };
  let running: Thread | null = null;
  let last: Promise<unknown> = Promise.resolve();
  let isClosed = false;

  const thread = (): Thread => {
    if (isClosed) throw closedError();
    if (running === null || running.hasEnded()) running = startThread(data);
    return running;
  };

  async function transact<T>(work: (query: Query) => Promise<T>): Promise<T> {
    const { query } = thread();
    await query(BEGIN);
    try {
      const result = await work(query);
      await query('COMMIT');
      return result;
    } catch (error) {
      // When the rollback fails as well, the thread has ended, and with it the transaction.
      await query('ROLLBACK').catch(() => undefined);
      throw error;
    }
  }

  /** Runs one transaction at a time, as there is one connection. */
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const result = last.then(work);
    last = result.catch(() => undefined);
    return result;
  };

  return {
    place: `the folder ${folder}`,
    writeRows: 64,
    transaction: (work) => inTurn(() => transact(work)),
    statement: (...statement) => inTurn(() => transact((query) => query(...statement))),
    alone: (statement) =>
      inTurn(async () => {
        await thread().query(statement);
      }),
    async close() {
      isClosed = true;
      await last;
      await running?.close();
      running = null;
    },
  };
}

interface Thread {
  readonly query: Query;
  hasEnded(): boolean;
  close(): Promise<void>;
}

function startThread(data: WorkerData): Thread {
  const code = `const { parentPort, workerData } = require('node:worker_threads'); (${runPglite.toString()})(require, parentPort, workerData);`;
  const worker = new Worker(code, { eval: true, workerData: data, stdout: true, stderr: true });
  const waiting = new Map<
    number,
    { resolve: (rows: readonly unknown[]) => void; reject: (error: Error) => void }
  >();
  let asked = 0;
  let ended = false;
  const wait = (id: number) =>
    new Promise<readonly unknown[]>((resolve, reject) => {
      if (ended) reject(failure('ECONNRESET', 'The embedded database has ended.'));
      else waiting.set(id, { resolve, reject });
    });
  const opened = wait(0);
  opened.catch(() => undefined); // The next statement rejects with the error.
  worker.unref();
  worker.on('message', (answer: WorkerResponse) => {
    const waiter = waiting.get(answer.id);
    waiting.delete(answer.id);
    if ('rows' in answer) waiter?.resolve(answer.rows);
    else waiter?.reject(failure(answer.error.code, answer.error.message));
  });
  const end = (error: Error) => {
    ended = true;
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
  };
  worker.on('error', (error) => end(failure('ECONNRESET', error.message)));
  worker.on('exit', () => end(failure('ECONNRESET', 'The embedded database has ended.')));
  const ask = async (question: Omit<Extract<WorkerRequest, { kind: 'query' }>, 'id'> | { kind: 'close' }) => {
    await opened;
    const id = (asked += 1);
    const answer = wait(id);
    worker.postMessage({ ...question, id });
    return answer;
  };
  return {
    hasEnded: () => ended,
    query: async (sql, params = []) => (await ask({ kind: 'query', sql, params })).filter(isRow),
    async close() {
      await ask({ kind: 'close' }).catch(() => undefined); // The thread may have ended already.
      await worker.terminate();
    },
  };
}

function packages(): Pick<WorkerData, 'pglite' | 'extension'> {
  try {
    return {
      pglite: require.resolve('@electric-sql/pglite'),
      extension: { module: require.resolve('@electric-sql/pglite-pgvector'), name: 'vector' },
    };
  } catch {
    throw new PgliteMissing(
      'BRAIN_PG_DSN begins with "pglite:", which needs two more packages. Install them beside this program with: npm install @electric-sql/pglite@0.5.14 @electric-sql/pglite-pgvector@0.0.15. Or give the address of a Postgres server.',
    );
  }
}

function failure(code: string, message: string): Error {
  return Object.assign(new Error(message), { code });
}

function isRow(row: unknown): row is Row {
  return typeof row === 'object' && row !== null;
}
