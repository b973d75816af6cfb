import type { Steps } from '../base/steps';
import { cutExcerpt } from '../base/text';
import { MAX_SPAN } from './compounds';
import type { QuotedPhrase } from './query-phrases';
import type { Analyser } from './terms';
import { eachWord, isPaired } from './words';

/** What is remembered of a text, in its places: a power of two above MAX_SPAN. */
const REMEMBERED = 64;

/** Where something stands in a text, in UTF-16 units, `to` exclusive. */
interface Place {
  readonly from: number;
  readonly to: number;
}

/** A term of a text as an analyser tells it. */
interface TextTerm extends Place {
  /** Of how many parts before it the term is the whole; 0 for a part. */
  readonly span: number;
  /** The term is the first of a word that stands apart from the one before it. */
  readonly isApart: boolean;
}

/** Finds a phrase in the terms of a text, which come one after the other: where `Phrase` finds it, by the texts of terms. */
export class PhrasePlaces {
  readonly #phrase: QuotedPhrase;
  readonly #meant = new Map<string, { readonly from: number; readonly to: number }[]>();
  /** By place of the text and place of the phrase, one more than where the phrase begins that is so far there; 0 for none. */
  readonly #begins: Int32Array;
  readonly #size: number;
  #place = 0;

  /** @param phrase of no more places than are worth looking for, since each takes time at every term */
  constructor(phrase: QuotedPhrase) {
    this.#phrase = phrase;
    this.#size = phrase.last + 1;
    this.#begins = new Int32Array(REMEMBERED * this.#size);
    for (const { term, from, to } of phrase.terms) {
      const meant = this.#meant.get(term) ?? [];
      this.#meant.set(term, meant);
      meant.push({ from, to });
    }
  }

  /** Takes the next term of the text; answers where the phrase stands that ends with it, null when none does. */
  next(term: string, { span, isApart, from, to }: TextTerm): Place | null {
    if (isApart) {
      const before = this.#row(this.#place);
      const after = this.#advance();
      for (const gap of this.#phrase.apart) this.#begins[after + gap + 1] = this.#begins[before + gap] ?? 0;
    }
    if (span > MAX_SPAN) return null;
    const source = this.#row(this.#place - span);
    const target = span === 0 ? this.#advance() : this.#row(this.#place);
    for (const meant of this.#meant.get(term) ?? []) {
      const begin = meant.from === 0 ? from + 1 : (this.#begins[source + meant.from] ?? 0);
      const cell = target + meant.to;
      this.#begins[cell] = Math.max(this.#begins[cell] ?? 0, begin);
    }
    const found = this.#begins[target + this.#phrase.last] ?? 0;
    return found === 0 ? null : { from: found - 1, to };
  }

  #row(place: number): number {
    return (place & (REMEMBERED - 1)) * this.#size;
  }

  /** Goes on to the next place of the text, at which nothing has been found. */
  #advance(): number {
    this.#place += 1;
    const row = this.#row(this.#place);
    this.#begins.fill(0, row, row + this.#size);
    return row;
  }
}

/** Length of an excerpt in code points. */
const EXCERPT = 240;
/** What of it is left beside the `…` at both ends, in UTF-16 units, which are never fewer than code points. */
const WINDOW = EXCERPT - 2;
/** An excerpt begins so many units before the first word found, so that a reader sees how the sentence goes. */
const LEAD_IN = 40;
/** A cut may move back so far to the beginning of a word. */
const WORD_REACH = 24;
/** So much of a note is looked through in one step, in UTF-16 units. */
const STEP = 1 << 11;
/** No word, and no pair of characters with their marks, is longer, nor what must be seen behind it to know where it ends. */
const LONGEST = 128;
/** What fell out of the window is let go when there is so much of it. */
const MAX_PASSED = 1024;

/** What an excerpt is to show. */
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
 * The place of a note that tells most about a query: the window of an excerpt's length with the highest sum
 * over the distinct terms in it, the earliest of equals; null when none of the terms occurs in the prose. A window that holds
 * a phrase word for word comes before all that do not. Looks through a little of the note in each step.
 * @param terms what was found, each with its inverse document frequency
 * @param phrases what was wanted word for word
 */
export function* excerptSteps(
  plain: string,
  { terms, phrases = [] }: Wanted,
  analyser: Analyser,
  step = STEP,
): Steps<string | null> {
  // What has more places than a window has letters is in none.
  const runs = phrases
    .filter(({ terms, last }) => terms.length > 1 && last <= WINDOW)
    .map((phrase) => new PhrasePlaces(phrase));
  const windows = new Windows(withPhrases(terms, runs.length));
  const last: LastWord = { pairedTo: null };
  for (let from = 0; from < plain.length && !windows.hasAll;) {
    from = lookThrough(plain, from, from + step, analyser, last, (term, place) => {
      if (terms.has(term)) windows.add({ term, from: place.from, to: place.to });
      runs.forEach((run, at) => {
        const found = run.next(term, place);
        if (found !== null && found.to - found.from <= WINDOW)
          windows.add({ term: phraseName(at), ...found });
      });
    });
    yield;
  }
  const { best } = windows;
  if (best === null) return null;
  // The beginning of the note reads best, when all that was found fits into it.
  if (best.to <= WINDOW) return cutExcerpt(plain, 0, EXCERPT);
  const room = WINDOW - (best.to - best.from) - WORD_REACH;
  return cutExcerpt(plain, best.from - Math.max(0, Math.min(LEAD_IN, room)), EXCERPT);
}

/** Where the last word ended, when it was of a script without spaces. */
interface LastWord {
  pairedTo: number | null;
}

/** The terms with the phrases among them, each worth more than all terms together. */
function withPhrases(terms: ReadonlyMap<string, number>, phrases: number): ReadonlyMap<string, number> {
  let all = 1;
  for (const worth of terms.values()) all += worth;
  const named = Array.from({ length: phrases }, (_, at) => [phraseName(at), all] as const);
  return new Map([...terms, ...named]);
}

/** No term is called so: white space stands in none. */
function phraseName(at: number): string {
  return ` ${at}`;
}

/**
 * Visits the terms of the words that begin between two offsets, the first of which is the beginning of a text, or what was
 * answered last; answers where to go on. What is visited is then the same as of the whole text at once: where a word ends
 * depends on what follows it only, and the word that is the next one is begun with anew, be it a pair whose first character
 * is the second one of the pair before it.
 */
function lookThrough(
  plain: string,
  from: number,
  border: number,
  analyser: Analyser,
  last: LastWord,
  visit: (term: string, place: TextTerm) => void,
): number {
  const text = plain.slice(from, border + LONGEST);
  let past = border;
  let next: number | null = null;
  eachWord(text, (begin, to) => {
    if (from + begin >= border) next ??= from + begin;
    if (next !== null) return;
    const word = text.slice(begin, to);
    const spans = analyser.spans(word);
    const isDense = isPaired(word);
    const isApart = isDense && last.pairedTo !== null && from + begin >= last.pairedTo;
    last.pairedTo = isDense ? from + to : null;
    analyser.terms(word).forEach((term, at) => {
      visit(term, { from: from + begin, to: from + to, span: spans[at] ?? 0, isApart: isApart && at === 0 });
    });
    past = Math.max(past, from + to);
  });
  return next ?? past;
}

/** Looks at every window that ends with a term, one after the other. */
export class Windows {
  /** The bounds of what was found in the best one so far. */
  best: { readonly from: number; readonly to: number } | null = null;
  readonly #worths: ReadonlyMap<string, number>;
  readonly #most: number;
  readonly #found: Occurrence[] = [];
  readonly #counts = new Map<string, number>();
  #first = 0;
  #worth = 0;
  #bestWorth = 0;

  constructor(terms: ReadonlyMap<string, number>) {
    // Whole numbers, so that sums are exact: taking away what was added leaves what was there, and equals are equal.
    this.#worths = new Map([...terms].map(([term, idf]) => [term, Math.round(idf * 1e6)]));
    this.#most = [...this.#worths.values()].reduce((sum, worth) => sum + worth, 0);
  }

  /** True when no window can be better than the best. */
  get hasAll(): boolean {
    return this.best !== null && this.#bestWorth === this.#most;
  }

  /** How many occurrences are held. */
  get size(): number {
    return this.#found.length;
  }

  add(last: Occurrence): void {
    // A phrase is known behind its words, and stands where the first of them does.
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
    if (this.#first >= MAX_PASSED) {
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
