import type { Brain } from '../brain';
import type { TitledPath } from '../catalog/note-search';
import { markdownFacts } from '../rules/markdown';
import type { VaultPath } from '../rules/paths';
import { titleOf } from '../rules/title';

/** How many similar notes a writer is told of: enough to see that one stands already, few enough to read. */
const SIMILAR = 3;

/**
 * The reviewed notes most like a text that is about to stand at `path`, best first, never the note at `path` itself. They are
 * ranked, not judged: no score tells a duplicate from a neighbour, but a reader sees it at once.
 */
export function similarNotes(
  { catalog }: Pick<Brain, 'catalog'>,
  path: VaultPath,
  frontmatter: Readonly<Record<string, unknown>>,
  body: string,
): TitledPath[] {
  const facts = markdownFacts(body);
  const title = titleOf(frontmatter, facts, path);
  return catalog.similar(title, facts.plain, { exclude: path, limit: SIMILAR });
}
