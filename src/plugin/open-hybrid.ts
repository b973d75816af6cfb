import { ollamaEmbedder } from '../adapters/ollama/embedder';
import { embeddedFolder } from '../adapters/postgres/dsn';
import { checkDsn, postgresSql } from '../adapters/postgres/pg';
import { sqlVectorStore } from '../adapters/postgres/vector-store';
import { type Config, ConfigError } from '../core/config';
import type { HttpClient } from '../core/ports';
import type { Log } from '../core/host';
import type { HybridPorts } from '../core/vectors/hybrid-retrieval';

/**
 * Embedder and vector store as configured, or null when hybrid retrieval is not. Nothing is asked of either yet.
 * @throws ConfigError for an address that cannot be one, and for an embedded database: it would take half a gigabyte of the
 * app's memory.
 */
export async function openHybrid(
  { pgDsn, pgSchema, pgPool, ...config }: Config,
  log: Log,
  http: HttpClient,
): Promise<HybridPorts | null> {
  if (pgDsn === undefined || config.embedUrl === undefined) return null;
  if (embeddedFolder(pgDsn) !== null) {
    throw new ConfigError(
      'BRAIN_PG_DSN begins with "pglite:", the embedded database, which runs in the headless server only. Give the address of a Postgres server, or unset BRAIN_PG_DSN and BRAIN_EMBED_URL to search by words alone.',
    );
  }
  await checkDsn(pgDsn);
  const embedder = ollamaEmbedder({
    http,
    url: config.embedUrl,
    model: config.embedModel,
    docPrefix: config.embedDocPrefix,
    queryPrefix: config.embedQueryPrefix,
  });
  return { embedder, vectors: sqlVectorStore(postgresSql(pgDsn, log, pgPool), pgSchema) };
}
