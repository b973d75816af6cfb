import type { Analyser } from './analyse';
import { Wholes } from './wholes';

/** How many phrases a query may want; each is looked for in every document that holds its words. */
const MAX_PHRASES = 16;

const QUOTE = /["“„«「]/;
const QUOTED = /"([^"]*)"|“([^“”]*)”|„([^„“”]*)[“”]|«([^«»]*)»|「([^「」]*)」/g;

/** A term of a phrase: it leads from one place between its words to another, which is farther for a whole than for a part. */
export interface PhraseTerm {
  /** The numbers of the terms that may stand for it. */
  readonly fillers: readonly number[];
  readonly from: number;
  readonly to: number;
}

/** What must stand in a document: the terms as they were typed, one after the other, or any way over them to the last place. */
export interface PhrasePlan {
  readonly terms: readonly PhraseTerm[];
  readonly last: number;
}

/**
 * The first distinct phrases that a query has in quotes.
 * @param fillersOf the numbers of the terms that a term stands for; none when it occurs nowhere
 */
export function quotedPhrases(
  query: string,
  analyser: Analyser,
  fillersOf: (term: string) => readonly number[],
): PhrasePlan[] {
  return quotedTerms(query, analyser).map((terms) => planOf(terms, fillersOf));
}

/** The terms of each of these phrases. */
export function quotedTerms(query: string, analyser: Analyser): readonly string[][] {
  if (!QUOTE.test(query)) return [];
  const phrases = new Map<string, string[]>();
  for (const match of query.matchAll(QUOTED)) {
    const terms = analyser.all(match.slice(1).join(''));
    if (terms.length > 0) phrases.set(terms.join('\n'), terms);
    if (phrases.size === MAX_PHRASES) break;
  }
  return [...phrases.values()];
}

function planOf(terms: readonly string[], fillersOf: (term: string) => readonly number[]): PhrasePlan {
  const wholes = new Wholes();
  const textAt = (place: number) => terms[place] ?? '';
  const ends: number[] = [];
  let last = 0;
  const endBefore = (place: number) => ends[place - 1] ?? 0;
  const planned = terms.map((term, at) => {
    const start = wholes.startOf(at, textAt);
    const to = start < 0 ? (last += 1) : endBefore(at);
    ends.push(to);
    return { fillers: fillersOf(term), from: endBefore(start < 0 ? at : start), to };
  });
  return { terms: planned, last };
}
