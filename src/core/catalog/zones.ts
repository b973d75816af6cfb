import { type VaultPath, zoneOf } from '../rules/paths';

/** True for the places that the catalog knows. */
export function isCatalogued(path: string): boolean {
  return !['sessions', 'hidden', 'other'].includes(zoneOf(path));
}

/** Notes and attachments of the wiki, and the kept originals that notes name as their sources. */
export function isLinkable(path: VaultPath): boolean {
  return ['wiki', 'knowledge', 'processed'].includes(zoneOf(path));
}
