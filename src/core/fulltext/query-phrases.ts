import { MAX_SPAN } from './compounds';
import type { Analyser } from './terms';
import { eachWord, isLonePaired } from './words';

/** How many phrases a query may want; each is looked for in every document that holds its words. */
const MAX_PHRASES = 16;

const QUOTE = /["“„«「]/;
const QUOTED = /"([^"]*)"|“([^“”]*)”|„([^„“”]*)[“”]|«([^«»]*)»|「([^「」]*)」/g;

/** A term of a phrase: it leads from one place between its words to another, which is farther for a whole than for a part. */
interface Leading {
  readonly from: number;
  readonly to: number;
}

/** A phrase in quotes. */
export interface QuotedPhrase {
  readonly terms: readonly (Leading & { readonly term: string })[];
  /** The places from which one leads to the next because there words of a script without spaces stand apart. */
  readonly apart: readonly number[];
  readonly last: number;
}

export interface PhraseTerm extends Leading {
  /** The numbers of the terms that may stand for it. */
  readonly fillers: readonly number[];
}

/** What must stand in a document: any way over the terms to the last place. */
export interface PhrasePlan {
  readonly terms: readonly PhraseTerm[];
  readonly apart: readonly number[];
  readonly last: number;
}

/**
 * The first distinct phrases that a query has in quotes, made ready for an index.
 * @param fillersOf the numbers of the terms that a term stands for; none when it occurs nowhere
 * @param textOf the text of a term
 */
export function planQuoted(
  query: string,
  analyser: Analyser,
  fillersOf: (term: string) => readonly number[],
  textOf: (term: number) => string,
): PhrasePlan[] {
  return quotedPhrases(query, analyser).map(({ terms, apart, last }) => ({
    terms: terms.map(({ term, from, to }) => ({ fillers: fillersAt(term, from, to === last), from, to })),
    apart,
    last,
  }));

  /** A character without neighbours is indexed in its pairs, so those count here whose other character is outside the phrase. */
  function fillersAt(term: string, from: number, isLast: boolean): readonly number[] {
    const fillers = fillersOf(term);
    const isFirst = from === 0;
    if ((isFirst && isLast) || fillers.length === 0 || !isLonePaired(term)) return fillers;
    return fillers.filter((filler) => {
      const text = textOf(filler);
      return text === term || (isFirst && text.endsWith(term)) || (isLast && text.startsWith(term));
    });
  }
}

/** The first distinct phrases that a query has in quotes; what has no word in it is none. */
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

/** The places of a text's terms. */
function phraseOf(text: string, analyser: Analyser): QuotedPhrase {
  const phrase = { terms: new Array<QuotedPhrase['terms'][number]>(), apart: new Array<number>(), last: 0 };
  eachWord(text, (begin, end, isApart) => {
    const word = text.slice(begin, end);
    const spans = analyser.spans(word);
    if (isApart) phrase.apart.push(phrase.last++);
    analyser.terms(word).forEach((term, at) => {
      const span = spans[at] ?? 0;
      if (span > MAX_SPAN) return;
      if (span === 0) phrase.last += 1;
      phrase.terms.push({ term, from: phrase.last - Math.max(span, 1), to: phrase.last });
    });
  });
  return phrase;
}
