import { isStale } from '../rules/envelope';
import type { Range } from '../rules/markdown-section';
import { compareText } from '../rules/text';
import { bestParts, type Evidence } from './passages';

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
