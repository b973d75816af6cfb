import { hasFragment } from '../../src/core/links/headings';
import { foldLink, type HeadingPlace, type LinkTargets, titleKey } from '../../src/core/links/resolve';
import { sha256 } from '../../src/core/base/hash';
import { linkPath, stemOf, type VaultPath, vaultPath } from '../../src/core/vocabulary/paths';
import { slugify } from '../../src/core/vocabulary/address';

export interface FakeNote {
  readonly path: string;
  readonly title?: string;
  readonly aliases?: readonly string[];
  /** Texts are headings of level 2. */
  readonly headings?: readonly (string | HeadingPlace)[];
  readonly blocks?: readonly string[];
}

/** Link targets over a plain list, each question answered by looking at every note: slow, and easy to see right. */
export function linkTargets(notes: readonly FakeNote[]): LinkTargets {
  const all = notes.map((note) => ({ ...note, path: vaultPath(note.path) }));
  const titleOf = (note: FakeNote) => note.title ?? stemOf(note.path).replace(/-/g, ' ');
  const named = (note: FakeNote, tier: Parameters<LinkTargets['candidates']>[0], key: string): boolean => {
    const stem = stemOf(note.path);
    switch (tier) {
      case 'suffix':
        return linkPath(note.path) === key || linkPath(note.path).endsWith(`/${key}`);
      case 'basename':
        return stem === key;
      case 'folded':
        return foldLink(stem) === key;
      case 'title':
        return titleKey(titleOf(note)) === key;
      case 'alias':
        return (note.aliases ?? []).some((alias) => titleKey(alias) === key);
      case 'slug':
        return slugify(stem, sha256('')) === key;
    }
  };
  const find = (path: string) => all.find((note) => note.path === path);
  return {
    has: (path) => find(path)?.path ?? find(`${path}.md`)?.path ?? null,
    candidates: (tier, key): VaultPath[] =>
      all
        .filter((note) => /^(?:wiki|knowledge)\/.*\.md$/.test(note.path) && named(note, tier, key))
        .map(({ path }) => path),
    holds: (path, fragment) => {
      const headings = (find(path)?.headings ?? []).map((heading) =>
        typeof heading === 'string' ? { level: 2, text: heading } : heading,
      );
      return hasFragment(headings, find(path)?.blocks ?? [], fragment);
    },
    title: (path) => {
      const note = find(path);
      return note === undefined ? stemOf(path) : titleOf(note);
    },
  };
}
