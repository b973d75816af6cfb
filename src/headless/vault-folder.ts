import path from 'node:path';
import type { Environment } from '../adapters/node/config-folder';

/** Absolute path of the vault that a command means: the flag, else `BRAIN_VAULT`, else `./brain`. */
export function vaultFolder(flag: string | undefined, env: Environment): string {
  return path.resolve(flag ?? (env.BRAIN_VAULT || 'brain'));
}
