import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { lockVault, VaultInUse } from '../adapters/node/lock';
import { prepareState } from '../adapters/node/node-state';
import { outgoingHttp } from '../adapters/node/outgoing-http';
import { systemClock } from '../adapters/node/system-clock';
import { ollamaEmbedder } from '../adapters/ollama/embedder';
import { embeddedFolder } from '../adapters/postgres/dsn';
import { checkDsn, postgresSql } from '../adapters/postgres/pg';
import { checkPglite, PgliteMissing, pgliteSql } from '../adapters/postgres/pglite';
import type { Sql } from '../adapters/postgres/sql';
import { sqlVectorStore } from '../adapters/postgres/vector-store';
import { type Config, ConfigError } from '../core/config';
import type { Log } from '../core/host';
import type { HybridPorts } from '../core/vectors/hybrid-retrieval';
import type { Closers } from './closers';
import { CommandError } from './io';
import { folderProblem } from './unreadable';

/** The same for every server: whatever they are called, they must not share the folder. */
const LOCK_NAME = 'database';

/**
 * Embedder and vector store as configured, or null when hybrid retrieval is not. Nothing is asked of either yet: a server
 * starts while they are down.
 * @throws ConfigError for an address that cannot be one, ConfigError or CommandError when an embedded database cannot be had.
 */
export async function openHybrid(
  { pgDsn, pgSchema, pgPool, ...config }: Config,
  log: Log,
  closers: Closers,
): Promise<HybridPorts | null> {
  if (pgDsn === undefined || config.embedUrl === undefined) return null;
  const folder = embeddedFolder(pgDsn);
  if (folder === null) await checkDsn(pgDsn);
  const sql = folder === null ? postgresSql(pgDsn, log, pgPool) : await openEmbedded(folder, closers);
  const embedder = ollamaEmbedder({
    http: outgoingHttp,
    url: config.embedUrl,
    model: config.embedModel,
    docPrefix: config.embedDocPrefix,
    queryPrefix: config.embedQueryPrefix,
  });
  return { embedder, vectors: sqlVectorStore(sql, pgSchema) };
}

async function openEmbedded(given: string, closers: Closers): Promise<Sql> {
  if (given === '') {
    throw new ConfigError(
      'BRAIN_PG_DSN is "pglite:", which names no folder. Use one such as pglite:./vectors.',
    );
  }
  const folder = path.resolve(given);
  try {
    checkPglite();
    await mkdir(folder, { recursive: true });
    await prepareState(folder, { device: LOCK_NAME });
    const lock = await lockVault(folder, { device: LOCK_NAME, clock: systemClock, kind: 'serve' });
    closers.add(() => lock.release());
    return pgliteSql(path.join(folder, 'data'));
  } catch (error) {
    if (error instanceof PgliteMissing) throw new CommandError(error.message);
    if (folderProblem(error) === 'taken') {
      throw new CommandError(`BRAIN_PG_DSN names ${folder}, but a file stands where a folder is needed.`);
    }
    if (folderProblem(error) === 'forbidden') {
      throw new CommandError(`BRAIN_PG_DSN names ${folder}, which this user may not write.`);
    }
    if (!(error instanceof VaultInUse)) throw error;
    throw new CommandError(
      `Another server has the database in ${folder} open. Stop it first, or give each server a folder of its own in BRAIN_PG_DSN.`,
    );
  }
}
