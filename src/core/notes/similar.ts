import * as z from 'zod';
import { ITEMS_PER_STEP, type Steps, Tally } from '../base/steps';
import { compareText } from '../base/text';
import { tagKey } from '../catalog/link-keys';
import { SIMILAR_TEXT } from '../catalog/note-search';
import { type SharingNote, withSharedWords } from '../catalog/shared-words';
import type { NoteRecord } from '../catalog/record';
import type { Brain } from '../operation/context';
import { type nearShape, relatedShape } from '../operation/shapes';
import { isStale } from '../vocabulary/envelope';
import type { VaultPath } from '../vocabulary/paths';

/** The number of similar notes in an answer to a write: enough to notice a duplicate, few enough to read. */
const SIMILAR = 3;

/** A similar note, and whether it is past its half-life. */
export type NearNote = z.input<typeof nearShape>;

type Reading = Pick<Brain, 'catalog' | 'clock' | 'vault' | 'prose' | 'pace' | 'log'>;

/**
 * Resolves with the reviewed notes most similar to a text for `path`, best first, three at most, without the note at `path`. Each shares a
 * rare word with the text in some form, and names at most five that stand in both as evidence. No score separates a duplicate from a
 * related note, but a reader sees it.
 */
export async function similarNotes(
  brain: Reading,
  { path, title }: Pick<NoteRecord, 'path' | 'title'>,
  text: string,
): Promise<NearNote[]> {
  const notes = await sharingNotes(brain, { path, title }, text, { limit: SIMILAR });
  const now = brain.clock.now();
  return notes.map((note) => ({
    path: note.path,
    title: note.title,
    stale: isStale(brain.catalog.record(note.path)?.frontmatter ?? {}, now),
    shared: [...note.shared],
  }));
}

/** Resolves with the notes most similar to a text, as `catalog.similar` finds them, and the words that stand in both. */
export async function sharingNotes(
  brain: Reading,
  { path, title }: { readonly path?: VaultPath; readonly title: string },
  text: string,
  options: { readonly limit: number; readonly isQueued?: boolean },
): Promise<SharingNote[]> {
  const exclude = path === undefined ? {} : { exclude: path };
  const found = await brain.pace.run(() => brain.catalog.similar(title, text, { ...options, ...exclude }));
  return withSharedWords(brain, [title, text.slice(0, SIMILAR_TEXT)], found);
}

/** The most neighbours in an answer. */
const MAX_NEIGHBOURS = 10;
/**
 * A tag of more notes than this is ignored: it says where a note belongs, not what it is about, and would slow down every read.
 */
const MAX_HOLDERS = 1000;

export const tagNeighbourShape = relatedShape.extend({ tags: z.array(z.string()) });
type TagNeighbour = z.input<typeof tagNeighbourShape>;

/**
 * Returns the reviewed notes that share tags with the note at `path`, with the shared tags as that note spells them: rarest
 * tags first, ties by path. The weight of a tag falls with the number of its notes (Adamic and Adar, Friends and neighbors on
 * the Web, 2003).
 */
export function* tagNeighbours(
  { catalog, clock }: Pick<Brain, 'catalog' | 'clock'>,
  path: VaultPath,
): Steps<TagNeighbour[]> {
  const tally = new Tally(ITEMS_PER_STEP);
  const tags = catalog.record(path)?.tags ?? [];
  const found = new Map<VaultPath, { note: NoteRecord; weight: number; tags: string[] }>();
  for (const [, tag] of new Map(tags.map((tag) => [tagKey(tag), tag]))) {
    const holders = catalog.tagged(tag);
    if (tally.isFull(1 + holders.length)) yield;
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
