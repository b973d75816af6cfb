import { peerVersion } from './peer-packages';
import type { EngineKind } from './search-engine';
import { flexSearch } from './search-flexsearch';
import { fts5, fts5Prefixes } from './search-fts5';
import { lunrIndex } from './search-lunr';
import { miniSearch, miniSearchGuessing, miniSearchStemmed } from './search-minisearch';
import { ours } from './search-ours';
import { referenceBm25 } from './search-reference';

/** Every engine that is compared by its answers, ours first; those with `load` also by their speed. */
export const ENGINES: readonly EngineKind[] = [
  ours,
  miniSearch,
  miniSearchStemmed,
  miniSearchGuessing,
  flexSearch,
  lunrIndex,
  fts5,
  fts5Prefixes,
  referenceBm25,
];

/** The engines that can run here, and a line for the reader when peers are missing. */
export function installed(): { readonly engines: readonly EngineKind[]; readonly missing: string | null } {
  const engines = ENGINES.filter(({ peer }) => peer === undefined || peerVersion(peer) !== undefined);
  const missing =
    engines.length === ENGINES.length
      ? null
      : 'Some peers are not installed and are left out: `npm ci --prefix bench/peers` brings them.';
  return { engines, missing };
}

/** How each engine is set up, a line each. */
export function sayEngines(engines: readonly EngineKind[]): string {
  return engines
    .map(({ name, peer, says }) => {
      const version = peer === undefined ? '' : ` (${peer} ${peerVersion(peer) ?? ''})`;
      return `- ${name}${version}: ${says}`;
    })
    .join('\n');
}
