import type { LinkTargets } from '../links/resolve';
import type { Brain } from '../operation/context';
import { linkPath, type VaultPath } from '../vocabulary/paths';
import { ledgerOf } from './ledger';

/** The other pages of the sources that a page came of, as far as they still await review; sorted. */
export async function batchSiblings(
  brain: Pick<Brain, 'catalog' | 'state' | 'clock' | 'device'>,
  path: VaultPath,
): Promise<VaultPath[]> {
  const mates = new Set<VaultPath>();
  for (const { pages } of (await ledgerOf(brain).entries()).values()) {
    if (!pages.includes(path)) continue;
    for (const page of pages) if (brain.catalog.record(page)?.status === 'raw') mates.add(page);
  }
  mates.delete(path);
  return [...mates].sort();
}

/**
 * Lets links lead to these notes although they await review: pages of one batch may be decided on one after the other, and the
 * link follows each when it is promoted.
 */
export function admitting(paths: readonly VaultPath[]): (targets: LinkTargets) => LinkTargets {
  const byLink = new Map(paths.map((path) => [linkPath(path), path]));
  const at = (path: string): VaultPath | null => byLink.get(linkPath(path)) ?? null;
  return (targets) => ({
    has: (path) => at(path) ?? targets.has(path),
    admits: at,
    candidates: (tier, key) => targets.candidates(tier, key),
    fragments: (path) => targets.fragments(path),
    title: (path) => targets.title(path),
  });
}
