import type { Brain } from '../brain';
import type { Catalog } from '../catalog/catalog';
import { TICK_MS } from '../catalog/snapshot';
import type { FileStat } from '../ports';
import type { Watch } from '../progress';
import { type Sha, sha256Steps } from '../rules/hash';
import type { VaultPath } from '../rules/paths';
import { lastChanged, sameStat } from '../same-stat';
import { inSlices } from '../steps';
import { PROCESSED } from './processed-path';
import { MAX_FILE_BYTES } from './source-files';

type Ports = Pick<Brain, 'catalog' | 'vault' | 'pace' | 'log' | 'clock'>;

/** What an original held when it was read. */
interface Known {
  readonly stat: FileStat;
  readonly hash: Sha;
}

/** Originals are many and large and hardly ever change, so each is read once in a session. */
const knowns = new WeakMap<Catalog, Map<VaultPath, Known>>();

/** Every file that is kept as an original, sorted. What was remembered of others is forgotten. */
export function keptOriginals({ catalog }: Pick<Brain, 'catalog'>): VaultPath[] {
  const paths = catalog.pathsBelow(`${PROCESSED}/`);
  const standing = new Set(paths);
  const known = knowns.get(catalog);
  for (const path of known?.keys() ?? []) if (!standing.has(path)) known?.delete(path);
  return paths;
}

/** Looks through the originals until one of each hash is found; one that cannot be read is passed over. */
export async function originalsOfHash(
  brain: Ports,
  paths: readonly VaultPath[],
  hashes: ReadonlySet<Sha>,
  { signal, progress }: Watch,
): Promise<Map<Sha, VaultPath>> {
  const found = new Map<Sha, VaultPath>();
  if (hashes.size === 0) return found;
  for (const [done, path] of paths.entries()) {
    if (found.size === hashes.size || signal?.stopped === true) break;
    progress?.({ done, total: paths.length });
    const hash = await originalHash(brain, path);
    if (hash !== null && hashes.has(hash) && !found.has(hash)) found.set(hash, path);
  }
  return found;
}

/** The hash of an original as it stands; null when it is gone, too large or cannot be read. */
export async function originalHash(brain: Ports, path: VaultPath): Promise<Sha | null> {
  const { catalog, vault, pace, clock } = brain;
  const settled = clock.now().getTime() - TICK_MS;
  const stat = await originalStat(brain, path);
  if (stat === null || stat.size > MAX_FILE_BYTES) return null;
  const known = knowns.get(catalog) ?? new Map<VaultPath, Known>();
  knowns.set(catalog, known);
  const before = await pace.run(() => known.get(path));
  if (before !== undefined && sameStat(before.stat, stat)) return before.hash;
  const bytes = await orPassedOver(brain, path, vault.readBytes(path, MAX_FILE_BYTES));
  if (bytes === null) return null;
  const hash = await inSlices(sha256Steps(bytes), pace);
  // One that was changed right before it was looked at may be changed again without its times telling.
  if (lastChanged(stat) < settled) known.set(path, { stat, hash });
  return hash;
}

/** Time and size of an original; null when it is gone or cannot be looked at. */
export function originalStat(brain: Pick<Brain, 'vault' | 'log'>, path: VaultPath): Promise<FileStat | null> {
  return orPassedOver(brain, path, brain.vault.stat(path));
}

/** What the vault answers; null, with a line in the log, when it fails: one original must not hide all others. */
async function orPassedOver<T>(
  { log }: Pick<Brain, 'log'>,
  path: VaultPath,
  answer: Promise<T | null>,
): Promise<T | null> {
  try {
    return await answer;
  } catch (error) {
    log.warn('backfill.original', { path, message: String(error) });
    return null;
  }
}
