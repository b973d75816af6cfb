import { foldLatin } from '../base/text';
import { hasEnding, stem } from './porter';
import { isStopWord, isStopWordIn } from './stop-words';
import {
  areSmall,
  CAPITAL,
  copyUnits,
  DIGIT,
  eachWord,
  ENDING,
  endingIn,
  hasApostrophe,
  hasSign,
  isAscii,
  isLooseJoint,
  isPaired,
  kindOf,
  MAX_WORD,
  SIGN,
  SMALL,
  textIn,
  codeUnitAt,
  unitsOf,
} from './words';

/**
 * Points that writers of Hebrew and Arabic may leave out, and the stroke that only stretches an Arabic word.
 */
const OPTIONAL_POINTS =
  /\u0640|[\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e8\u06ea-\u06ed]/g;

/** A word in NFKC with case, Latin and Greek accents, and optional points folded. */
export function foldTerm(word: string): string {
  const lower = word.toLowerCase();
  if (!/[^ -~]/.test(lower)) return lower;
  return foldLatin(lower).replace(OPTIONAL_POINTS, '').replace(/ς/g, 'σ');
}

/** What is known of a letter or mark, 0 for nothing yet. */
const KNOWN = 1;
/** It is not folded by itself. */
const LONG_WAY = 2;
const CAPITAL_LETTER = 4;
/** It is folded to something other than its small letter. */
const ACCENTED = 8;
const MARK = 16;

const kinds = new Uint8Array(0x10000);
/** By plain letter or mark, the one that it is folded to. */
const folded = new Uint16Array(0x10000);
// ASCII is known from the beginning: the first words of a search shall not wait for expressions over all of Unicode.
for (let unit = 0; unit < 0x80; unit += 1) {
  const letter = String.fromCharCode(unit);
  const isCapital = letter >= 'A' && letter <= 'Z';
  const isPlain = (letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9');
  kinds[unit] = KNOWN | (isCapital ? CAPITAL_LETTER : isPlain ? 0 : LONG_WAY);
  folded[unit] = letter.toLowerCase().charCodeAt(0);
}

// Ideographs, syllables and kana stand for themselves, and there are too many to ask for each.
for (const [first = '', last = ''] of ['\u4e00\u9fff', '\uac00\ud7a3', '\u3041\u3096', '\u30a1\u30fa']) {
  for (let unit = codeUnitAt(first, 0); unit <= codeUnitAt(last, 0); unit += 1) {
    kinds[unit] = KNOWN;
    folded[unit] = unit;
  }
}

/** Parts of Hangul syllables run together with what stands beside them. */
const IS_PART = /[\u1100-\u11ff\ua960-\ua97f\ud7b0-\ud7ff]/;

function learn(unit: number): number {
  const letter = String.fromCharCode(unit);
  const fold = foldTerm(letter);
  folded[unit] = fold.charCodeAt(0);
  const accent = fold === letter.toLowerCase() ? 0 : ACCENTED;
  return (kinds[unit] = KNOWN | (fold.length === 1 ? kindOfLetter(letter) | accent : LONG_WAY));
}

function kindOfLetter(letter: string): number {
  if (letter.normalize('NFKC') !== letter || /\p{Default_Ignorable_Code_Point}/u.test(letter))
    return LONG_WAY;
  // These are taken away behind letters of Latin and Greek, and stay elsewhere.
  if (/\p{M}/u.test(letter)) return /[\u0300-\u036f]/.test(letter) ? LONG_WAY : MARK;
  if (!/[\p{L}\p{N}]/u.test(letter) || IS_PART.test(letter)) return LONG_WAY;
  return /\p{Lu}/u.test(letter) ? CAPITAL_LETTER : 0;
}

/**
 * The same as `foldTerm` of the word in NFKC, many times faster, for a word of letters, digits and marks that are folded one by
 * one, with no capital but the first letter: then puts what it is folded to, as many units, at the beginning of `into`. False
 * for any other. Most words of most languages are of this kind.
 */
export function foldPlain(word: Uint16Array, from: number, to: number, into: Uint16Array): boolean {
  let seen = 0;
  for (let at = from; at < to; at += 1) {
    const unit = word[at] ?? 0;
    const known = kinds[unit] ?? 0;
    const kind = known === 0 ? learn(unit) : known;
    if ((kind & LONG_WAY) !== 0 || ((kind & CAPITAL_LETTER) !== 0 && at > from)) return false;
    into[at - from] = folded[unit] ?? 0;
    seen |= kind;
  }
  // Marks may run together with what stands before them or change places, which only the whole word tells. Between a letter and
  // its accent they even keep that from being folded.
  return (seen & MARK) === 0 || ((seen & ACCENTED) === 0 && isNormal(textIn(word, from, to - from)));
}

function isNormal(word: string): boolean {
  return word.normalize('NFKC') === word;
}

const IS_SMALL = 1;
const IS_CAPITAL = 2;
const OTHER = 3;

/** Case of each code point of the basic plane, filled in as they are met; 0 = not met yet. */
const cases = new Uint8Array(0x10000);

/**
 * The parts of a word that begin with a capital, and the whole: of `prixÉlevé` prix, Élevé, prixÉlevé; of `ÉTATCivil` ÉTAT,
 * Civil, ÉTATCivil; of a plain word itself alone.
 */
export function humpsOf(word: string): string[] {
  const humps: string[] = [];
  let begin = 0;
  let before = OTHER;
  for (let at = 0; at < word.length;) {
    const point = word.codePointAt(at) ?? 0;
    const next = at + (point > 0xffff ? 2 : 1);
    const own = caseOf(point);
    if (own === IS_CAPITAL && (before === IS_SMALL || (before === IS_CAPITAL && isSmallAt(word, next)))) {
      humps.push(word.slice(begin, at));
      begin = at;
    }
    before = own;
    at = next;
  }
  return begin === 0 ? [word] : [...humps, word.slice(begin), word];
}

function isSmallAt(word: string, at: number): boolean {
  return caseOf(word.codePointAt(at) ?? 0) === IS_SMALL;
}

/**
 * Asks for one character at a time: to make an expression ready that looks for both in a word takes longer than many
 * searches.
 */
function caseOf(point: number): number {
  if (point > 0xffff) return classify(point);
  const known = cases[point] ?? 0;
  return known === 0 ? (cases[point] = classify(point)) : known;
}

function classify(point: number): number {
  const character = String.fromCodePoint(point);
  if (/\p{Lu}/u.test(character)) return IS_CAPITAL;
  return /\p{Ll}/u.test(character) ? IS_SMALL : OTHER;
}

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

/**
 * Raise this whenever any text comes apart into other terms than before, stands otherwise in a stream, or counts with other
 * weights: indexes that were kept are then made anew.
 */
const ANALYSIS_VERSION = 5;

/** Letters that came with Unicode 15.1, 16 and 17: a machine that does not know them takes some texts apart otherwise. */
const RECENT_LETTERS = ['\u{2ebf0}', '\u{1c89}', '\u{323b0}'];

/** A number that is the same wherever every text comes apart into the same terms. */
export function analysisEdition(): number {
  const known = RECENT_LETTERS.map((letter): number => (/\p{L}/u.test(letter) ? 1 : 0));
  return known.reduce((bits, bit) => bits * 2 + bit, ANALYSIS_VERSION);
}

/** How many distinct words are remembered: a bound on memory, and rare words gain nothing from it. */
const MAX_REMEMBERED = 50_000;

const ONE_PART: readonly number[] = [0];

/** A word taken apart. */
interface Analysed {
  readonly terms: readonly string[];
  readonly spans: readonly number[];
}

/**
 * Turns text into search terms: NFKC, case and Latin and Greek accents folded, Latin words stemmed,
 * identifiers whole and in their parts, scripts without spaces as pairs of characters. Each distinct word is
 * analysed once and remembered, so an analyser is meant to live as long as its index.
 */
export class Analyser {
  readonly #remembered = new Map<string, Analysed>();

  /** The same as `termsOf`, which may be remembered. */
  terms(word: string): readonly string[] {
    return this.#analysed(word).terms;
  }

  /** By place of its terms, of how many parts each of a word is the whole; 0 for a part. */
  spans(word: string): readonly number[] {
    return this.#analysed(word).spans;
  }

  #analysed(word: string): Analysed {
    const known = this.#remembered.get(word);
    if (known !== undefined) return known;
    if (this.#remembered.size >= MAX_REMEMBERED) this.#remembered.clear();
    // A slice keeps the whole note it was cut from in memory; a joined copy does not.
    const copy = Array.from(word).join('');
    const terms = termsOf(copy);
    // The reader still holds the word that was taken apart.
    const spans = terms.length < 2 ? ONE_PART : terms.map((_, place) => reader.span(place));
    const analysed = { terms, spans };
    this.#remembered.set(copy, analysed);
    return analysed;
  }

  /** Calls `visit` with every term of a text in order, and with the bounds of the word that it comes from. */
  eachTerm(text: string, visit: (term: string, from: number, to: number) => void): void {
    eachWord(text, (from, to) => {
      for (const term of this.terms(text.slice(from, to))) visit(term, from, to);
    });
  }

  /** All terms of a text in order. */
  all(text: string): string[] {
    const terms: string[] = [];
    this.eachTerm(text, (term) => terms.push(term));
    return terms;
  }
}

const reader = new WordTerms();

/** Two words may be asked for as one. */
const scratch = new Uint16Array(2 * MAX_WORD);

/** The term of a word that is one term, as most are; null for any other. It takes a quarter of the time. */
export function onlyTermOf(word: string): string | null {
  if (word.length > scratch.length) return null;
  copyUnits(word, scratch);
  reader.read(scratch, 0, word.length);
  return reader.count === 1 ? reader.text(0) : null;
}

/** The terms of one word, as `eachWord` bounds it: its parts first, then the parts held together. */
export function termsOf(word: string): string[] {
  reader.read(unitsOf(word), 0, word.length);
  return Array.from({ length: reader.count }, (_, place) => reader.text(place));
}
