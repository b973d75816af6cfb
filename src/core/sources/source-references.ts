import { setKeys } from '../frontmatter/compose';
import { parseNote } from '../frontmatter/parse';
import { linkTo, newReferences, readReference } from '../links/references';
import { type LinkTargets, resolveLink } from '../links/resolve';
import type { Brain } from '../operation/context';
import { fileName, type VaultPath } from '../vocabulary/paths';

/** A property that is a list, or one value that a person wrote in its place. */
export function listOf(value: unknown): string[] {
  const items: readonly unknown[] = Array.isArray(value) ? value : [value];
  return items.filter((item): item is string => typeof item === 'string' && item !== '');
}

/**
 * Adds references to the `sources` of a note, after those that stand there; nothing else of it changes. `added` is empty when
 * all of them stand there in some form.
 * @throws BrainError `invalid_frontmatter` when the note's front matter cannot be edited safely.
 */
export function withReferences(
  text: string,
  references: readonly string[],
  targets: LinkTargets,
): { readonly text: string; readonly added: string[] } {
  const standing = listOf(parseNote(text).frontmatter.sources);
  const added = newReferences(standing, references, targets);
  return added.length === 0
    ? { text, added }
    : { text: setKeys(text, { sources: [...standing, ...added] }).text, added };
}

/**
 * What a caller says a source is, as an element of `sources`: an address of the web, or a link to a note, an attachment or a
 * kept original. Null for anything else, which is only a name.
 */
export function labelReference({ catalog }: Pick<Brain, 'catalog'>, label: string): string | null {
  const reference = readReference(label);
  if (reference.kind === 'address') return reference.address;
  if (reference.kind === 'words') return null;
  const found = resolveLink(reference.target, { path: null, wing: null, hall: null }, catalog);
  if (found.status !== 'resolved') return null;
  const name = catalog.record(found.path)?.title ?? fileName(found.path);
  return linkTo(found.path, reference.text ?? name, reference.fragment);
}

/**
 * How a page refers to the document that it came from: a link to one that stands in the vault, else `file:` and its name. One
 * whose path cannot stand in a link is referred to by its name too.
 */
export function sourceReference(path: VaultPath | null, name: string): string {
  return (path === null ? null : linkTo(path, name)) ?? `file:${name}`;
}
