import { foldLink, type LinkTargets, titleKey } from '../rules/links';
import type { MarkdownFacts } from '../rules/markdown';
import { linkPath, stemOf, type VaultPath } from '../rules/paths';
import { slugify } from '../rules/slug';
import { sha256 } from '../rules/hash';

/** A page of the batch as others may link to it: where it will stand, or the note that stands there in its place. */
export interface LinkedPage {
  readonly title: string;
  readonly aliases: readonly string[];
  readonly path: VaultPath;
  /** True when it stands, or will stand, among the notes that await review. */
  readonly queued: boolean;
  /** Null for a note that stands already: the catalog knows it. */
  readonly facts: Pick<MarkdownFacts, 'headings' | 'blockIds'> | null;
}

const NO_CONTENT = sha256('');

/**
 * What the links of a page may lead to: the other pages of its batch by title, alias, name or path, before everything that
 * stands in the vault. A page of the wiki may not link to one that awaits review.
 * @param fromQueue true for a page that awaits review itself
 * @returns adds them to what links may lead to without the batch
 */
export function batchTargets(
  pages: readonly LinkedPage[],
  fromQueue: boolean,
): (targets: LinkTargets) => LinkTargets {
  const names = new Map<string, Set<VaultPath>>();
  const byPath = new Map<string, LinkedPage>();
  const name = (key: string, { path }: LinkedPage): void => {
    const paths = names.get(key) ?? new Set();
    names.set(key, paths.add(path));
  };
  for (const page of pages) {
    if (page.queued && !fromQueue) continue;
    byPath.set(linkPath(page.path), page);
    for (const title of [page.title, ...page.aliases, stemOf(page.path)]) {
      name(titleKey(title), page);
      name(`slug:${slugify(title, NO_CONTENT)}`, page);
    }
  }
  const at = (path: string): VaultPath | null => byPath.get(linkPath(path))?.path ?? null;
  return (targets) => ({
    has: (path) => at(path) ?? targets.has(path),
    admits: at,
    candidates(tier, key) {
      const own = tier === 'suffix' ? undefined : names.get(tier === 'slug' ? `slug:${key}` : foldLink(key));
      return own === undefined ? targets.candidates(tier, key) : [...own];
    },
    fragments(path) {
      const facts = byPath.get(linkPath(path))?.facts ?? null;
      if (facts === null) return targets.fragments(path);
      return { headings: facts.headings, blocks: facts.blockIds };
    },
    title: (path) => byPath.get(linkPath(path))?.title ?? targets.title(path),
  });
}
