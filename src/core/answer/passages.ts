import type { Sha } from '../base/hash';
import { compareText } from '../base/text';
import type { Range } from '../markdown/spans';
import type { Brain } from '../operation/context';
import { type Trust, trustOf } from '../notes/trust';
import type { RetrievedHit } from '../search/retrieve';
import type { VaultPath } from '../vocabulary/paths';
import { type NoteText, readNoteText } from '../search/note-text';
import type { CoveredTerms, QueryCoverage } from './query-coverage';
import type { Citation } from './shapes';

/** The most pieces between a good piece and its context. */
const MAX_REACH = 100;

/** The pieces of a note, each with its share of the query. */
export interface Evidence extends NoteText {
  /** The hash of the file that the body was read from. */
  readonly contentHash: Sha;
  readonly hit: RetrievedHit;
  readonly trust: Trust;
  readonly shares: readonly number[];
  /** The words of the query in title, aliases, tags, wing and hall, which say what the text is about. */
  readonly named: CoveredTerms;
}

/** Reads the found notes, in order, without those that are gone, empty or unreadable. Never rejects. */
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
    const trust = await trustOf(brain, hit.record);
    gathered.push({ ...note, hit, trust, shares, named });
  }
  return gathered;
}

/** Reads a note; null when it fails, because one unreadable note must not cost the answer from the others. */
async function readable(brain: Brain, path: VaultPath): ReturnType<typeof readNoteText> {
  try {
    return await readNoteText(brain, path);
  } catch (error) {
    brain.log.warn('answer.read', { path, message: String(error) });
    return null;
  }
}

/**
 * Returns the most relevant parts of a note in text order, at most `budget` characters in all: the whole note when it is short,
 * otherwise the best pieces, each with its neighbours while there is room.
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
  // When only the title matches, the beginning says what the note is about.
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
 * Returns the most relevant range of a note: the best piece, grown to at most `budget` characters over its neighbours, never
 * over a comment.
 * @param shareOf returns the share of the query in a range
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
    // The neighbour that adds more wins; the following one when they add the same.
    const [next] = grown
      .filter(({ from, to }) => to - from <= budget)
      .sort((a, b) => shareOf(b) - shareOf(a));
    if (next === undefined) return stretch;
    if (next.from < stretch.from) before -= 1;
    else after += 1;
    stretch = next;
  }
}

/** Returns the indexes of the pieces, best first, the earlier of equals. */
function rank(shares: readonly number[]): number[] {
  return shares.map((_, index) => index).sort((a, b) => (shares[b] ?? 0) - (shares[a] ?? 0) || a - b);
}

/** Joins pieces that only white space separates. */
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

/** Returns a citation of the words in `range` of a note's body. */
export function citationOf(
  { hit: { record }, trust, body, contentHash }: Evidence,
  n: number,
  { from, to }: Range,
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
    ...trust,
  };
}

/** The text of the notes for a model, in UTF-16 units: for the best note, for any other, and in all. */
const TOP_BUDGET = 6_000;
const OTHER_BUDGET = 3_000;
const ALL_BUDGET = 24_000;
/** The separator of two parts of a note with text left out between. */
const GAP = '\n[…]\n';

/** A note as shown to a model. */
export interface Passage {
  readonly evidence: Evidence;
  readonly parts: readonly Range[];
  readonly text: string;
  readonly stale: boolean;
}

/**
 * Selects the text for a model: most of the note ranked first, an equal share of the rest from the others. The notes that it
 * should prefer come first: fresh before stale ones, then newer before older ones.
 */
export function selectPassages(evidence: readonly Evidence[]): Passage[] {
  let room = ALL_BUDGET;
  const passages = evidence.flatMap((note, rank) => {
    const share = rank === 0 ? TOP_BUDGET : Math.min(OTHER_BUDGET, room / (evidence.length - rank));
    const parts = bestParts(note, Math.min(share, room));
    if (parts.length === 0) return [];
    room -= parts.reduce((sum, { from, to }) => sum + to - from, 0);
    const text = parts.map(({ from, to }) => note.body.slice(from, to)).join(GAP);
    return { evidence: note, parts, text, stale: note.trust.stale };
  });
  const date = ({ evidence: { trust } }: Passage) => trust.date ?? '';
  return passages.sort((a, b) => Number(a.stale) - Number(b.stale) || compareText(date(b), date(a)));
}
