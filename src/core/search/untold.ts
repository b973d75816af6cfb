import * as z from 'zod';
import { inSlices, type Steps } from '../base/steps';
import { isPaired } from '../fulltext/words';
import type { Brain } from '../operation/context';
import { countShape } from '../operation/shapes';
import { queryWords } from './question-words';
import { type Retrieval, retrieveByWords } from './retrieve';

/** The most notes of the queue that are counted. */
const MOST_WAITING = 50;
/** A note of the queue counts whose words are worth this share of those of the best result. */
const AS_GOOD = 0.5;

/** What an answer of few results tells besides. */
export const untoldShapes = {
  waiting: countShape
    .optional()
    .describe('Notes of the review queue that match as well and were not searched'),
  missing_words: z.array(z.string()).optional().describe('Words of the query that stand in no note'),
};

/**
 * Tells of a search without the queue what the queue holds for it, where results are fewer than asked for, and which words of the query
 * stand in no note that the caller may see.
 * @param hits the results, with the terms that were found, best first
 */
export async function untold(
  brain: Brain,
  retrieval: Retrieval,
  hits: readonly { readonly terms: ReadonlyMap<string, number> }[],
): Promise<{ waiting?: number; missing_words?: string[] }> {
  const { query, limit, includeRaw = false, status } = retrieval;
  const isAsked = !includeRaw && status === undefined && hits.length < limit;
  const waiting = isAsked ? await waitingFor(brain, retrieval) : 0;
  const missing = await inSlices(missingWords(brain, query, hits), brain.pace);
  return { ...(waiting > 0 && { waiting }), ...(missing.length > 0 && { missing_words: missing }) };
}

async function waitingFor(brain: Brain, retrieval: Retrieval): Promise<number> {
  const [best] = await retrieveByWords(brain, { ...retrieval, limit: 1 });
  const queued = await retrieveByWords(brain, { ...retrieval, status: 'raw', limit: MOST_WAITING });
  return queued.filter(({ score }) => score >= AS_GOOD * (best?.score ?? 0)).length;
}

/** Looks for one word in each step: a frequent one is counted over its notes. */
function* missingWords(
  { catalog: { words } }: Pick<Brain, 'catalog'>,
  query: string,
  hits: readonly { readonly terms: ReadonlyMap<string, number> }[],
): Steps<string[]> {
  const found = [...new Set(hits.flatMap(({ terms }) => [...terms.keys()]))];
  const meanings = new Map(words.meanings(query).map(({ term, others }) => [term, others]));
  const stands = (term: string): boolean =>
    [term, ...(meanings.get(term) ?? [])].some((each) => words.weigh(each).documents > 0) ||
    // The word may be the beginning of one that was found, or stand in a file alone.
    found.some((each) => each.startsWith(term));
  const missing = new Set<string>();
  for (const { text, terms, isGrammar } of queryWords(query, words.analyser)) {
    yield;
    if (!isGrammar && !isPaired(text) && !terms.some(stands)) missing.add(text);
  }
  return [...missing];
}
