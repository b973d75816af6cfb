import { existsSync, readFileSync } from 'node:fs';
// Under its own name it would clash with the line that scripts/run.mjs puts first.
import { createRequire as requireFrom } from 'node:module';
import { join } from 'node:path';

const PEERS = join(process.cwd(), 'bench', 'peers');

/** Loads a package of bench/peers, which are not dependencies of the project, or else one of the project. */
export const requirePeer = requireFrom(join(PEERS, 'package.json'));

/** Returns the path of a file in a peer's package, for one that its package offers to `import` alone. */
export function peerFile(name: string, file: string): string {
  return join(PEERS, 'node_modules', name, file);
}

/** The version of a peer that is installed; undefined when it is not. */
export function peerVersion(name: string): string | undefined {
  const file = peerFile(name, 'package.json');
  if (!existsSync(file)) return undefined;
  const about: { version?: string } = JSON.parse(readFileSync(file, 'utf8'));
  return about.version;
}
