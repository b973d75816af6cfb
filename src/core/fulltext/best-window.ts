import type { Steps } from '../base/steps';
import { cutExcerpt } from '../base/text';
import type { QuotedPhrase } from './query-phrases';
import { MAX_SPAN } from './streams';
import type { Analyser } from './terms';
import { areSmall, eachWord, isPaired, kindOf, SMALL } from './words';

/** The number of positions of the text that matching keeps: a power of two above MAX_SPAN. */
const RING = 64;

/** A range of a text (UTF-16 units), `to` exclusive. */
interface TextRange {
  readonly from: number;
  readonly to: number;
}

/** A term of a text, as an analyser gives it. */
interface TextTerm extends TextRange {
  /** The term as it is written. */
  readonly form: string;
  /** The number of parts of a compound; 0 for a part. */
  readonly span: number;
  /** True for the first term of a word that is separated from the word before it. */
  readonly isAfterGap: boolean;
}

/** Finds a phrase in a sequence of terms, as `Phrase` does in a token stream. */
export class PhrasePlaces {
  readonly #phrase: QuotedPhrase;
  readonly #edges = new Map<string, { readonly from: number; readonly to: number }[]>();
  /** By position of the text and of the phrase, one more than the start of the match so far; 0 for none. */
  readonly #begins: Int32Array;
  readonly #size: number;
  #place = 0;

  /** @param phrase a phrase of few positions, since each costs time at every term */
  constructor(phrase: QuotedPhrase) {
    this.#phrase = phrase;
    this.#size = phrase.last + 1;
    this.#begins = new Int32Array(RING * this.#size);
    for (const { term, from, to } of phrase.terms) {
      const edges = this.#edges.get(term) ?? [];
      this.#edges.set(term, edges);
      edges.push({ from, to });
    }
  }

  /** Takes the next term of the text; returns the range of the phrase if a match ends with it, else null. */
  next({ form, span, isAfterGap, from, to }: TextTerm): TextRange | null {
    if (isAfterGap) {
      const before = this.#row(this.#place);
      const after = this.#advance();
      for (const gap of this.#phrase.gaps) this.#begins[after + gap + 1] = this.#begins[before + gap] ?? 0;
    }
    if (span > MAX_SPAN) return null;
    const source = this.#row(this.#place - span);
    const target = span === 0 ? this.#advance() : this.#row(this.#place);
    for (const edge of this.#edges.get(form) ?? []) {
      const begin = edge.from === 0 ? from + 1 : (this.#begins[source + edge.from] ?? 0);
      const cell = target + edge.to;
      this.#begins[cell] = Math.max(this.#begins[cell] ?? 0, begin);
    }
    const found = this.#begins[target + this.#phrase.last] ?? 0;
    return found === 0 ? null : { from: found - 1, to };
  }

  #row(place: number): number {
    return (place & (RING - 1)) * this.#size;
  }

  /** Advances to the next position of the text, at which nothing has matched yet. */
  #advance(): number {
    this.#place += 1;
    const row = this.#row(this.#place);
    this.#begins.fill(0, row, row + this.#size);
    return row;
  }
}

/** The maximum length of an excerpt (code points). */
const EXCERPT = 240;
/** The length that remains between the `…` at both ends (UTF-16 units, which are never fewer than code points). */
const WINDOW = EXCERPT - 2;
/** An excerpt begins this far before the first match, so that a reader sees how the sentence goes. */
const LEAD_IN = 40;
/** A cut may move back this far to the start of a word. */
const WORD_REACH = 24;
/** The length of text that one step searches (UTF-16 units). */
const STEP = 1 << 11;
/** The maximum length of a word or a pair of characters with their marks, and of what must follow it to know its end. */
const LONGEST = 128;
/** The number of occurrences before the window after which they are released. */
const MAX_RELEASED = 1024;

/** The terms and phrases that an excerpt should show. */
export interface Wanted {
  readonly terms: ReadonlyMap<string, number>;
  readonly phrases?: readonly QuotedPhrase[];
}

interface Occurrence {
  readonly term: string;
  readonly from: number;
  readonly to: number;
}

/**
 * Finds the part of a note that is most relevant to a query: the window of an excerpt's length with the highest sum over the
 * distinct terms in it, the earliest of equals. A window that holds a whole phrase precedes all that hold none. Returns null
 * if none of the terms occurs. Each step searches a little of the note.
 * @param terms the terms found, each with its inverse document frequency
 * @param phrases the phrases of the query
 */
export function* excerptSteps(
  plain: string,
  { terms, phrases = [] }: Wanted,
  analyser: Analyser,
  step = STEP,
): Steps<string | null> {
  // A phrase with more positions than a window has units is in no window.
  const matchers = phrases
    .filter(({ terms, last }) => terms.length > 1 && last <= WINDOW)
    .map((phrase) => new PhrasePlaces(phrase));
  const windows = new Windows(withPhrases(terms, matchers.length));
  const last: LastWord = { pairedTo: null };
  // A phrase needs every word of the text.
  const initials = matchers.length > 0 ? null : initialsOf(terms.keys());
  for (let from = 0; from < plain.length && !windows.hasAll;) {
    from = visitTerms(plain, from, from + step, { analyser, last, initials }, (term, place) => {
      if (terms.has(term)) windows.add({ term, from: place.from, to: place.to });
      matchers.forEach((matcher, at) => {
        const found = matcher.next(place);
        if (found !== null && found.to - found.from <= WINDOW)
          windows.add({ term: phraseName(at), ...found });
      });
    });
    yield;
  }
  const { best } = windows;
  if (best === null) return null;
  // The start of a note reads best, if all matches are within it.
  if (best.to <= WINDOW) return cutExcerpt(plain, 0, EXCERPT);
  const room = WINDOW - (best.to - best.from) - WORD_REACH;
  return cutExcerpt(plain, best.from - Math.max(0, Math.min(LEAD_IN, room)), EXCERPT);
}

/** Returns the set of first letters of terms: of each ASCII unit, whether a term begins with it. */
function initialsOf(terms: Iterable<string>): Uint8Array {
  const initials = new Uint8Array(0x80);
  for (const term of terms) initials[term.charCodeAt(0)] = 1;
  return initials;
}

/**
 * Returns true for a word of ASCII letters, only the first perhaps a capital, that begins with none of these letters. Such a
 * word has one term, which begins as the word does: its analysis, which takes several times longer, would find no other.
 */
function isPlainOther(word: Uint16Array, from: number, to: number, initials: Uint8Array): boolean {
  const first = (word[from] ?? 0) | 0x20;
  return initials[first] === 0 && kindOf(first) === SMALL && areSmall(word, from + 1, to);
}

/** The end of the last word, if it was of a script without spaces. */
interface LastWord {
  pairedTo: number | null;
}

/** The state of a visit to the terms of a text, and the first letters of those that are wanted; null for all terms. */
interface Visiting {
  readonly analyser: Analyser;
  readonly last: LastWord;
  readonly initials: Uint8Array | null;
}

/** Adds the phrases to the terms, each with a weight above that of all terms together. */
function withPhrases(terms: ReadonlyMap<string, number>, phrases: number): ReadonlyMap<string, number> {
  let all = 1;
  for (const worth of terms.values()) all += worth;
  const named = Array.from({ length: phrases }, (_, at) => [phraseName(at), all] as const);
  return new Map([...terms, ...named]);
}

/** The name equals no term, because terms hold no white space. */
function phraseName(at: number): string {
  return ` ${at}`;
}

/**
 * Visits the terms of the words that begin between two offsets; `from` is 0 or what the last call returned. Returns the
 * offset to go on at. The visits equal those of the whole text at once: the end of a word depends only on what follows it,
 * and the next call starts at a word, even at a pair that shares its first character with the pair before.
 */
function visitTerms(
  plain: string,
  from: number,
  border: number,
  { analyser, last, initials }: Visiting,
  visit: (term: string, place: TextTerm) => void,
): number {
  const text = plain.slice(from, border + LONGEST);
  let past = border;
  let next: number | null = null;
  eachWord(text, (begin, to, _, units) => {
    if (from + begin >= border) next ??= from + begin;
    if (next !== null) return;
    past = Math.max(past, from + to);
    if (initials !== null && isPlainOther(units, begin, to, initials)) {
      last.pairedTo = null;
      return;
    }
    const word = text.slice(begin, to);
    const { terms, forms, spans } = analyser.analysed(word);
    const isDense = isPaired(word);
    const isAfterGap = isDense && last.pairedTo !== null && from + begin >= last.pairedTo;
    last.pairedTo = isDense ? from + to : null;
    terms.forEach((term, at) => {
      visit(term, {
        form: forms[at] ?? '',
        from: from + begin,
        to: from + to,
        span: spans[at] ?? 0,
        isAfterGap: isAfterGap && at === 0,
      });
    });
  });
  return next ?? past;
}

/** Slides a window over the occurrences, and remembers the best one. */
export class Windows {
  /** The bounds of the matches in the best window so far. */
  best: { readonly from: number; readonly to: number } | null = null;
  readonly #worths: ReadonlyMap<string, number>;
  readonly #most: number;
  readonly #found: Occurrence[] = [];
  readonly #counts = new Map<string, number>();
  #first = 0;
  #worth = 0;
  #bestWorth = 0;

  constructor(terms: ReadonlyMap<string, number>) {
    // Integers make sums exact: subtraction undoes addition, and equal windows have equal sums.
    this.#worths = new Map([...terms].map(([term, idf]) => [term, Math.round(idf * 1e6)]));
    this.#most = [...this.#worths.values()].reduce((sum, worth) => sum + worth, 0);
  }

  /** True if no window can be better than the best one. */
  get hasAll(): boolean {
    return this.best !== null && this.#bestWorth === this.#most;
  }

  /** The number of occurrences held. */
  get size(): number {
    return this.#found.length;
  }

  add(last: Occurrence): void {
    // A phrase is added after its words and begins with the first of them.
    let place = this.#found.length;
    while (place > this.#first && (this.#found[place - 1]?.from ?? 0) > last.from) place -= 1;
    this.#found.splice(place, 0, last);
    if (this.#count(last.term, 1) === 1) this.#worth += this.#worths.get(last.term) ?? 0;
    for (
      let oldest = this.#found[this.#first];
      oldest && last.to - oldest.from > WINDOW;
      oldest = this.#found[(this.#first += 1)]
    ) {
      if (this.#count(oldest.term, -1) === 0) this.#worth -= this.#worths.get(oldest.term) ?? 0;
    }
    if (this.#first >= MAX_RELEASED) {
      this.#found.splice(0, this.#first);
      this.#first = 0;
    }
    if (this.best !== null && this.#worth <= this.#bestWorth) return;
    this.best = { from: this.#found[this.#first]?.from ?? last.from, to: last.to };
    this.#bestWorth = this.#worth;
  }

  #count(term: string, more: number): number {
    const count = (this.#counts.get(term) ?? 0) + more;
    this.#counts.set(term, count);
    return count;
  }
}
