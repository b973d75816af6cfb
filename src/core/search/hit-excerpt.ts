import type { Brain } from '../brain';
import type { NoteRecord } from '../catalog/note-record';
import { proseOf } from '../catalog/prose';
import { inSlices } from '../steps';
import { excerptSteps } from './excerpt-window';

/**
 * What to show of a note that was found: the window of its prose that tells most about the query, else its beginning, as
 * when the file has just gone. Never rejects.
 * @param terms what was found, each with its inverse document frequency
 */
export async function hitExcerpt(
  brain: Pick<Brain, 'catalog' | 'vault' | 'prose' | 'pace' | 'log'>,
  record: NoteRecord,
  terms: ReadonlyMap<string, number>,
): Promise<string> {
  const prose = terms.size === 0 ? null : await proseOf(brain, record);
  if (prose === null) return record.excerpt;
  const steps = excerptSteps(prose, terms, brain.catalog.words.analyser);
  return (await inSlices(steps, brain.pace)) ?? record.excerpt;
}
