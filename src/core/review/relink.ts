import type { Brain } from '../brain';
import type { Step } from '../commit';
import { BrainError } from '../errors';
import { replaceBody } from '../rules/frontmatter/compose';
import { parseNote } from '../rules/frontmatter/parse-note';
import { retargetLinks } from '../rules/gate-links';
import { sha256 } from '../rules/hash';
import type { VaultPath } from '../rules/paths';

/**
 * The edits that turn links to `from` into links to `to`, in the wiki and in the queue. They may be skipped: a note that
 * changes in between keeps its old link, and the move itself stands.
 */
export async function relinkSteps(
  brain: Pick<Brain, 'catalog' | 'vault'>,
  from: VaultPath,
  to: VaultPath,
): Promise<Step[]> {
  const steps: Step[] = [];
  for (const path of brain.catalog.linksTo(from)) {
    if (path === from) continue;
    const text = await readOrSkip(brain, path);
    if (text === null) continue;
    const { body } = parseNote(text);
    const relinked = retargetLinks(
      body,
      { from, to, at: path },
      (other) => brain.catalog.has(other) !== null,
    );
    if (relinked === body) continue;
    steps.push({
      kind: 'edit',
      path,
      before: sha256(text),
      text: replaceBody(text, relinked),
      optional: true,
    });
  }
  return steps;
}

/** A neighbour that has become unreadable keeps its old link; that is no reason to refuse the move. */
async function readOrSkip(brain: Pick<Brain, 'vault'>, path: VaultPath): Promise<string | null> {
  try {
    return await brain.vault.read(path);
  } catch (error) {
    if (error instanceof BrainError && error.code === 'unsupported_type') return null;
    throw error;
  }
}
