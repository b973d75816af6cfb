import * as z from 'zod';
import { compareText } from '../base/text';
import { tagKey } from '../catalog/link-keys';
import type { TitledPath } from '../catalog/note-search';
import type { NoteRecord } from '../catalog/record';
import { titleOf } from '../links/title';
import type { MarkdownFacts } from '../markdown/facts';
import type { Brain } from '../operation/context';
import { nearShape } from '../operation/shapes';
import { isStale } from '../vocabulary/envelope';
import type { VaultPath } from '../vocabulary/paths';

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
interface NearNote extends TitledPath {
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

/** How many neighbours a reader is shown. */
const MAX_NEIGHBOURS = 10;
/** A tag on more notes than this says where a note belongs, not what it is about, and would make every reading slow. */
const MAX_HOLDERS = 1000;

export const tagNeighbourShape = nearShape.extend({ tags: z.array(z.string()) });
type TagNeighbour = z.input<typeof tagNeighbourShape>;

/**
 * The reviewed notes that share tags with the note at `path`, those first that share the rarest, ties by path; each with the
 * tags shared, as the note itself spells them. A tag counts the less the more notes have it (Adamic and Adar, Friends and
 * neighbors on the Web, 2003).
 */
export function tagNeighbours(
  { catalog, clock }: Pick<Brain, 'catalog' | 'clock'>,
  path: VaultPath,
): TagNeighbour[] {
  const tags = catalog.record(path)?.tags ?? [];
  const found = new Map<VaultPath, { note: NoteRecord; weight: number; tags: string[] }>();
  for (const [, tag] of new Map(tags.map((tag) => [tagKey(tag), tag]))) {
    const holders = catalog.tagged(tag);
    if (holders.length > MAX_HOLDERS) continue;
    for (const note of holders) {
      if (note.path === path) continue;
      const known = found.get(note.path) ?? { note, weight: 0, tags: [] };
      known.weight += 1 / Math.log(1 + holders.length);
      known.tags.push(tag);
      found.set(note.path, known);
    }
  }
  const now = clock.now();
  return [...found.values()]
    .sort((a, b) => b.weight - a.weight || compareText(a.note.path, b.note.path))
    .slice(0, MAX_NEIGHBOURS)
    .map(({ note, tags: shared }) => ({
      path: note.path,
      title: note.title,
      stale: isStale(note.frontmatter, now),
      tags: shared.sort(compareText),
    }));
}
