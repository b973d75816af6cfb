import type { Brain } from '../brain';
import type { TitledPath } from '../catalog/note-search';
import { isStale } from '../rules/envelope';
import type { MarkdownFacts } from '../rules/markdown';
import type { VaultPath } from '../rules/paths';
import { titleOf } from '../rules/title';

/** How many similar notes a writer is told of: enough to see that one stands already, few enough to read. */
const SIMILAR = 3;

/**
 * The reviewed notes most like a text that is about to stand at `path`, best first, never the note at `path` itself. They are
 * ranked, not judged: no score tells a duplicate from a neighbour, but a reader sees it at once.
 */
export function similarNotes(
  brain: Pick<Brain, 'catalog' | 'clock'>,
  path: VaultPath,
  frontmatter: Readonly<Record<string, unknown>>,
  facts: MarkdownFacts,
): NearNote[] {
  const title = titleOf(frontmatter, facts, path);
  return marked(brain, brain.catalog.similar(title, facts.plain, { exclude: path, limit: SIMILAR }));
}

/** A note beside another, and whether it is past its half-life: whoever follows it should know. */
export interface NearNote extends TitledPath {
  readonly stale: boolean;
}

/** Says of each note whether it is stale. */
export function marked(
  { catalog, clock }: Pick<Brain, 'catalog' | 'clock'>,
  notes: readonly TitledPath[],
): NearNote[] {
  const now = clock.now();
  return notes.map(({ path, title }) => ({
    path,
    title,
    stale: isStale(catalog.record(path)?.frontmatter ?? {}, now),
  }));
}
