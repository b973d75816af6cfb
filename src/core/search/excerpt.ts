import { inSlices, type Steps } from '../base/steps';
import { type Beside, besideText } from '../catalog/beside';
import { MAX_PROSE, textsOf } from '../catalog/prose';
import type { NoteRecord } from '../catalog/record';
import { excerptSteps, type Wanted } from '../fulltext/best-window';
import type { Analyser } from '../fulltext/terms';
import type { Brain } from '../operation/context';

/** The part of every note that is searched for an excerpt, in UTF-16 units. */
const MIN_REACH = 100_000;
/**
 * The additional text that is searched in the notes of one answer, best first, in bytes of their files. With fifty notes, the
 * most of an answer, that makes at most nine million units: about a second of work at first, and the texts of all of them still
 * fit into the cache.
 */
const MAX_LONG = 4 * MAX_PROSE;

/** The facts about a hit that decide how much of it is searched. */
interface Hit {
  readonly record: Pick<NoteRecord, 'size'>;
  readonly terms: ReadonlyMap<string, number>;
}

/** Returns how much of each note of an answer, best first, is searched: all of it while the budget lasts. */
export function excerptReaches(hits: readonly Hit[]): number[] {
  let room = MAX_LONG;
  return hits.map(({ record, terms }) => {
    // A note found by its vector alone shows its beginning.
    const cost = terms.size === 0 ? 0 : Math.min(record.size, MAX_PROSE);
    if (cost > MIN_REACH && cost > room) return MIN_REACH;
    if (cost > MIN_REACH) room -= cost;
    return MAX_PROSE;
  });
}

/**
 * Returns the excerpt of a found note: the window of its prose with the most information about the query; where the prose has none of
 * its words, that of all its text, with headings and code; then what its properties, embeds and comments say; otherwise its beginning,
 * as when the file is gone. Never rejects.
 * @param wanted the matched terms and the quoted phrases
 * @param reach the part of the prose that is searched
 */
export async function hitExcerpt(
  brain: Pick<Brain, 'catalog' | 'vault' | 'prose' | 'pace' | 'log'>,
  record: NoteRecord,
  wanted: Wanted,
  reach: number,
): Promise<string> {
  const texts = wanted.terms.size === 0 ? null : await textsOf(brain, record, reach);
  if (texts === null) return record.excerpt;
  const { analyser } = brain.catalog.words;
  return inSlices(
    (function* () {
      return (
        (yield* excerptSteps(texts.prose, wanted, analyser)) ??
        (texts.shown === texts.prose ? null : yield* excerptSteps(texts.shown, wanted, analyser)) ??
        (yield* besideSteps(besideText(record, texts.comments), wanted, analyser)) ??
        record.excerpt
      );
    })(),
    brain.pace,
  );
}

/** Returns what properties with words of the query say, such as `director: Andrei Tarkovsky`; null if none has any. */
function* besideSteps(beside: readonly Beside[], wanted: Wanted, analyser: Analyser): Steps<string | null> {
  const lines: string[] = [];
  for (const { key, text } of beside) {
    const found = yield* excerptSteps(text, wanted, analyser);
    if (found !== null) lines.push(key === null ? found : `${key}: ${found}`);
  }
  return lines.length < 2 ? (lines[0] ?? null) : yield* excerptSteps(lines.join(' · '), wanted, analyser);
}
