import { homedir } from 'node:os';
import path from 'node:path';
import { configFolder } from '../../adapters/host/config-folder';
import { CommandError, type Io } from '../terminal/io';
import { shellWord, vaultFolder } from '../terminal/program';
import { makeLayout } from './layout';
import { isEmptyFolder } from './open';
import { checkPlace } from './place';
import { ServedVault } from './served';

/**
 * Makes a new vault: its folder with those of the service.
 * @throws UsageError for a folder of the system, CommandError for one that has files or cannot be made; nothing has changed then
 */
export async function initVault(given: string, io: Io, json: boolean): Promise<void> {
  const vault = vaultFolder(given, io.env);
  const { real } = await checkPlace(vault, io.env);
  const serve = `${io.command} serve --vault ${shellWord(vault)}`;
  if (!(await isEmptyFolder(vault))) {
    throw new CommandError(
      `${vault} has files, so it is no place for a new vault. To serve it as it is: ${serve}`,
    );
  }
  const made = await makeLayout(vault);
  await new ServedVault(configFolder(io.env, process.platform, homedir()), real).forget();
  io.stdout.write(
    json
      ? `${JSON.stringify({ vault, made })}\n`
      : `Made a new vault in ${vault}: ${made.map((name) => `${path.basename(name)}/`).join(' ')}\nServe it: ${serve}\n`,
  );
}
