import { realpath, stat } from 'node:fs/promises';
import type { Command } from 'commander';
import { logOn } from '../../adapters/host/log';
import { systemClock } from '../../adapters/host/device';
import { hasCode } from '../../adapters/files/file-system';
import { placeOf } from '../../adapters/postgres/pg';
import type { Sql } from '../../adapters/postgres/sql';
import { explain } from '../../adapters/postgres/vector-store';
import { storeSql } from '../../adapters/shared/address';
import { mirrorFolder } from '../../adapters/shared/mirror';
import { exportFolder, importFolder, type OnProgress, type Transfer } from '../../adapters/shared/transfer';
import { BrainError } from '../../core/base/errors';
import type { Log } from '../../core/base/host';
import { ConfigError } from '../../core/config/config';
import { CommandError, FailedAnswer, Interrupted, interruptible, type Io, UsageError } from '../terminal/io';
import { vaultFolder } from '../terminal/program';
import { storeFlag } from '../terminal/secrets';

interface Options {
  readonly vault?: string;
  readonly store?: string;
}

/** The flag that names the database of a vault. */
export const STORE = [
  '--store <address>',
  'database of the vault: postgres://… (default: BRAIN_STORE)',
  storeFlag,
] as const;

/**
 * Adds `brain store import`, `brain store export` and `brain store mirror`, which copy a vault between a folder and a database. Their
 * names without `store` still work, and warn.
 */
export function addTransferCommands(program: Command, io: Io): void {
  addTo(program.command('store').description('copy a vault between a folder and a database'), io);
  addTo(program, io, true);
}

/** Adds the commands, by their old names hidden and with a warning. */
function addTo(parent: Command, io: Io, isOld = false): void {
  const add = (name: string): Command => {
    const command = parent.command(name, { hidden: isOld });
    const warning = `warning: "brain ${name}" is "brain store ${name}" now; the next release drops the old name.\n`;
    return isOld ? command.hook('preAction', () => void io.stderr.write(warning)) : command;
  };
  // Its old name brings notes from elsewhere now, and does this only without a file.
  if (!isOld) {
    add('import')
      .description('copy a vault from a folder into a database, byte for byte; nothing there is replaced')
      .option('--vault <dir>', 'folder of the vault (default: BRAIN_VAULT, else ./brain)')
      .option(...STORE)
      .action((options: Options) => importVault(io, options));
  }
  add('export')
    .description('copy a vault from a database into a folder, byte for byte; nothing there is replaced')
    .option('--vault <dir>', 'folder to copy to; made when it is absent (default: BRAIN_VAULT, else ./brain)')
    .option(...STORE)
    .action((options: Options) =>
      transfer(io, options, vaultFolder(options.vault, io.env), exportFolder, 'exported'),
    );
  add('mirror')
    .description('keep a folder in step with a database, for people who browse it; ends with Ctrl-C')
    .option('--vault <dir>', 'folder that follows; empty at first (default: BRAIN_VAULT, else ./brain)')
    .option(...STORE)
    .option('--once', 'bring the folder in step once, and end')
    .action((options: Options & { readonly once?: boolean }) =>
      interruptible((signal) => {
        const folder = vaultFolder(options.vault, io.env);
        return withStore(
          io,
          storeOf(io, options),
          (sql, log) => mirror(io, sql, folder, { log, isOnce: options.once === true, signal }),
          folder,
        );
      }),
    );
}

/** Copies a vault from a folder into a database. @throws CommandError, UsageError for what is no folder */
export async function importVault(io: Io, options: Options): Promise<void> {
  const folder = vaultFolder(options.vault, io.env);
  const isFolder = await stat(folder).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (!isFolder) throw new UsageError(`${folder} is no folder. Name the folder of the vault with --vault.`);
  await transfer(io, options, await realpath(folder), importFolder, 'imported');
}

async function transfer(
  io: Io,
  options: Options,
  folder: string,
  copy: (sql: Sql, folder: string, onProgress: OnProgress) => Promise<Transfer>,
  done: string,
): Promise<void> {
  const work = async (sql: Sql): Promise<void> => {
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
  };
  await withStore(io, storeOf(io, options), work, folder);
}

/** Keeps a folder in step until the signal, or brings it in step once, and tells what happens. */
async function mirror(
  io: Io,
  sql: Sql,
  folder: string,
  { log, isOnce, signal }: { readonly log: Log; readonly isOnce: boolean; readonly signal: AbortSignal },
): Promise<void> {
  const told = new Set<string>();
  await mirrorFolder(sql, folder, {
    ...{ log, isOnce, signal },
    onRound({ written, removed, left, refused }, isFirst) {
      if (written + removed > 0) io.stdout.write(`${written} files written, ${removed} removed.\n`);
      const lines = [
        ...left.map((at) => `left: ${at} (it was changed in the folder)`),
        ...refused.map((at) => `refused: ${at} (no name for this disk)`),
      ];
      for (const line of lines) if (!told.has(line)) io.stdout.write(`${line}\n`);
      for (const line of lines) told.add(line);
      if (isFirst) io.stdout.write(`${folder} is in step with ${sql.place}.\n`);
    },
    onAway: (error) =>
      io.stderr.write(`${meaningOf(error, sql.place, folder)} The mirror tries again until it succeeds.\n`),
  });
  if (!isOnce) throw new Interrupted(undefined, true);
}

/** @throws UsageError when no database is named */
function storeOf(io: Io, { store }: Options): string {
  const dsn = store ?? io.env.BRAIN_STORE ?? '';
  if (dsn === '') throw new UsageError('Name the database with --store or BRAIN_STORE.');
  return dsn;
}

/** Returns what a failure of the database means, or of the disk of the folder that the work is on. */
function meaningOf(error: unknown, place: string, folder: string | undefined): string {
  if (error instanceof BrainError) return error.message;
  if (folder === undefined || !isOfDisk(error)) return explain(error, place, 'BRAIN_STORE');
  const said = error.message.replace(/^[A-Z]+: /, '');
  return `The folder ${folder} cannot be used: ${said}. See that its disk has room and that this user has the rights.`;
}

/** Returns true for an error of a file: it names the path, except where the disk is full or broken. No error of a connection does. */
function isOfDisk(error: unknown): error is Error {
  const isOfSystem = error instanceof Error && 'syscall' in error;
  return isOfSystem && ('path' in error || hasCode(error, 'ENOSPC', 'EDQUOT', 'EFBIG', 'EIO', 'EROFS'));
}

/**
 * Runs work on the database of a vault, and closes it. `folder` is the one that the work reads or writes.
 * @throws UsageError for an invalid address, CommandError when the database or the folder cannot be used
 */
export async function withStore<T>(
  io: Io,
  dsn: string,
  work: (sql: Sql, log: Log) => Promise<T>,
  folder?: string,
): Promise<T> {
  const log = logOn(io.stderr, systemClock, { level: 'error', secrets: [dsn] });
  let sql: Sql | null = null;
  try {
    const store = await storeSql(dsn, { log, connections: 2 });
    ({ sql } = store);
    if (store.warning !== null) io.stderr.write(`${store.warning}\n`);
    return await work(sql, log);
  } catch (error) {
    if (error instanceof ConfigError) throw new UsageError(error.message);
    if (typeof error !== 'object' || error === null || !('code' in error) || error instanceof CommandError)
      throw error;
    throw new CommandError(meaningOf(error, placeOf(dsn), folder));
  } finally {
    await sql?.close();
  }
}
