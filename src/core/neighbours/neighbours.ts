import * as z from 'zod';
import { inSlices, type Steps } from '../base/steps';
import { compareText } from '../base/text';
import { SIMILAR_TEXT } from '../catalog/note-search';
import { textsOf } from '../catalog/prose';
import type { NoteRecord } from '../catalog/record';
import { isEmbeddedStatus } from '../embeddings/roots';
import { outgoingSteps } from '../notes/get';
import { sharingNotes } from '../notes/similar';
import { noSuchNote, readPath, targetFields } from '../notes/targets';
import type { Brain } from '../operation/context';
import { operation } from '../operation/operation';
import { countShape, pathShape, readingShape, timeShape } from '../operation/shapes';
import { suggestedAddress } from '../review/risks';
import { forgetTarget } from '../review/review-note';
import { notePath } from '../vocabulary/address';
import { isStale } from '../vocabulary/envelope';
import { isOwners } from '../vocabulary/ownership';
import type { VaultPath } from '../vocabulary/paths';

const STATUSES = ['wiki', 'knowledge', 'raw', 'vault'] as const;
/** The most notes of each kind that are listed. */
const MOST_SIMILAR = 10;
const MOST_QUEUED = 20;
const MOST_LINKS = 100;
/** The number of queued notes that are looked at in one step. */
const QUEUED_PER_STEP = 128;
/** The length of the text whose meaning is compared (UTF-16 units). */
const MEANT_TEXT = 1_000;

const neighbourShape = z.object({
  path: pathShape,
  title: z.string(),
  excerpt: z.string(),
  status: z.enum(STATUSES).describe('raw = not reviewed, vault = a note of the owner'),
  origin: z.string().optional(),
  written_by: z.string().optional(),
  updated_at: timeShape.optional(),
  stale: z.boolean().describe('True when the note is past its half-life'),
  by_agent: z.boolean().describe('True for a note that was written for an agent'),
  links_here: z.boolean(),
  linked: z.boolean().describe('True when the note that was asked about links to it'),
  shared: z.array(z.string()).describe('The rare words that stand in both, rarest first; empty for none'),
  by_meaning: z.boolean().describe('True when its meaning is near'),
  asks: z
    .enum(['replace', 'forget'])
    .optional()
    .describe('What a queued note asks of this one: to stand in its place, or to have it forgotten'),
});
type Neighbour = z.input<typeof neighbourShape>;

const meaningShape = z
  .enum(['off', 'used', 'degraded'])
  .describe('Whether notes of near meaning were looked for; degraded = that is set up and did not answer');

const output = z.object({
  path: pathShape,
  title: z.string(),
  status: z.enum(STATUSES),
  meaning: meaningShape,
  links_here: countShape.describe('How many notes link to it, also those that are not listed'),
  linked: countShape.describe('How many notes it links to, also those that are not listed'),
  neighbours: z.array(neighbourShape).describe('Each once: those that are most like it first'),
  reading: readingShape.optional(),
});

/**
 * Lists the notes that have to do with one: similar by words and by meaning, linked in either direction, and what waits for
 * review about it. Fails with `note_not_found`, `ambiguous` or `path_not_allowed`, also for a note that is not read.
 */
export const neighbours = operation({
  name: 'neighbours',
  scope: 'read',
  mutates: false,
  early: true,
  input: z.strictObject(targetFields),
  output,
  async run(brain, target) {
    const path = await readPath(brain, target);
    const note = brain.catalog.record(path);
    if (note === undefined || !isShown(note)) throw await noSuchNote(brain, path, path);
    const reading = brain.reading();
    const text = (await textsOf(brain, note, SIMILAR_TEXT))?.prose ?? note.excerpt;
    const near = await nearest(brain, note, text);
    const found = near === null ? 'degraded' : 'used';
    const meaning: z.input<typeof meaningShape> = brain.hybrid === null ? 'off' : found;
    const words = [
      ...(await sharingNotes(brain, note, text, { limit: MOST_SIMILAR })),
      ...(await sharingNotes(brain, note, text, { limit: MOST_QUEUED, isQueued: true })),
    ];
    const outgoing = new Set<VaultPath>();
    await inSlices(
      outgoingSteps(
        [...note.links, ...note.propertyLinks],
        note,
        { catalog: brain.catalog, targets: brain.catalog },
        outgoing,
      ),
      brain.pace,
    );
    const linked = shownOf(brain, [...outgoing].sort(compareText), path);
    const linksHere = shownOf(brain, brain.catalog.backlinks(path), path);
    const asking = await inSlices(askingSteps(brain, path), brain.pace);
    const shared = new Map(words.map((similar) => [similar.path, similar.shared]));
    const isIn = {
      near: new Set(near),
      linked: new Set(linked),
      linksHere: new Set(linksHere),
    };
    const listed = new Set([
      ...asking.keys(),
      ...shared.keys(),
      ...shownOf(brain, near ?? [], path),
      ...linksHere.slice(0, MOST_LINKS),
      ...linked.slice(0, MOST_LINKS),
    ]);
    return {
      path,
      title: note.title,
      status: note.status,
      meaning,
      links_here: linksHere.length,
      linked: linked.length,
      neighbours: [...listed].flatMap((at) => {
        const record = brain.catalog.record(at);
        if (record === undefined || !isShown(record)) return [];
        const asks = asking.get(at);
        return [
          {
            ...aboutNote(brain, record),
            links_here: isIn.linksHere.has(at),
            linked: isIn.linked.has(at),
            shared: [...(shared.get(at) ?? [])],
            by_meaning: isIn.near.has(at),
            ...(asks !== undefined && { asks }),
          },
        ];
      }),
      ...(reading && { reading }),
    };
  },
});

type Shown = NoteRecord & { readonly status: Neighbour['status'] };

function isShown(note: NoteRecord): note is Shown {
  return note.status !== 'rejected';
}

/** Returns the paths of notes that are listed, without the note at `path` itself. */
function shownOf({ catalog }: Brain, paths: readonly VaultPath[], path: VaultPath): VaultPath[] {
  return paths.filter((at) => {
    const note = catalog.record(at);
    return at !== path && note !== undefined && isShown(note);
  });
}

function aboutNote(
  { clock }: Brain,
  note: Shown,
): Omit<Neighbour, 'links_here' | 'linked' | 'shared' | 'by_meaning' | 'asks'> {
  return {
    path: note.path,
    title: note.title,
    excerpt: note.excerpt,
    status: note.status,
    ...(note.origin !== undefined && { origin: note.origin }),
    ...(note.written_by !== undefined && { written_by: note.written_by }),
    ...(note.updated_at !== undefined && { updated_at: note.updated_at }),
    stale: isStale(note.frontmatter, clock.now()),
    by_agent: !isOwners(note),
  };
}

/** Returns the notes whose meaning is nearest, nearest first; null where that is not set up or does not answer. */
async function nearest(brain: Brain, { path, title }: NoteRecord, text: string): Promise<VaultPath[] | null> {
  if (brain.hybrid === null) return null;
  const asked = `${title}\n${text.slice(0, MEANT_TEXT)}`;
  // The note itself is nearest of all.
  const found = await brain.hybrid.nearest(asked, MOST_SIMILAR + 1, () =>
    Promise.resolve({ except: [path] }),
  );
  return (
    found
      ?.map((row) => row.path)
      .filter((at) => {
        const note = brain.catalog.record(at);
        return at !== path && note !== undefined && isEmbeddedStatus(brain.config.embedRoots, note.status);
      }) ?? null
  );
}

/** Returns the queued notes that ask something of the note at `path`, with what they ask. */
function* askingSteps({ catalog }: Brain, path: VaultPath): Steps<Map<VaultPath, Neighbour['asks']>> {
  const found = new Map<VaultPath, Neighbour['asks']>();
  for (const [at, note] of catalog.notes('raw').entries()) {
    if (at % QUEUED_PER_STEP === 0) yield;
    const forgets = forgetTarget(note);
    const address = forgets === null ? suggestedAddress({ catalog }, note) : null;
    if (forgets === path) found.set(note.path, 'forget');
    else if (address !== null && catalog.taken(notePath(address)) === path) found.set(note.path, 'replace');
  }
  return found;
}
