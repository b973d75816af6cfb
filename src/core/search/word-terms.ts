import {
  areSmall,
  CAPITAL,
  DIGIT,
  ENDING,
  endingIn,
  hasApostrophe,
  hasSign,
  isAscii,
  isLooseJoint,
  kindOf,
  SIGN,
  SMALL,
} from './ascii-units';
import { foldPlain, foldTerm } from './fold-term';
import { humpsOf } from './humps';
import { hasEnding, stem } from './porter';
import { isStopWord, isStopWordIn } from './stop-words';
import { copyUnits, textIn } from './unit-text';
import { isPaired } from './words';

/** `C++`, `c#`. */
const ONE_LETTER_NAME = /^\p{L}(?:\+\+|#)$/u;
const HAS_APOSTROPHE = /['’]/;
const HYPHENS = /[\u2010\u2011]/g;
/** What joins parts of a word, but not two numbers: people write `wi-fi` and `wifi`, and mean two things by 1.2 and 12. */
const LOOSE_JOINTS = /(?<!\p{N})[-_.]|[-_.](?!\p{N})/gu;

const FIRST_UNITS = 16;
/** An English word of so many letters or more may have another last letter than the whole that it is a part of. In UTF-16 units. */
const STEMMED = 3;
/**
 * The terms of a word of ASCII are at most so many times as long as the word: its humps, its parts, and the whole twice, or once
 * and a copy of it.
 */
const LONGEST = 4;

const [PLUS, SHARP, V] = Array.from('+#v', (sign) => sign.charCodeAt(0));

/**
 * Takes a word, as `WordWalk` bounds it, apart into its terms: NFKC, case and Latin and Greek accents folded, English words
 * stemmed, identifiers in their parts and whole. It works on units: a vault has so many distinct words that to make strings of
 * them all would be a good part of the time that reading it takes. Made to be used again and again.
 */
export class WordTerms {
  /** Number of terms of the last word. */
  count = 0;
  #units: Uint16Array = new Uint16Array(FIRST_UNITS);
  readonly #ends: number[] = [];
  readonly #spans: number[] = [];
  /** Parts of the word so far. */
  #parts = 0;
  /** Units in use, those of a term that has not ended yet among them. */
  #used = 0;

  /** The units of all terms, one after the other; until the next word. */
  get units(): Uint16Array {
    return this.#units;
  }

  /** Where a term begins in `units`. */
  from(place: number): number {
    return place === 0 ? 0 : (this.#ends[place - 1] ?? 0);
  }

  /** Where it ends. */
  to(place: number): number {
    return this.#ends[place] ?? 0;
  }

  /** Of a term that holds the parts before it together, how many these are; 0 for a part. */
  span(place: number): number {
    return this.#spans[place] ?? 0;
  }

  text(place: number): string {
    return textIn(this.#units, this.from(place), this.to(place) - this.from(place));
  }

  /** Takes the word between two places apart: its parts first, then the parts held together. No term is empty. */
  read(word: Uint16Array, from: number, to: number): void {
    this.count = 0;
    this.#used = 0;
    this.#parts = 0;
    this.#makeRoom((to - from) * LONGEST);
    // Most words are plain; what follows would say the same of them, at length.
    if (foldPlain(word, from, to, this.#units)) {
      this.#used = to - from;
      this.#endStem();
    } else if (isAscii(word, from, to)) {
      this.#readAscii(word, from, to);
    } else {
      this.#readAny(textIn(word, from, to - from));
    }
  }

  #readAny(word: string): void {
    const visibleWord = visible(word);
    if (isPaired(word) || ONE_LETTER_NAME.test(visibleWord)) {
      this.#add(foldTerm(visibleWord));
      this.#end();
      return;
    }
    const plain = visibleWord.replace(ENDING, '');
    const parts = plain.split(/[^\p{L}\p{M}\p{N}]+/u).filter(Boolean);
    for (const part of parts) {
      const before = this.#parts;
      const humps = humpsOf(part);
      humps.forEach((each, at) => {
        this.#add(foldTerm(each));
        // Of several the last one is all of them.
        this.#endStem(at > 0 && at === humps.length - 1 ? this.#parts - before : 0);
      });
    }
    if (parts.length < 2 || HAS_APOSTROPHE.test(plain)) return;
    const joined = foldTerm(plain).replace(HYPHENS, '-');
    const loose = joined.replace(LOOSE_JOINTS, '');
    const last = foldTerm(parts.at(-1) ?? '');
    this.#add(isStopWord(loose) ? joined : loose);
    this.#endWhole(loose.endsWith(last) ? last.length : 0);
  }

  /** What `#readAny` does, for a word of ASCII: unit by unit, without the many texts that make that one slow. */
  #readAscii(word: Uint16Array, from: number, to: number): void {
    const last = word[to - 1] ?? 0;
    if ((last === PLUS || last === SHARP) && kindOf(word[from] ?? 0) > DIGIT) {
      this.#addSmall(word, from, to);
      this.#end();
      return;
    }
    const end = to - endingIn(word, from, to);
    let parts = 0;
    let lastLength = 0;
    for (let at = from; at < end; at += 1) {
      if (kindOf(word[at] ?? 0) === SIGN) continue;
      const begin = at;
      while (at < end && kindOf(word[at] ?? 0) !== SIGN) at += 1;
      this.#readPart(word, begin, at);
      parts += 1;
      lastLength = at - begin;
    }
    if (parts < 2 || hasApostrophe(word, from, end)) return;
    const whole = this.#used;
    for (let at = from; at < end; at += 1) if (!isLooseJoint(word, at)) this.#addSmall(word, at, at + 1);
    if (isStopWordIn(this.#units, whole, this.#used)) {
      this.#used = whole;
      this.#addSmall(word, from, end);
    }
    this.#endWhole(lastLength);
  }

  /** `trashFile` gives trash, file, trashfile; `HTTPServer` http, server, httpserver; `plain` only itself. */
  #readPart(word: Uint16Array, from: number, to: number): void {
    let begin = from;
    const before = this.#parts;
    for (let at = from + 1; at < to; at += 1) {
      if (kindOf(word[at] ?? 0) !== CAPITAL) continue;
      const before = kindOf(word[at - 1] ?? 0);
      const isLast = at + 1 < to && kindOf(word[at + 1] ?? 0) === SMALL;
      if (before !== SMALL && !(before === CAPITAL && isLast)) continue;
      this.#addSmall(word, begin, at);
      this.#endStem();
      begin = at;
    }
    if (begin > from) {
      this.#addSmall(word, begin, to);
      this.#endStem();
    }
    this.#addSmall(word, from, to);
    this.#endStem(this.#parts - before);
  }

  #add(text: string): void {
    this.#makeRoom(this.#used + 2 * text.length);
    copyUnits(text, this.#units, this.#used);
    this.#used += text.length;
  }

  /** Adds units of ASCII, in small letters. */
  #addSmall(word: Uint16Array, from: number, to: number): void {
    const units = this.#units;
    let used = this.#used;
    for (let at = from; at < to; at += 1) {
      const unit = word[at] ?? 0;
      units[used] = kindOf(unit) === CAPITAL ? unit | 0x20 : unit;
      used += 1;
    }
    this.#used = used;
  }

  /**
   * Ends a term, unless it is empty.
   * @param span how many of the parts before it it holds together, 0 for a part
   */
  #end(span = 0): void {
    if (this.#used === this.from(this.count)) return;
    this.#ends[this.count] = this.#used;
    this.#spans[this.count] = span;
    if (span === 0) this.#parts += 1;
    this.count += 1;
  }

  /** Ends a term with the stem of what was added, where that is English as far as its letters tell. */
  #endStem(span = 0): void {
    const [units, from, to] = [this.#units, this.from(this.count), this.#used];
    if (isStemmed(units, from, to)) this.#used = stem(units, from, to);
    this.#end(span);
  }

  /**
   * Ends a term that is all parts held together: with its stem, as if it were written as one word, when the last part is
   * still in that (`plugin` of `plug-ins`). Else with the stem of the last part (`webserver` of `web-servers`, where the stem of
   * all would be `webserv`).
   * @param lastLength how many units the last part took
   */
  #endWhole(lastLength: number): void {
    const [units, from, to] = [this.#units, this.from(this.count), this.#used];
    const begin = to - lastLength;
    const span = this.#parts;
    if (lastLength > 0 && isStemmed(units, from, to)) {
      const [partFrom, partTo] = [this.from(this.count - 1), this.to(this.count - 1)];
      units.copyWithin(to, from, to);
      const size = stem(units, to, 2 * to - from) - to;
      if (holdsPart(units, to + begin - from, to + size, partFrom, partTo)) {
        units.copyWithin(from, to, to + size);
        this.#used = from + size;
      } else {
        units.copyWithin(begin, partFrom, partTo);
        this.#used = begin + partTo - partFrom;
      }
    }
    this.#end(span);
    // Whoever asks for 1.2 means v1.2 as well.
    const isVersion = units[from] === V && kindOf(units[from + 1] ?? 0) === DIGIT;
    if (!isVersion || !hasSign(units, from, this.#used)) return;
    this.#units.copyWithin(this.#used, from + 1, this.#used);
    this.#used += this.#used - from - 1;
    this.#end(span);
  }

  #makeRoom(units: number): void {
    if (units <= this.#units.length) return;
    const larger = new Uint16Array(units * 2);
    larger.set(this.#units);
    this.#units = larger;
  }
}

function visible(word: string): string {
  return word.replace(/\p{Default_Ignorable_Code_Point}/gu, '').normalize('NFKC');
}

/** True when the stemmer may shorten what stands there: an English word as far as its letters tell. */
function isStemmed(units: Uint16Array, from: number, to: number): boolean {
  return hasEnding(units, from, to) && areSmall(units, from, to) && !isStopWordIn(units, from, to);
}

/** True when a part stands at a place of what ends at `end`, but perhaps for its last letter (`generaliz`, `generalis`). */
function holdsPart(units: Uint16Array, at: number, end: number, partFrom: number, partTo: number): boolean {
  const length = partTo - partFrom;
  const isLatin = kindOf(units[partTo - 1] ?? 0) === SMALL;
  const size = length >= STEMMED && isLatin ? length - 1 : length;
  if (at + size > end) return false;
  for (let each = 0; each < size; each += 1) if (units[at + each] !== units[partFrom + each]) return false;
  return true;
}

/**
 * Whether the last of several terms of a word is all of it. Of a word that an apostrophe parts there is no such term: `l'index`
 * says `index`, and that it is written with what stands before it tells nothing.
 */
export function hasWhole(word: string): boolean {
  return !HAS_APOSTROPHE.test(visible(word).replace(ENDING, ''));
}
