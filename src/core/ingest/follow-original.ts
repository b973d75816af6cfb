import type { Brain } from '../brain';
import type { NoteRecord } from '../catalog/note-record';
import { BrainError } from '../errors';
import type { EditStep } from '../plan';
import { setKeys } from '../rules/frontmatter/compose';
import { parseNote } from '../rules/frontmatter/parse-note';
import { sha256 } from '../rules/hash';
import { fold, linkPath, type VaultPath } from '../rules/paths';
import { linkTo, readReference } from '../rules/references';
import { listOf } from './back-references';

/**
 * The edits by which pages that link to a file as their source link to it where it is about to be. They are optional: a page
 * that is changed meanwhile, or whose front matter cannot be edited, keeps the link it has.
 */
export async function followOriginal(
  { vault }: Pick<Brain, 'vault'>,
  pages: readonly NoteRecord[],
  from: VaultPath,
  to: VaultPath,
): Promise<EditStep[]> {
  const steps: EditStep[] = [];
  for (const { path, frontmatter } of pages) {
    if (!listOf(frontmatter.sources).some((element) => leadsTo(element, from))) continue;
    const before = await vault.read(path);
    const text = before === null ? null : moved(before, from, to);
    if (before === null || text === null) continue;
    steps.push({ kind: 'edit', path, before: sha256(before), text, optional: true });
  }
  return steps;
}

function leadsTo(element: string, path: VaultPath): boolean {
  const reference = readReference(element);
  return reference.kind === 'link' && fold(linkPath(reference.target)) === fold(linkPath(path));
}

/** The note with its links to the one file leading to the other; null when nothing of it can be changed. */
function moved(text: string, from: VaultPath, to: VaultPath): string | null {
  const sources = listOf(parseNote(text).frontmatter.sources).map((element) => {
    const reference = readReference(element);
    if (reference.kind !== 'link' || !leadsTo(element, from)) return element;
    return linkTo(to, reference.text ?? '', reference.fragment) ?? element;
  });
  try {
    const edited = setKeys(text, { sources }).text;
    return edited === text ? null : edited;
  } catch (error) {
    if (error instanceof BrainError && error.code === 'invalid_frontmatter') return null;
    throw error;
  }
}
