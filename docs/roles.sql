-- psql -v ON_ERROR_STOP=1 --dbname=brain --file=roles.sql
--
-- Makes three roles for a vault in this database, and gives each its rights:
--   brain_migrations  makes the tables and brings them up to date; it owns them
--   brain_server      reads and changes what is in them: the address of "brain serve"
--   brain_reader      reads notes, files and logs, and no tokens: "brain store mirror" and "brain store export"
-- For a vault that is there already it moves the ownership of its tables: stop the servers first, run it, and give them the address
-- of brain_server before they start again.
-- Run it as a superuser, or as the owner of the database where that may make roles. It may be run again, and has to be for the
-- reader once the tables are there. Give each role a password afterwards: \password brain_server

DO $$
DECLARE
  each record;
BEGIN
  FOR each IN SELECT unnest(ARRAY['brain_migrations', 'brain_server', 'brain_reader']) AS name LOOP
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = each.name) THEN
      EXECUTE format('CREATE ROLE %I LOGIN', each.name);
    END IF;
    EXECUTE format('GRANT CONNECT ON DATABASE %I TO %I', current_database(), each.name);
  END LOOP;
  EXECUTE format('GRANT CREATE ON DATABASE %I TO brain_migrations', current_database());
END
$$;

-- Who sets default rights for a role is a member of it.
GRANT brain_migrations TO CURRENT_USER;
CREATE SCHEMA IF NOT EXISTS brain;
ALTER SCHEMA brain OWNER TO brain_migrations;

-- The tables of a vault that was there before.
DO $$
DECLARE
  each record;
BEGIN
  FOR each IN
    SELECT relname AS name, relkind AS kind FROM pg_class
      WHERE relnamespace = 'brain'::regnamespace AND relkind IN ('r', 'S') AND relowner <> 'brain_migrations'::regrole
  LOOP
    EXECUTE format('ALTER %s brain.%I OWNER TO brain_migrations', CASE each.kind WHEN 'r' THEN 'TABLE' ELSE 'SEQUENCE' END, each.name);
  END LOOP;
END
$$;

GRANT USAGE ON SCHEMA brain TO brain_server, brain_reader;
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA brain TO brain_server;
GRANT USAGE ON ALL SEQUENCES IN SCHEMA brain TO brain_server;
-- The tables of a vault that is still to be made, and those that a later version adds.
ALTER DEFAULT PRIVILEGES FOR ROLE brain_migrations IN SCHEMA brain
  GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO brain_server;
ALTER DEFAULT PRIVILEGES FOR ROLE brain_migrations IN SCHEMA brain GRANT USAGE ON SEQUENCES TO brain_server;

DO $$
BEGIN
  IF to_regclass('brain.files') IS NOT NULL THEN
    GRANT SELECT ON brain.files, brain.folders, brain.state, brain.changes, brain.life, brain.migrations TO brain_reader;
  END IF;
END
$$;
