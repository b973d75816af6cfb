import { type LinkTargets, withLookups } from '../links/resolve';
import type { Brain } from '../operation/context';
import { linkPath, type VaultPath } from '../vocabulary/paths';

/**
 * Returns the other pages of the note's sources, and of those that came together with them, that are still in the review queue;
 * sorted.
 */
export async function batchSiblings(
  brain: Pick<Brain, 'catalog' | 'whole'>,
  path: VaultPath,
): Promise<VaultPath[]> {
  const mates = new Set<VaultPath>();
  const entries = [...(await brain.whole.ledger.entries()).values()];
  const own = entries.filter(({ pages }) => pages.includes(path));
  const batches = new Set(own.flatMap(({ batch }) => batch ?? []));
  const together =
    batches.size === 0
      ? own
      : entries.filter(
          ({ batch, pages }) => pages.includes(path) || (batch !== undefined && batches.has(batch)),
        );
  for (const { pages } of together) {
    for (const page of pages) if (brain.catalog.record(page)?.status === 'raw') mates.add(page);
  }
  mates.delete(path);
  return [...mates].sort();
}

/**
 * Returns a function that adds these queued notes to link targets: pages of one batch are decided one after the other, and
 * links follow each when it is promoted.
 */
export function admitting(paths: readonly VaultPath[]): (targets: LinkTargets) => LinkTargets {
  const byLink = new Map(paths.map((path) => [linkPath(path), path]));
  const at = (path: string): VaultPath | null => byLink.get(linkPath(path)) ?? null;
  return (targets) => withLookups(targets, { has: (path) => at(path) ?? targets.has(path), admits: at });
}
