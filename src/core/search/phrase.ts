import { MAX_PLACES, PhraseScan } from './phrase-scan';
import type { PhrasePlan, PhraseTerm } from './quoted-phrases';
import type { StreamWholes } from './stream-wholes';
import { FIELD_END, type TermStream } from './term-stream';
import { MAX_REACH, type TextAt, type Wholes } from './wholes';

/** What is remembered while a document is gone through, in terms: a power of two above twice MAX_REACH. */
const REMEMBERED = 128;
const NEWEST = REMEMBERED - 1;

/** A phrase, made ready to be looked for in many documents. */
export class Phrase {
  readonly #terms: readonly PhraseTerm[];
  readonly #last: number;
  /** By number of a term, a bit for each place among the terms that it may fill. */
  readonly #typed = new Map<number, Uint32Array>();
  /** By number of a term, what it may stand for. */
  readonly #spelt = new Map<number, PhraseTerm[]>();
  readonly #size: number;
  readonly #scan: PhraseScan | null;

  constructor({ terms, last }: PhrasePlan) {
    this.#terms = terms;
    this.#last = last;
    this.#size = Math.ceil(terms.length / 32);
    terms.forEach((term, place) => {
      for (const filler of term.fillers) {
        const bits = this.#typed.get(filler) ?? new Uint32Array(this.#size);
        bits[place >>> 5] = (bits[place >>> 5] ?? 0) | (1 << (place & 31));
        this.#typed.set(filler, bits);
        const meant = this.#spelt.get(filler);
        if (meant === undefined) this.#spelt.set(filler, [term]);
        else meant.push(term);
      }
    });
    // One that has more places is found only as it was typed.
    this.#scan = last > MAX_PLACES || this.isOneTerm ? null : new PhraseScan(this.#spelt, last);
  }

  /** True for a phrase that a document holds when it holds its word. */
  get isOneTerm(): boolean {
    return this.#terms.length === 1;
  }

  /** True when a document may hold the phrase, of whose terms it has those that `has` tells of. */
  mayOccur(has: (term: number) => boolean): boolean {
    const occurs = ({ fillers }: PhraseTerm) => fillers.some(has);
    if (this.#last > MAX_PLACES) return this.#terms.every(occurs);
    let open = 1;
    for (const term of this.#terms) if ((open >>> term.from) & 1 && occurs(term)) open |= 1 << term.to;
    return ((open >>> this.#last) & 1) === 1;
  }

  /** What the units of a document tell at once: true or false when it holds the phrase or not, else null. */
  scan(units: TermStream, wholes: StreamWholes): boolean | null {
    return this.#scan === null ? null : this.#scan.scan(units, wholes);
  }

  /**
   * True when the terms of a document hold the phrase.
   * @param textAt the texts of these terms, empty for the end of a field; asked for only where it all but stands
   */
  occursIn(terms: readonly number[], textAt: TextAt, wholes: Wholes): boolean {
    return this.#isTypedIn(terms) || (this.#last <= MAX_PLACES && this.#isSpeltIn(terms, textAt, wholes));
  }

  /**
   * As it was typed: every beginning of the phrase that fits so far is one bit of `open` (Baeza-Yates and Gonnet, A New
   * Approach to Text Searching, 1992), so the work is one step a term for every 32 places, whatever nearly fits.
   */
  #isTypedIn(terms: readonly number[]): boolean {
    const open = new Uint32Array(this.#size);
    const last = 1 << ((this.#terms.length - 1) & 31);
    for (const term of terms) {
      const bits = this.#typed.get(term);
      if (bits === undefined) {
        open.fill(0);
        continue;
      }
      let carry = 1;
      for (let word = 0; word < this.#size; word += 1) {
        const before = open[word] ?? 0;
        open[word] = ((before << 1) | carry) & (bits[word] ?? 0);
        carry = before >>> 31;
      }
      if (((open[this.#size - 1] ?? 0) & last) !== 0) return true;
    }
    return false;
  }

  /**
   * In another spelling: a bit of `open` for each place of the phrase that a way leads to which ends with the term. A whole ends
   * where its last part does, and goes on from where its first one begins.
   */
  #isSpeltIn(terms: readonly number[], textAt: TextAt, wholes: Wholes): boolean {
    const opens = new Int32Array(REMEMBERED);
    let lastOpen = -REMEMBERED;
    for (let at = 0; at < terms.length; at += 1) {
      const term = terms[at] ?? FIELD_END;
      const before = at === 0 ? 0 : (opens[(at - 1) & NEWEST] ?? 0);
      const meant = this.#spelt.get(term);
      opens[at & NEWEST] = 0;
      if (term === FIELD_END || (meant === undefined && before === 0)) continue;
      // Where nothing was begun a whole is a word like any other.
      const start = at - lastOpen < 2 * MAX_REACH ? wholes.startOf(at, textAt) : -1;
      let open = start < 0 ? 0 : before;
      const known = 1 | (start < 0 ? before : start === 0 ? 0 : (opens[(start - 1) & NEWEST] ?? 0));
      for (const { from, to } of meant ?? []) if ((known >>> from) & 1) open |= 1 << to;
      if (((open >>> this.#last) & 1) === 1) return true;
      opens[at & NEWEST] = open;
      if (open !== 0) lastOpen = at;
    }
    return false;
  }
}
