import type { QuotedPhrase } from './quoted-phrases';
import { MAX_SPAN } from './term-shape';

/** What is remembered of a text, in its places: a power of two above MAX_SPAN. */
const REMEMBERED = 64;

/** Where something stands in a text, in UTF-16 units, `to` exclusive. */
interface Place {
  readonly from: number;
  readonly to: number;
}

/** A term of a text as an analyser tells it. */
export interface TextTerm extends Place {
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
