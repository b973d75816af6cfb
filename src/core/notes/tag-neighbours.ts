import * as z from 'zod';
import type { Brain } from '../brain';
import type { NoteRecord } from '../catalog/note-record';
import { tagKey } from '../catalog/link-tables';
import type { VaultPath } from '../rules/paths';
import { isStale } from '../rules/envelope';
import { compareText } from '../rules/text';
import { nearShape } from '../shapes';

/** How many neighbours a reader is shown. */
const MAX_NEIGHBOURS = 10;
/** A tag on more notes than this says where a note belongs, not what it is about, and would make every reading slow. */
const MAX_HOLDERS = 1000;

export const tagNeighbourShape = nearShape.extend({ tags: z.array(z.string()) });
export type TagNeighbour = z.input<typeof tagNeighbourShape>;

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
