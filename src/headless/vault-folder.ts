import path from 'node:path';
import type { Environment } from '../adapters/node/config-folder';
import { UsageError } from './io';

/**
 * Absolute path of the vault that a command means: the flag, else `BRAIN_VAULT`, else `./brain`.
 * @throws UsageError for an empty flag, as `--vault "$UNSET"` gives: it would mean the folder where the person happens to be.
 */
export function vaultFolder(flag: string | undefined, env: Environment): string {
  if (flag === '')
    throw new UsageError('The folder in --vault is empty. Name the folder of the vault, or leave it out.');
  return path.resolve(flag ?? (env.BRAIN_VAULT || 'brain'));
}
