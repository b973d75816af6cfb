import { realpath, stat } from 'node:fs/promises';
import type { Command } from 'commander';
import { jsonLog } from '../../adapters/host/log';
import { systemClock } from '../../adapters/host/device';
import { checkDsn, placeOf, postgresSql } from '../../adapters/postgres/pg';
import type { Sql } from '../../adapters/postgres/sql';
import { explain } from '../../adapters/postgres/vector-store';
import { exportFolder, importFolder, type OnProgress, type Transfer } from '../../adapters/shared/transfer';
import { BrainError } from '../../core/base/errors';
import { ConfigError } from '../../core/config/config';
import { CommandError, FailedAnswer, type Io, UsageError } from '../terminal/io';
import { vaultFolder } from '../terminal/program';

interface Options {
  readonly vault?: string;
  readonly store?: string;
}

/** The flag that names the database of a vault. */
export const STORE = [
  '--store <address>',
  'database of the vault: postgres://… (default: BRAIN_STORE)',
] as const;

/** Adds `brain import` and `brain export`, which copy a vault between a folder and a database. */
export function addTransferCommands(program: Command, io: Io): void {
  program
    .command('import')
    .description('copy a vault from a folder into a database, byte for byte; nothing there is replaced')
    .option('--vault <dir>', 'folder of the vault (default: BRAIN_VAULT, else ./brain)')
    .option(...STORE)
    .action(async (options: Options) => {
      const folder = vaultFolder(options.vault, io.env);
      const isFolder = await stat(folder).then(
        (found) => found.isDirectory(),
        () => false,
      );
      if (!isFolder)
        throw new UsageError(`${folder} is no folder. Name the folder of the vault with --vault.`);
      await transfer(io, options, await realpath(folder), importFolder, 'imported');
    });
  program
    .command('export')
    .description('copy a vault from a database into a folder, byte for byte; nothing there is replaced')
    .option('--vault <dir>', 'folder to copy to; made when it is absent (default: BRAIN_VAULT, else ./brain)')
    .option(...STORE)
    .action((options: Options) =>
      transfer(io, options, vaultFolder(options.vault, io.env), exportFolder, 'exported'),
    );
}

async function transfer(
  io: Io,
  { store }: Options,
  folder: string,
  copy: (sql: Sql, folder: string, onProgress: OnProgress) => Promise<Transfer>,
  done: string,
): Promise<void> {
  const dsn = store ?? io.env.BRAIN_STORE ?? '';
  if (dsn === '') throw new UsageError('Name the database with --store or BRAIN_STORE.');
  await withStore(io, dsn, async (sql) => {
    const progress: OnProgress = (count, total) => {
      if (io.stderr.isTTY === true)
        io.stderr.write(`\r${count} of ${total} files${count === total ? '\n' : ''}`);
    };
    const { copied, same, kept, refused } = await copy(sql, folder, progress);
    io.stdout.write(`${copied} files ${done}, ${same} were there already.\n`);
    for (const at of kept) io.stdout.write(`kept: ${at} (another file stands there)\n`);
    for (const at of refused)
      io.stdout.write(`refused: ${at} (no file, too large, or no name for the other side)\n`);
    if (kept.length + refused.length > 0) {
      throw new FailedAnswer(
        `${kept.length + refused.length} files were not copied. Each is named above; the rest is complete.`,
      );
    }
  });
}

/**
 * Runs work on the database of a vault, and closes it.
 * @throws UsageError for an invalid address, CommandError when the database cannot be used
 */
export async function withStore<T>(io: Io, dsn: string, work: (sql: Sql) => Promise<T>): Promise<T> {
  try {
    await checkDsn(dsn, 'BRAIN_STORE');
  } catch (error) {
    throw error instanceof ConfigError ? new UsageError(error.message) : error;
  }
  const log = jsonLog((line) => io.stderr.write(line), systemClock, { level: 'error', secrets: [dsn] });
  const sql = postgresSql(dsn, log, 2);
  try {
    return await work(sql);
  } catch (error) {
    if (error instanceof BrainError) throw new CommandError(error.message);
    if (typeof error !== 'object' || error === null || !('code' in error) || error instanceof CommandError)
      throw error;
    throw new CommandError(explain(error, placeOf(dsn), 'BRAIN_STORE'));
  } finally {
    await sql.close();
  }
}
