import { inSlices } from '../base/steps';
import { MAX_PROSE, proseOf } from '../catalog/prose';
import type { NoteRecord } from '../catalog/record';
import { excerptSteps, type Wanted } from '../fulltext/excerpt';
import type { Brain } from '../operation/context';

/** So much of a note is looked through in any case, in UTF-16 units. */
const MIN_REACH = 100_000;
/**
 * So much of the notes of one answer is looked through beyond that, the best ones first, in bytes of their files. With fifty
 * notes, more than which no answer has, it is at most nine million units: a second's work for the first time, and little
 * enough for the prose of all of them to be remembered for the next.
 */
const MAX_LONG = 4 * MAX_PROSE;

/** What says how far a note is looked through. */
interface Hit {
  readonly record: Pick<NoteRecord, 'size'>;
  readonly terms: ReadonlyMap<string, number>;
}

/** How far each of the notes of one answer, best first, is looked through: as far as it goes while there is room for it. */
export function excerptReaches(hits: readonly Hit[]): number[] {
  let room = MAX_LONG;
  return hits.map(({ record, terms }) => {
    // Of a note found by its meaning alone the beginning is shown.
    const cost = terms.size === 0 ? 0 : Math.min(record.size, MAX_PROSE);
    if (cost > MIN_REACH && cost > room) return MIN_REACH;
    if (cost > MIN_REACH) room -= cost;
    return MAX_PROSE;
  });
}

/**
 * What to show of a note that was found: the window of its prose that tells most about the query, else its beginning, as
 * when the file has just gone. Never rejects.
 * @param wanted what was found, and what was looked for word for word
 * @param reach so much of the prose is looked through
 */
export async function hitExcerpt(
  brain: Pick<Brain, 'catalog' | 'vault' | 'prose' | 'pace' | 'log'>,
  record: NoteRecord,
  wanted: Wanted,
  reach: number,
): Promise<string> {
  const prose = wanted.terms.size === 0 ? null : await proseOf(brain, record, reach);
  if (prose === null) return record.excerpt;
  const steps = excerptSteps(prose, wanted, brain.catalog.words.analyser);
  return (await inSlices(steps, brain.pace)) ?? record.excerpt;
}
