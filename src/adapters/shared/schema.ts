import { literal, type Query, type Sql } from '../postgres/sql';

/**
 * The steps from an empty database to the present tables, oldest first. A step is never changed once it is released: a later
 * one changes what it made. Texts of paths are compared byte by byte (`COLLATE "C"`), whatever the database sorts by.
 */
const MIGRATIONS: readonly string[] = [
  `CREATE TABLE brain.files (
     path text COLLATE "C" PRIMARY KEY,
     folded text COLLATE "C" NOT NULL UNIQUE,
     body bytea NOT NULL,
     mtime timestamptz NOT NULL DEFAULT clock_timestamp(),
     born timestamptz NOT NULL DEFAULT clock_timestamp()
   );
   CREATE TABLE brain.folders (path text COLLATE "C" PRIMARY KEY);
   CREATE TABLE brain.state (
     path text COLLATE "C" NOT NULL,
     part bigint NOT NULL,
     body bytea NOT NULL,
     PRIMARY KEY (path, part)
   );
   CREATE SEQUENCE brain.parts;
   CREATE TABLE brain.changes (
     xid xid8 NOT NULL DEFAULT pg_current_xact_id(),
     path text NOT NULL,
     removed boolean NOT NULL,
     by text NOT NULL,
     at timestamptz NOT NULL DEFAULT now()
   );
   CREATE INDEX changes_xid ON brain.changes (xid);
   CREATE TABLE brain.leases (
     name text PRIMARY KEY,
     holder text NOT NULL,
     until timestamptz NOT NULL
   )`,
  // A table that is not logged is empty after a crash, and at a standby that has become the primary.
  `CREATE UNLOGGED TABLE brain.life (
     id uuid NOT NULL DEFAULT gen_random_uuid(),
     one boolean PRIMARY KEY DEFAULT true
   )`,
  `CREATE TABLE brain.tokens (
     name text COLLATE "C" PRIMARY KEY,
     hash text NOT NULL,
     scopes text[] NOT NULL,
     human boolean NOT NULL,
     read_paths text[],
     write_wings text[],
     created_at timestamptz NOT NULL,
     last_used timestamptz
   );
   CREATE TABLE brain.keys (name text PRIMARY KEY, key bytea NOT NULL)`,
  `CREATE TABLE brain.jobs (
     id text PRIMARY KEY,
     owner text NOT NULL,
     holder text NOT NULL,
     ended boolean NOT NULL,
     told text NOT NULL,
     stop boolean NOT NULL DEFAULT false,
     at timestamptz NOT NULL DEFAULT now()
   )`,
];

/** The advisory lock of the migrations: servers that start at the same time wait for one another. */
const LOCK = 0x6272_6169_6e; // "brain"

/**
 * Brings the tables of a shared vault up to date; makes nothing where they are.
 * @throws Error for tables of a later version, which this one must not write to; else the error of the driver.
 */
export async function migrate(sql: Pick<Sql, 'place' | 'transaction'>): Promise<void> {
  if ((await sql.transaction(versionOf)) === MIGRATIONS.length) return;
  await sql.transaction(async (query) => {
    await query('SELECT pg_advisory_xact_lock($1)', [LOCK]);
    await query('CREATE SCHEMA IF NOT EXISTS brain');
    await query(
      'CREATE TABLE IF NOT EXISTS brain.migrations (version integer PRIMARY KEY, at timestamptz NOT NULL DEFAULT now())',
    );
    const version = await versionOf(query);
    if (version > MIGRATIONS.length) {
      throw new Error(
        `The vault at ${sql.place} has tables of a later version (${version}). Update this server to the version of the others.`,
      );
    }
    // Where the schema belongs to another role it stays as it is.
    if (version === 0)
      await query(
        `DO $$ BEGIN COMMENT ON SCHEMA brain IS ${literal(VERIFIED)}; EXCEPTION WHEN insufficient_privilege THEN NULL; END $$`,
      );
    for (const [index, step] of MIGRATIONS.entries()) {
      if (index < version) continue;
      for (const statement of step.split(/;\s*$/m)) await query(statement);
      await query('INSERT INTO brain.migrations (version) VALUES ($1)', [index + 1]);
    }
  });
}

/**
 * Checks that a database holds a shared vault of this version, and changes nothing there.
 * @throws Error for a database without a vault, or with tables of an earlier or a later version; else the error of the driver.
 */
export async function checkVersion(sql: Pick<Sql, 'place' | 'transaction'>): Promise<void> {
  const version = await sql.transaction(versionOf);
  if (version === 0) {
    throw new Error(
      `There is no vault of Brain Server at ${sql.place}. Correct the address, or make a vault there with "brain store import" or "brain serve".`,
    );
  }
  if (version < MIGRATIONS.length) {
    throw new Error(
      `The vault at ${sql.place} is older than this program (tables of version ${version}, not ${MIGRATIONS.length}). Update its servers, whose next start brings the tables up to date, or use the version of this program that they have.`,
    );
  }
  if (version > MIGRATIONS.length) {
    throw new Error(
      `The vault at ${sql.place} is newer than this program (tables of version ${version}, not ${MIGRATIONS.length}). Update this program to the version of its servers.`,
    );
  }
}

/** What the schema of a vault says that was made since addresses have to say where a connection is not verified. */
const VERIFIED = 'Connections to this vault are verified unless the address says otherwise.';

/** Returns true for a vault that was made when a connection without TLS needed no word of its own. */
export async function isOlder(query: Query): Promise<boolean> {
  if ((await versionOf(query)) === 0) return false;
  const [row] = await query("SELECT obj_description('brain'::regnamespace) AS said");
  return row?.said !== VERIFIED;
}

/** Returns the number of migrations that the database has seen. */
async function versionOf(query: Query): Promise<number> {
  const [there] = await query("SELECT to_regclass('brain.migrations') IS NOT NULL AS there");
  if (there?.there !== true) return 0;
  const [row] = await query('SELECT coalesce(max(version), 0) AS version FROM brain.migrations');
  return Number(row?.version);
}
