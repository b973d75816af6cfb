import { setKeys } from '../frontmatter/compose';
import { parseNote } from '../frontmatter/parse';
import { linkTo, newReferences, readReference } from '../links/references';
import { type LinkTargets, NOWHERE, resolveLink } from '../links/resolve';
import type { Brain } from '../operation/context';
import { fileName, type VaultPath } from '../vocabulary/paths';

/** Returns a property as a list; a person may have written a single value. */
export function listOf(value: unknown): string[] {
  const items: readonly unknown[] = Array.isArray(value) ? value : [value];
  return items.filter((item): item is string => typeof item === 'string' && item !== '');
}

/**
 * Appends references to the `sources` of a note; nothing else changes. `added` is empty when it has all of them in some form.
 * @throws BrainError `invalid_frontmatter` when the front matter cannot be edited safely
 */
export function withReferences(
  text: string,
  references: readonly string[],
  targets: LinkTargets,
): { readonly text: string; readonly added: string[] } {
  const existing = listOf(parseNote(text).frontmatter.sources);
  const added = newReferences(existing, references, targets);
  return added.length === 0
    ? { text, added }
    : { text: setKeys(text, { sources: [...existing, ...added] }).text, added };
}

/**
 * Returns the element of `sources` for a source that a caller names: a web address, or a link to a note, an attachment or a
 * kept original. Null for anything else, which is only a name.
 */
export function labelReference({ catalog }: Pick<Brain, 'catalog'>, label: string): string | null {
  const reference = readReference(label);
  if (reference.kind === 'address') return reference.address;
  if (reference.kind === 'words') return null;
  const found = resolveLink(reference.target, NOWHERE, catalog);
  if (found.status !== 'resolved') return null;
  const name = catalog.record(found.path)?.title ?? fileName(found.path);
  return linkTo(found.path, reference.text ?? name, reference.fragment);
}

/**
 * Returns the element of `sources` for the document of a page: a link to a file in the vault, or `file:` and the name for one
 * that is outside it or cannot be linked.
 */
export function sourceReference(path: VaultPath | null, name: string): string {
  return (path === null ? null : linkTo(path, name)) ?? `file:${name}`;
}
