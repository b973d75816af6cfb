import type { Brain } from '../brain';
import type { Step } from '../commit';
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
    const text = await brain.vault.read(path);
    if (text === null) continue;
    const { body } = parseNote(text);
    const relinked = retargetLinks(body, from, to);
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
