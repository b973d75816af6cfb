import { MAX_SPAN } from './streams';
import type { Analyser } from './terms';
import { eachWord, isLonePaired, isPaired } from './words';

/** The maximum number of phrases in a query; each is searched in every document with its words. */
const MAX_PHRASES = 16;

const QUOTE = /["“„«「]/;
const QUOTED = /"([^"]*)"|“([^“”]*)”|„([^„“”]*)[“”]|«([^«»]*)»|「([^「」]*)」/g;

/** A term of a phrase as an edge between two positions; the edge of a compound is longer than that of a part. */
interface Edge {
  readonly from: number;
  readonly to: number;
}

/** A phrase in quotes: its words as they stand there, folded. */
export interface QuotedPhrase {
  readonly terms: readonly (Edge & {
    readonly term: string;
    /** True for a term of another spelling than that of the query. */
    readonly isOther?: boolean;
  })[];
  /** The positions that a gap follows: other characters separate words of a script without spaces there. */
  readonly gaps: readonly number[];
  readonly last: number;
}

export interface PhraseTerm extends Edge {
  /** The numbers of the terms that match here. */
  readonly matches: readonly number[];
}

/** A phrase that must occur: any path along terms and gaps to the last position. */
export interface PhrasePlan {
  readonly terms: readonly PhraseTerm[];
  readonly gaps: readonly number[];
  readonly last: number;
}

/**
 * Prepares the first distinct phrases of a query for an index.
 * @param matchesOf returns the numbers of the terms that match a term; none if it does not occur
 * @param textOf returns the text of a term
 */
export function planQuoted(
  query: string,
  analyser: Analyser,
  matchesOf: (term: string) => readonly number[],
  textOf: (term: number) => string,
): PhrasePlan[] {
  return quotedPhrases(query, analyser).map(({ terms, gaps, last }) => ({
    terms: terms.flatMap(({ term, from, to, isOther }) => {
      const matches = matchesAt(term, from, to === last);
      return isOther === true && matches.length === 0 ? [] : [{ matches, from, to }];
    }),
    gaps,
    last,
  }));

  /**
   * A lone character is indexed in pairs with its neighbours, so a pair counts if its other character is outside the phrase.
   */
  function matchesAt(term: string, from: number, isLast: boolean): readonly number[] {
    const matches = matchesOf(term);
    const isFirst = from === 0;
    if ((isFirst && isLast) || matches.length === 0 || !isLonePaired(term)) return matches;
    return matches.filter((match) => {
      const text = textOf(match);
      return text === term || (isFirst && text.endsWith(term)) || (isLast && text.startsWith(term));
    });
  }
}

/** Returns the first distinct phrases in quotes of a query. Quotes without a word are no phrase. */
export function quotedPhrases(query: string, analyser: Analyser): readonly QuotedPhrase[] {
  if (!QUOTE.test(query)) return [];
  const phrases = new Map<string, QuotedPhrase>();
  for (const match of query.matchAll(QUOTED)) {
    const phrase = phraseOf(match.slice(1).join(''), analyser);
    if (phrase.terms.length > 0) phrases.set(JSON.stringify(phrase), phrase);
    if (phrases.size === MAX_PHRASES) break;
  }
  return [...phrases.values()];
}

/** A name and its number, written as one word: `RFC2616`, `10km`. */
const NAME_AND_NUMBER = /^(?:(\p{L}+)(\p{N}+)|(\p{N}+)(\p{L}+))$/u;
/** A shorter word of a letter and a digit has halves that say nothing: `v2`. */
const MIN_HALVED = 3;

/** Returns the name and the number that a word consists of, in its order, which others write with a space; null for another word. */
export function halvesOf(word: string): readonly [string, string] | null {
  const match = word.length < MIN_HALVED || isPaired(word) ? null : NAME_AND_NUMBER.exec(word);
  if (match === null) return null;
  const [, name, number, first = '', second = ''] = match;
  return name !== undefined && number !== undefined ? [name, number] : [first, second];
}

/** Returns a text as a phrase. */
function phraseOf(text: string, analyser: Analyser): QuotedPhrase {
  const phrase = { terms: new Array<QuotedPhrase['terms'][number]>(), gaps: new Array<number>(), last: 0 };
  let before = { word: '', end: 0 };
  const addWhole = (word: string, isOther: boolean): void => {
    const [term = '', ...more] = analyser.analysed(word).forms;
    if (more.length === 0) phrase.terms.push({ term, from: phrase.last - 2, to: phrase.last, isOther });
  };
  eachWord(text, (begin, end, isAfterGap) => {
    const word = text.slice(begin, end);
    const { forms: terms, spans } = analyser.analysed(word);
    if (isAfterGap) phrase.gaps.push(phrase.last++);
    const halves = terms.length === 1 ? halvesOf(word) : null;
    if (halves !== null) {
      for (const half of halves) {
        const [term = ''] = analyser.analysed(half).forms;
        phrase.terms.push({ term, from: phrase.last, to: (phrase.last += 1), isOther: true });
      }
      addWhole(word, false);
      before = { word: '', end };
      return;
    }
    terms.forEach((term, at) => {
      const span = spans[at] ?? 0;
      if (span > MAX_SPAN) return;
      if (span === 0) phrase.last += 1;
      phrase.terms.push({ term, from: phrase.last - Math.max(span, 1), to: phrase.last });
    });
    const isApart = terms.length === 1 && text.slice(before.end, begin).trim() === '';
    if (isApart && halvesOf(before.word + word) !== null && halvesOf(before.word) === null)
      addWhole(before.word + word, true);
    before = { word: terms.length === 1 ? word : '', end };
  });
  return phrase;
}
