import { FIELD_END } from './term-stream';

/** So many terms, a power of two, may stand between two words in other spellings, and are read before them. */
const REACH = 16;
const IN_REACH = REACH - 1;
/** A longer phrase, in words, is found only as it was typed: the places of a shorter one are the bits of a number. */
const MAX_SPELT = 32;
/** What stemming may take away at the end of a word, or change of it. In UTF-16 units. */
const MAX_ENDING = 3;

/**
 * Words that must stand one after the other, made ready to be looked for in many documents. A document holds an identifier as
 * its parts and then the whole (git, hub, github), so that between two words of a phrase there may stand what is only another
 * spelling of them.
 */
export class Phrase {
  readonly #places: readonly ReadonlySet<number>[];
  /** By term, a bit for each place that it may fill. */
  readonly #fitting = new Map<number, Uint32Array>();
  readonly #size: number;

  /** @param places for each word of the phrase, of which there is at least one, the terms that may stand for it */
  constructor(places: readonly (readonly number[])[]) {
    this.#places = places.map((fillers) => new Set(fillers));
    this.#size = Math.ceil(places.length / 32);
    places.forEach((fillers, place) => {
      for (const term of fillers) {
        const bits = this.#fitting.get(term) ?? new Uint32Array(this.#size);
        bits[place >>> 5] = (bits[place >>> 5] ?? 0) | (1 << (place & 31));
        this.#fitting.set(term, bits);
      }
    });
  }

  /** Number of words. */
  get length(): number {
    return this.#places.length;
  }

  /** True when each word may be one of the terms that `has` tells of. */
  mayOccur(has: (term: number) => boolean): boolean {
    return this.#places.every((fillers) => [...fillers].some(has));
  }

  /** True when the terms of a document hold the phrase; `textOf` is asked only where it all but stands. */
  occursIn(terms: readonly number[], textOf: (term: number) => string): boolean {
    return this.#isIn(terms) || (this.length <= MAX_SPELT && this.#isSpeltIn(terms, textOf));
  }

  /**
   * As it was typed: every beginning of the phrase that fits so far is one bit of `open` (Baeza-Yates and Gonnet, A New
   * Approach to Text Searching, 1992), so the work is one step a term for every 32 places, whatever nearly fits.
   */
  #isIn(terms: readonly number[]): boolean {
    const open = new Uint32Array(this.#size);
    const last = 1 << ((this.length - 1) & 31);
    for (const term of terms) {
      const bits = this.#fitting.get(term);
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

  /** In another spelling: the same with one number of bits, and the last ones kept, from which a beginning may go on. */
  #isSpeltIn(terms: readonly number[], textOf: (term: number) => string): boolean {
    const recent = new Int32Array(REACH);
    const last = 1 << (this.length - 1);
    for (const [to, term] of terms.entries()) {
      const bits = this.#fitting.get(term)?.[0] ?? 0;
      let open = (((recent[(to - 1) & IN_REACH] ?? 0) << 1) | 1) & bits;
      const begin = bits === 0 ? to : Math.max(0, to - IN_REACH);
      for (let at = to - 2; at >= begin && terms[at + 1] !== FIELD_END; at -= 1) {
        const more = ((recent[at & IN_REACH] ?? 0) << 1) & bits & ~open;
        if (more !== 0 && isBetween(terms, at, to, textOf)) open |= more;
      }
      recent[to & IN_REACH] = open;
      if ((open & last) !== 0) return true;
    }
    return false;
  }
}

/** True when what stands between two places is only another spelling of the words there. */
function isBetween(
  terms: readonly number[],
  at: number,
  to: number,
  textOf: (term: number) => string,
): boolean {
  const from = Math.max(0, at - REACH);
  return isSpelling(terms.slice(from, to + 1).map(textOf), at - from);
}

/** True when nothing but another spelling of the two stands between the word at `at` and the last one. */
function isSpelling(texts: readonly string[], at: number): boolean {
  const last = texts.length - 1;
  const isWritten = (begin: number): boolean =>
    begin === last || isWhole(texts[last] ?? '', texts.slice(begin, last));
  let behind = at + 1;
  if (isWritten(behind)) return true;
  // What is typed as a part of an identifier is followed by the whole, and v1.2 by 1.2.
  if (isWholeBefore(texts, behind)) {
    behind += 1;
    if (isWritten(behind)) return true;
  }
  return isVersion(texts[behind - 1], texts[behind]) && isWritten(behind + 1);
}

/** True when some texts right before a place are the parts of what stands there. */
function isWholeBefore(texts: readonly string[], at: number): boolean {
  for (let parts = 2; parts <= at; parts += 1)
    if (isWhole(texts[at] ?? '', texts.slice(at - parts, at))) return true;
  return false;
}

/** True when a text is several parts held together; stemming may have changed the ends of them all. */
function isWhole(whole: string, parts: readonly string[]): boolean {
  const [first = '', last = ''] = [parts[0], parts.at(-1)];
  return (
    parts.length > 1 &&
    whole.startsWith(begin(first)) &&
    whole.lastIndexOf(begin(last)) + last.length + MAX_ENDING >= whole.length &&
    parts.every((part) => part.length < whole.length && whole.includes(begin(part)))
  );
}

function begin(part: string): string {
  return part.length > 2 ? part.slice(0, -1) : part;
}

function isVersion(before: string | undefined, text: string | undefined): boolean {
  return text !== undefined && before === `v${text}`;
}
