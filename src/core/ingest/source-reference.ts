import type { VaultPath } from '../rules/paths';
import { linkTo } from '../rules/references';

/**
 * How a page refers to the document that it came from: a link to one that stands in the vault, else `file:` and its name. One
 * whose path cannot stand in a link is referred to by its name too.
 */
export function sourceReference(path: VaultPath | null, name: string): string {
  return (path === null ? null : linkTo(path, name)) ?? `file:${name}`;
}
