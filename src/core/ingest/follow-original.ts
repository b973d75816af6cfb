import type { Brain } from '../brain';
import type { NoteRecord } from '../catalog/note-record';
import { BrainError } from '../errors';
import type { EditStep } from '../plan';
import { setKeys } from '../rules/frontmatter/compose';
import { parseNote } from '../rules/frontmatter/parse-note';
import { sha256 } from '../rules/hash';
import type { VaultPath } from '../rules/paths';
import { movedReference } from '../rules/references';
import { listOf } from './back-references';

/**
 * The edits by which the pages of an original that moves refer to its new place: of one that was ingested where it lay, and
 * is put away later. Like any link, that of a locked page follows too. A page that cannot be edited safely keeps its old
 * reference, and the move itself stands.
 */
export async function followOriginal(
  { vault }: Pick<Brain, 'vault'>,
  pages: readonly Pick<NoteRecord, 'path'>[],
  from: VaultPath,
  to: VaultPath,
): Promise<EditStep[]> {
  const steps: EditStep[] = [];
  for (const { path } of pages) {
    const text = await vault.read(path);
    const changed = text === null ? null : withMoved(text, from, to);
    if (text === null || changed === null) continue;
    steps.push({ kind: 'edit', path, before: sha256(text), text: changed, optional: true });
  }
  return steps;
}

/** Null when nothing is to be changed, or can be. */
function withMoved(text: string, from: VaultPath, to: VaultPath): string | null {
  const { frontmatter } = parseNote(text);
  const standing = listOf(frontmatter.sources);
  const sources = standing.map((element) => movedReference(element, from, to));
  if (sources.every((element, at) => element === standing[at])) return null;
  try {
    return setKeys(text, { sources }).text;
  } catch (error) {
    if (error instanceof BrainError && error.code === 'invalid_frontmatter') return null;
    throw error;
  }
}
