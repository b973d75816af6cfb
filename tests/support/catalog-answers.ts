import type { Catalog } from '../../src/core/catalog/catalog';
import type { PlaceFilter } from '../../src/core/catalog/note-search';
import { sanitiseWing } from '../../src/core/vocabulary/address';
import { type VaultPath, vaultPath } from '../../src/core/vocabulary/paths';
import { searchNotes } from './search-notes';

/** Paths of every kind that a catalog tells apart, with names that collide. */
export const PATHS = [
  'wiki/Net/facts/mtu.md',
  'wiki/net/facts/mtu.md',
  'wiki/net/facts/Peers.md',
  'wiki/home/decisions/mtu.md',
  'wiki/home/_index.md',
  'wiki/home/picture.png',
  'knowledge/mtu.md',
  'knowledge/peers.md',
  'raw/2026-01-01-mtu.md',
  'raw/rejected/mtu.md',
  'inbox/processed/a.pdf',
].map(vaultPath);

/** Texts whose titles, aliases and links lead to one another. */
export const TEXTS = [
  '',
  'Plain words about the tunnel.',
  'Other words about the tunnel.',
  '# MTU\n\nThe tunnel, see [[peers]] and [[mtu]].',
  '---\naliases: [Tunnel size, Peers]\nwing: Net\nhall: facts\n---\nSee [[wiki/net/facts/Peers|Peers]] and [[Tunnel size]].',
  '---\ntitle: Peers\ntunnels: ["[[wiki/net/facts/mtu|MTU]]"]\n---\nBy hand, see [x](mtu.md).',
  '---\nwing: home\nauto_tunnel: no\n---\n[[raw/2026-01-01-mtu]] ![[wiki/home/picture.png]]',
  `---\nsupersedes: ${'c'.repeat(64)}\n---\n## Part\n\nPlain words about the tunnel. ^id`,
];

/** All that a catalog can be asked about `PATHS`, in one value. */
export function answers(catalog: Catalog): unknown {
  const tiers = ['suffix', 'basename', 'folded', 'title', 'alias', 'slug'] as const;
  const keys = ['mtu', 'MTU', 'peers', 'Peers', 'tunnel size', 'facts/mtu', 'net/facts/Peers', 'home'];
  return {
    notes: catalog.notes(),
    raw: catalog.notes('raw'),
    below: catalog.pathsBelow(''),
    wings: catalog.wings().map((wing) => [wing, catalog.notesOfWing(wing)]),
    spelling: ['net', 'home'].map((wing) => catalog.wingSpelling(sanitiseWing(wing))),
    tunnels: catalog.tunnels(),
    superseding: catalog.superseding(),
    paths: PATHS.map((path) => [
      catalog.taken(path),
      catalog.taken(vaultPath(path.toUpperCase())),
      catalog.has(path),
      catalog.title(path),
      ['Part', '^id', 'no'].map((fragment) => catalog.holds(path, fragment)),
      catalog.backlinks(path),
      catalog.linksTo(path),
      owners(catalog, path),
    ]),
    candidates: tiers.map((tier) => keys.map((key) => catalog.candidates(tier, key))),
    searches: ['tunnel mtu', '"plain words" peers', 'tunel home'].map((query) => [
      hits(catalog, query, { includeRaw: true }),
      hits(catalog, query, { wing: sanitiseWing('net'), hall: 'facts' }),
    ]),
    similar: catalog.similar('MTU', 'plain words about peers', { limit: 3 }),
  };
}

function hits(catalog: Catalog, query: string, filter: PlaceFilter): unknown {
  const found = searchNotes(catalog, query, { limit: 5, ...filter });
  return found.map(({ record, score, rank, terms }) => [record.path, score, rank, [...terms]]);
}

function owners(catalog: Catalog, path: VaultPath): unknown {
  const record = catalog.record(path);
  return record && [catalog.keyOwners(record.content_key), catalog.withHash(record.content_hash)];
}
