import { compareText } from '../base/text';
import { isChangedSinceReview } from '../base/time';
import type { Range } from '../markdown/spans';
import type { Brain } from '../operation/context';
import type { RetrievedHit } from '../search/retrieve';
import { isStale } from '../vocabulary/envelope';
import type { VaultPath } from '../vocabulary/paths';
import { type NoteText, readNoteText } from './note-text';
import type { CoveredTerms, QueryCoverage } from './query-coverage';
import type { Citation } from './shapes';

/** So many pieces away from a good one nothing explains it any more. */
const MAX_REACH = 100;

/** Pieces of a note with how much of the query each holds. */
export interface Evidence extends NoteText {
  readonly hit: RetrievedHit;
  readonly shares: readonly number[];
  /** What title, aliases, tags, wing and hall hold of the query: they say what the text is about. */
  readonly named: CoveredTerms;
}

/** Reads the notes that were found, in their order, without those that are gone, empty or cannot be read. Never rejects. */
export async function gatherEvidence(
  brain: Brain,
  hits: readonly RetrievedHit[],
  worth: QueryCoverage,
): Promise<Evidence[]> {
  const gathered: Evidence[] = [];
  for (const hit of hits) {
    const note = await readable(brain, hit.record.path);
    if (note === null || note.pieces.length === 0) continue;
    const shares: number[] = [];
    for (const { from, to } of note.pieces) {
      shares.push(await brain.pace.run(() => worth.share(worth.in(note.body.slice(from, to)))));
    }
    const { title, aliases, tags, wing, hall } = hit.record;
    const named = worth.in([title, ...aliases, ...tags, wing ?? '', hall ?? ''].join('\n'));
    gathered.push({ ...note, hit, shares, named });
  }
  return gathered;
}

/** One note that the disk does not give must not cost the answer that the others give. */
async function readable(brain: Brain, path: VaultPath): Promise<NoteText | null> {
  try {
    return await readNoteText(brain, path);
  } catch (error) {
    brain.log.warn('answer.read', { path, message: String(error) });
    return null;
  }
}

/**
 * The parts of a note that say most about the query, in the order of the text, at most `budget` characters together: the
 * whole note when it is short; else the best pieces, each with what stands before and after it, as long as there is room.
 */
function bestParts({ body, pieces, shares }: Evidence, budget: number): Range[] {
  const chosen = new Set<number>();
  let room = budget;
  const take = (index: number): boolean => {
    const piece = pieces[index];
    if (piece === undefined || chosen.has(index) || piece.to - piece.from > room) return false;
    chosen.add(index);
    room -= piece.to - piece.from;
    return true;
  };
  const ranked = rank(shares);
  for (const index of ranked) {
    if ((shares[index] ?? 0) > 0 && take(index)) [index + 1, index - 1].forEach(take);
  }
  // Where only the title speaks of it, the beginning says what the note is about.
  if (chosen.size === 0) take(0);
  const centres = ranked.filter((index) => chosen.has(index));
  for (let reach = 1, grown = true; grown && reach <= MAX_REACH; reach += 1) {
    grown = centres
      .map((centre) => [centre + reach, centre - reach].map(take))
      .flat()
      .some(Boolean);
  }
  return joined(
    body,
    [...chosen].sort((a, b) => a - b).flatMap((index) => pieces[index] ?? []),
  );
}

/**
 * The one stretch of a note that says most about the query: the best piece, grown to at most `budget` characters over what
 * stands next to it, never over a comment.
 * @param shareOf how much of the query a stretch holds
 */
export function bestStretch(
  { body, pieces, shares }: Evidence,
  shareOf: (stretch: Range) => number,
  budget: number,
): Range {
  const best = rank(shares)[0] ?? 0;
  let stretch: Range = pieces[best] ?? { from: 0, to: 0 };
  let [before, after] = [best - 1, best + 1];
  for (;;) {
    const [earlier, later] = [pieces[before], pieces[after]];
    const grown: Range[] = [];
    if (later && isBlank(body, stretch.to, later.from)) grown.push({ from: stretch.from, to: later.to });
    if (earlier && isBlank(body, earlier.to, stretch.from))
      grown.push({ from: earlier.from, to: stretch.to });
    // Of two neighbours that fit, the one that adds more; what follows when they add the same.
    const [next] = grown
      .filter(({ from, to }) => to - from <= budget)
      .sort((a, b) => shareOf(b) - shareOf(a));
    if (next === undefined) return stretch;
    if (next.from < stretch.from) before -= 1;
    else after += 1;
    stretch = next;
  }
}

/** Indexes of the pieces, best first, the earlier of equals. */
function rank(shares: readonly number[]): number[] {
  return shares.map((_, index) => index).sort((a, b) => (shares[b] ?? 0) - (shares[a] ?? 0) || a - b);
}

/** Pieces between which nothing but white space stands are one part. */
export function joined(body: string, pieces: readonly Range[]): Range[] {
  const parts: { from: number; to: number }[] = [];
  for (const { from, to } of pieces) {
    const last = parts.at(-1);
    if (last !== undefined && isBlank(body, last.to, from)) last.to = to;
    else parts.push({ from, to });
  }
  return parts;
}

function isBlank(body: string, from: number, to: number): boolean {
  return body.slice(from, to).trim() === '';
}

/** A citation of the words in `range` of a note's body. */
export function citationOf(
  { hit: { record }, body, contentHash }: Evidence,
  n: number,
  { from, to }: Range,
  now: Date,
): Citation {
  return {
    n,
    path: record.path,
    title: record.title,
    quote: body.slice(from, to),
    content_hash: contentHash,
    ...(record.wing !== null && { wing: record.wing }),
    ...(record.hall !== null && { hall: record.hall }),
    ...(record.origin !== undefined && { origin: record.origin }),
    ...(record.written_by !== undefined && { written_by: record.written_by }),
    ...(record.updated_at !== undefined && { updated_at: record.updated_at }),
    status: record.status,
    stale: isStale(record.frontmatter, now),
    ...(isChangedSinceReview(record.frontmatter) && { changed_since_review: true as const }),
  };
}

/** What a model is shown of the notes, in UTF-16 units: of the best one, of any other, and of all. */
const TOP_BUDGET = 6_000;
const OTHER_BUDGET = 3_000;
const ALL_BUDGET = 24_000;
/** Stands where something is left out between two parts of a note. */
const GAP = '\n[…]\n';

/** A note as a model is shown it. */
export interface Passage {
  readonly evidence: Evidence;
  readonly parts: readonly Range[];
  readonly text: string;
  readonly stale: boolean;
}

/**
 * What a model is shown: of the note ranked first most, of the others an equal share of the rest, then those first that it
 * is to prefer, which are the ones that are not stale, and of them the newer ones.
 */
export function selectPassages(evidence: readonly Evidence[], now: Date): Passage[] {
  let room = ALL_BUDGET;
  const passages = evidence.flatMap((note, rank) => {
    const share = rank === 0 ? TOP_BUDGET : Math.min(OTHER_BUDGET, room / (evidence.length - rank));
    const parts = bestParts(note, Math.min(share, room));
    if (parts.length === 0) return [];
    room -= parts.reduce((sum, { from, to }) => sum + to - from, 0);
    const text = parts.map(({ from, to }) => note.body.slice(from, to)).join(GAP);
    return { evidence: note, parts, text, stale: isStale(note.hit.record.frontmatter, now) };
  });
  const date = ({ evidence: { hit } }: Passage) => hit.record.updated_at ?? '';
  return passages.sort((a, b) => Number(a.stale) - Number(b.stale) || compareText(date(b), date(a)));
}
