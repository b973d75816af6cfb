import type { BenchDocument } from './corpus';
import { randomFrom } from './support';

/** Queries of one length and kind. */
export interface QueryList {
  readonly name: string;
  readonly words: number;
  /**
   * `topical`: words that some documents hold. `frequent`: words that many hold, stop words among them. `prose`: words in a row
   * as they stand.
   */
  readonly kind: 'topical' | 'frequent' | 'prose';
  readonly warmUp: readonly string[];
  readonly timed: readonly string[];
}

/**
 * A topical word stands in at least so many of the documents looked at, and in at most a tenth of them; a frequent one in
 * more.
 */
const FEWEST = 3;
const MOST_SHARE = 0.1;
const WARM_UP = 50;
/** A longer "word" is a whole sentence of a script without spaces, which nobody types. */
const LONGEST_WORD = 20;
const TRIES = 100_000;

/**
 * Queries of 1, 3 and 8 words taken from the documents themselves, the same for every engine and run. Throws when the documents
 * are too few or too short for them.
 */
export function queryLists(documents: readonly BenchDocument[], count: number, seed: number): QueryList[] {
  const random = randomFrom(seed);
  const words = documents.map(({ text }) => wordsIn(text));
  const homes = new Map<string, number>();
  for (const list of words) for (const word of new Set(list)) homes.set(word, (homes.get(word) ?? 0) + 1);
  const most = Math.max(FEWEST, documents.length * MOST_SHARE);
  const between = (least: number, limit: number): string[][] =>
    words.map((list) =>
      [...new Set(list)].filter((word) => {
        const found = homes.get(word) ?? 0;
        return found >= least && found <= limit && !/^\d/.test(word);
      }),
    );
  const sources = {
    topical: between(FEWEST, most),
    frequent: between(most + 1, documents.length),
    prose: words,
  };
  const drawn = (lists: readonly (readonly string[])[], length: number): string => {
    for (let n = 0; n < TRIES; n += 1) {
      const list = lists[Math.floor(random() * lists.length)] ?? [];
      const from = Math.floor(random() * (list.length - length + 1));
      if (list.length >= length) return list.slice(from, from + length).join(' ');
    }
    throw new Error(`No document has ${length} words for a query. Choose another corpus or more documents.`);
  };
  return (['topical', 'frequent', 'prose'] as const).flatMap((kind) =>
    [1, 3, 8].map((length) => {
      const make = (): string => drawn(sources[kind], length);
      return {
        name: `${wordsOf(length)}, ${kind}`,
        words: length,
        kind,
        warmUp: Array.from({ length: WARM_UP }, make),
        timed: Array.from({ length: count }, make),
      };
    }),
  );
}

/** What the queries of one length are called, of whatever kind. */
export function nameOfLength(words: number): string {
  return `${wordsOf(words)}, all kinds`;
}

function wordsOf(length: number): string {
  return `${length} ${length === 1 ? 'word' : 'words'}`;
}

function wordsIn(text: string): string[] {
  // Joiners stand within words of some scripts.
  const words = text.toLowerCase().match(/[\p{L}\p{M}\p{N}\u200c\u200d]{2,}/gu) ?? [];
  return words.filter((word) => word.length <= LONGEST_WORD);
}
