import { foldLatin } from '../base/text';
import { groupsOf, isNumber, spellingsOf } from './numbers';
import { stemOf } from './stems';
import { isStopWord } from './stop-words';
import {
  CAPITAL,
  copyUnits,
  DIGIT,
  eachWord,
  ENDING,
  endingIn,
  hasApostrophe,
  hasSign,
  isAscii,
  isEmoji,
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

/** Optional vowel points and marks of Hebrew and Arabic, and the Arabic tatweel. */
const OPTIONAL_POINTS =
  /\u0640|[\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e8\u06ea-\u06ed]/g;

/** Letters and digits that stand for another one in a search, in other spellings of Arabic and Persian. */
const VARIANTS: Readonly<Record<string, string>> = {
  ς: 'σ',
  ...Object.fromEntries([...'أإآٱ'].map((alef) => [alef, 'ا'])),
  ى: 'ي',
  ی: 'ي',
  ک: 'ك',
  ة: 'ه',
  ...Object.fromEntries([...'٠١٢٣٤٥٦٧٨٩'].map((digit, value) => [digit, String(value)])),
  ...Object.fromEntries([...'۰۱۲۳۴۵۶۷۸۹'].map((digit, value) => [digit, String(value)])),
};
const VARIANT = new RegExp(`[${Object.keys(VARIANTS).join('')}]`, 'g');

/**
 * Returns a word, given in NFKC, in lower case without Latin and Greek accents and optional points, with one form of each
 * Arabic letter.
 */
export function foldTerm(word: string): string {
  const lower = word.toLowerCase();
  if (!/[^ -~]/.test(lower)) return lower;
  return foldLatin(lower)
    .replace(OPTIONAL_POINTS, '')
    .replace(VARIANT, (letter) => VARIANTS[letter] ?? letter);
}

/** Flags of a letter or mark; 0 if it was not classified yet. */
const KNOWN = 1;
/** How the letter folds depends on its neighbours, gives more than one unit, or has two spellings: `foldPlain` leaves it. */
const NEEDS_CONTEXT = 2;
const CAPITAL_LETTER = 4;
/** The letter folds to another one than its lower case. */
const ACCENTED = 8;
const MARK = 16;

const kinds = new Uint8Array(0x10000);
/** By letter or mark that folds by itself, the unit that it folds to. */
const folded = new Uint16Array(0x10000);
// ASCII is filled in at load: the first words of a search must not wait for expressions over all of Unicode.
for (let unit = 0; unit < 0x80; unit += 1) {
  const letter = String.fromCharCode(unit);
  const isCapital = letter >= 'A' && letter <= 'Z';
  const isPlain = (letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9');
  kinds[unit] = KNOWN | (isCapital ? CAPITAL_LETTER : isPlain ? 0 : NEEDS_CONTEXT);
  folded[unit] = letter.toLowerCase().charCodeAt(0);
}

// Ideographs, syllables and kana fold to themselves, and there are too many to classify one by one.
for (const [first = '', last = ''] of ['\u4e00\u9fff', '\uac00\ud7a3', '\u3041\u3096', '\u30a1\u30fa']) {
  for (let unit = codeUnitAt(first, 0); unit <= codeUnitAt(last, 0); unit += 1) {
    kinds[unit] = KNOWN;
    folded[unit] = unit;
  }
}

const UMLAUT = /[äöüÄÖÜ]|[aouAOU]\u0308/;

/** Hangul jamo, which compose with their neighbours. */
const IS_PART = /[\u1100-\u11ff\ua960-\ua97f\ud7b0-\ud7ff]/;

function learn(unit: number): number {
  const letter = String.fromCharCode(unit);
  const fold = foldTerm(letter);
  folded[unit] = fold.charCodeAt(0);
  const accent = fold === letter.toLowerCase() ? 0 : ACCENTED;
  return (kinds[unit] = KNOWN | (fold.length === 1 ? kindOfLetter(letter) | accent : NEEDS_CONTEXT));
}

function kindOfLetter(letter: string): number {
  if (
    UMLAUT.test(letter) ||
    letter.normalize('NFKC') !== letter ||
    /\p{Default_Ignorable_Code_Point}/u.test(letter)
  )
    return NEEDS_CONTEXT;
  // Folding removes these after Latin and Greek letters and keeps them elsewhere.
  if (/\p{M}/u.test(letter)) return /[\u0300-\u036f]/.test(letter) ? NEEDS_CONTEXT : MARK;
  if (!/[\p{L}\p{N}]/u.test(letter) || IS_PART.test(letter)) return NEEDS_CONTEXT;
  return /\p{Lu}/u.test(letter) ? CAPITAL_LETTER : 0;
}

/**
 * Writes what `foldTerm` returns for the word in NFKC to the start of `into`, in as many units, and returns true; or returns
 * false if the word needs `foldTerm`. It handles words whose letters, digits and marks fold one by one and that have no
 * capital after the first letter, which are most words of most languages, and is many times faster.
 */
export function foldPlain(word: Uint16Array, from: number, to: number, into: Uint16Array): boolean {
  let seen = 0;
  for (let at = from; at < to; at += 1) {
    const unit = word[at] ?? 0;
    const known = kinds[unit] ?? 0;
    const kind = known === 0 ? learn(unit) : known;
    if ((kind & NEEDS_CONTEXT) !== 0 || ((kind & CAPITAL_LETTER) !== 0 && at > from)) return false;
    into[at - from] = folded[unit] ?? 0;
    seen |= kind;
  }
  // Marks may compose with or change places with their neighbours, which only normalisation of the whole word shows. A mark
  // between a letter and its accent even keeps the accent from being removed.
  return (seen & MARK) === 0 || ((seen & ACCENTED) === 0 && isNormal(textIn(word, from, to - from)));
}

function isNormal(word: string): boolean {
  return word.normalize('NFKC') === word;
}

const IS_SMALL = 1;
const IS_CAPITAL = 2;
const OTHER = 3;

/** The case of each code point of the basic plane, filled in on first use; 0 means unknown. */
const cases = new Uint8Array(0x10000);

/**
 * Returns the camel-case parts of a word, then the word: `prix`, `Élevé`, `prixÉlevé` for `prixÉlevé`; `ÉTAT`, `Civil`,
 * `ÉTATCivil` for `ÉTATCivil`; only the word if it has one part.
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
 * Returns the case of a code point. Testing one character at a time is faster: compiling an expression over a whole word
 * takes longer than many searches.
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

/** A name of one letter: `C++`, `c#`. */
const ONE_LETTER_NAME = /^\p{L}(?:\+\+|#)$/u;
const MAY_BE_NUMBER = /^[+(]?\p{Nd}/u;
const HAS_APOSTROPHE = /['’]/;
const HYPHENS = /[\u2010\u2011]/g;
/**
 * Joints that a compound leaves out: all but those between two numbers, since `wi-fi` and `wifi` mean the same and 1.2 and 12
 * do not.
 */
const LOOSE_JOINTS = /(?<!\p{N})[-_.]|[-_.](?!\p{N})/gu;

const FIRST_UNITS = 16;
/**
 * The maximum ratio of the length of an ASCII word's terms to the length of the word: camel-case parts, parts, and the
 * compound twice or once with a copy.
 */
const MAX_GROWTH = 4;

const [PLUS, SHARP, V] = Array.from('+#v', (sign) => sign.charCodeAt(0));

/**
 * Splits a word, as `WordWalk` bounds it, into its terms as they are written: NFKC, folded, identifiers as parts and
 * compound. It works on code units, because making strings of all distinct words would be a good part of the time that
 * reading a vault takes. An instance is reused for many words.
 */
export class WordTerms {
  /** The number of terms of the last word. */
  count = 0;
  #units: Uint16Array = new Uint16Array(FIRST_UNITS);
  readonly #ends: number[] = [];
  readonly #spans: number[] = [];
  /** The number of parts of the word so far. */
  #parts = 0;
  /** The number of units in use, including those of an unfinished term. */
  #used = 0;

  /** The units of all terms in order; valid until the next word. */
  get units(): Uint16Array {
    return this.#units;
  }

  /** Returns the start of a term in `units`. */
  from(place: number): number {
    return place === 0 ? 0 : (this.#ends[place - 1] ?? 0);
  }

  /** Returns the end of a term in `units`. */
  to(place: number): number {
    return this.#ends[place] ?? 0;
  }

  /** Returns the number of parts of a compound; 0 for a part. */
  span(place: number): number {
    return this.#spans[place] ?? 0;
  }

  text(place: number): string {
    return textIn(this.#units, this.from(place), this.to(place) - this.from(place));
  }

  /**
   * Reads the word between two offsets if its only term is itself, folded, as for most words; else returns false. Takes a
   * fraction of the time of `read`.
   */
  readPlain(word: Uint16Array, from: number, to: number): boolean {
    this.count = 0;
    this.#used = 0;
    this.#parts = 0;
    this.#makeRoom((to - from) * MAX_GROWTH);
    if (isNumber(word, from, to) || !foldPlain(word, from, to, this.#units)) return false;
    this.#used = to - from;
    this.#endWord();
    return true;
  }

  /** Splits the word between two offsets: its parts come first, then its compounds. No term is empty. */
  read(word: Uint16Array, from: number, to: number): this {
    if (this.readPlain(word, from, to)) return this;
    if (isNumber(word, from, to)) this.#readNumber(word, from, to);
    else if (isAscii(word, from, to)) this.#readAscii(word, from, to);
    else this.#readAny(textIn(word, from, to - from));
    return this;
  }

  #readAny(word: string): void {
    if (isEmoji(word)) {
      this.#add(foldEmoji(word));
      this.#end();
      return;
    }
    const visibleWord = withoutInvisible(word);
    if (MAY_BE_NUMBER.test(visibleWord)) {
      const units = unitsOf(foldTerm(visibleWord));
      if (isNumber(units, 0, units.length)) {
        this.#readNumber(units, 0, units.length);
        return;
      }
    }
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
        // The last of several is the compound.
        const span = at > 0 && at === humps.length - 1 ? this.#parts - before : 0;
        this.#endWord(span);
        if (UMLAUT.test(each)) this.#addSpelled(each, Math.max(span, 1));
      });
    }
    if (parts.length < 2 || HAS_APOSTROPHE.test(plain)) return;
    const joined = foldTerm(plain).replace(HYPHENS, '-');
    const loose = joined.replace(LOOSE_JOINTS, '');
    this.#add(isStopWord(loose) ? joined : loose);
    this.#endWhole();
  }

  /** Adds the term of a word with its umlauts spelled out, as those write it who have no such keys: `Mueller` for `Müller`. */
  #addSpelled(word: string, span = 1): void {
    this.#add(foldTerm(spelledOut(word)));
    this.#endWord(span);
  }

  /** Adds the groups of a number, those that single signs join also as one, and the number without separators. */
  #readNumber(word: Uint16Array, from: number, to: number): void {
    for (const group of groupsOf(word, from, to)) {
      for (let at = group.from; at < group.to; at += 1) {
        if (group.span > 0 && isLooseJoint(word, at)) continue;
        this.#add(textIn(word, at, 1).toLowerCase().replace(HYPHENS, '-'));
      }
      this.#end(group.span);
    }
    const span = this.#parts;
    const before = this.count === 1 ? this.text(0) : '';
    for (const digits of spellingsOf(word, from, to)) {
      if (digits === before) continue;
      this.#add(digits);
      this.#end(span);
    }
  }

  /** Does the same as `#readAny` for an ASCII word, on units, without the many strings that make that one slow. */
  #readAscii(word: Uint16Array, from: number, to: number): void {
    const last = word[to - 1] ?? 0;
    if ((last === PLUS || last === SHARP) && kindOf(word[from] ?? 0) > DIGIT) {
      this.#addSmall(word, from, to);
      this.#end();
      return;
    }
    const end = to - endingIn(word, from, to);
    let parts = 0;
    for (let at = from; at < end; at += 1) {
      if (kindOf(word[at] ?? 0) === SIGN) continue;
      const begin = at;
      while (at < end && kindOf(word[at] ?? 0) !== SIGN) at += 1;
      this.#readPart(word, begin, at);
      parts += 1;
    }
    if (parts < 2 || hasApostrophe(word, from, end)) return;
    const whole = this.#used;
    for (let at = from; at < end; at += 1) if (!isLooseJoint(word, at)) this.#addSmall(word, at, at + 1);
    if (isStopWord(textIn(this.#units, whole, this.#used - whole))) {
      this.#used = whole;
      this.#addSmall(word, from, end);
    }
    this.#endWhole();
  }

  /**
   * Adds the terms of a part: `trash`, `file`, `trashfile` for `trashFile`; `http`, `server`, `httpserver` for `HTTPServer`;
   * only itself for `plain`.
   */
  #readPart(word: Uint16Array, from: number, to: number): void {
    let begin = from;
    const before = this.#parts;
    for (let at = from + 1; at < to; at += 1) {
      if (kindOf(word[at] ?? 0) !== CAPITAL) continue;
      const before = kindOf(word[at - 1] ?? 0);
      const isLast = at + 1 < to && kindOf(word[at + 1] ?? 0) === SMALL;
      if (before !== SMALL && !(before === CAPITAL && isLast)) continue;
      this.#addSmall(word, begin, at);
      this.#endWord();
      begin = at;
    }
    if (begin > from) {
      this.#addSmall(word, begin, to);
      this.#endWord();
    }
    this.#addSmall(word, from, to);
    this.#endWord(this.#parts - before);
  }

  #add(text: string): void {
    this.#makeRoom(this.#used + 2 * text.length);
    copyUnits(text, this.#units, this.#used);
    this.#used += text.length;
  }

  /** Adds ASCII units in lower case. */
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
   * @param span the number of parts of a compound, 0 for a part
   */
  #end(span = 0): void {
    if (this.#used === this.from(this.count)) return;
    this.#ends[this.count] = this.#used;
    this.#spans[this.count] = span;
    if (span === 0) this.#parts += 1;
    this.count += 1;
  }

  /** Ends a term, without an Arabic article. */
  #endWord(span = 0): void {
    const [units, from] = [this.#units, this.from(this.count)];
    const article = articleIn(units, from, this.#used);
    if (article > 0) {
      units.copyWithin(from, from + article, this.#used);
      this.#used -= article;
    }
    this.#end(span);
  }

  /** Ends a compound. */
  #endWhole(): void {
    const [units, from] = [this.#units, this.from(this.count)];
    const span = this.#parts;
    this.#end(span);
    // A query for 1.2 also finds v1.2.
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

const SPELLED: Readonly<Record<string, string>> = { ä: 'ae', ö: 'oe', ü: 'ue' };

function spelledOut(word: string): string {
  return word
    .normalize('NFC')
    .toLowerCase()
    .replace(/[äöü]/g, (letter) => SPELLED[letter] ?? letter);
}

/** Returns true if a term is the one before it with the umlauts of their word spelled out. */
export function spellsOut(term: string, before: string, word: string): boolean {
  const bare = (text: string) => text.replace(/([aou])e/g, '$1');
  return term.length > before.length && UMLAUT.test(word) && bare(term) === bare(before);
}

/** The forms of the Arabic article, alone and after the prefixes that are written with it. */
const ARTICLE = /^(?:[وبكف]?ال|لل)(?=..)/;

/** Returns the length of the article of an Arabic word of which at least two letters remain; 0 if it has none. */
function articleIn(units: Uint16Array, from: number, to: number): number {
  if ((units[from] ?? 0) >>> 8 !== 0x06 || to - from < 4) return 0;
  return ARTICLE.exec(textIn(units, from, to - from))?.[0].length ?? 0;
}

/** Returns an emoji without skin tone, gender and choice of style, so that `👍🏽` and `👍` are one term. */
function foldEmoji(emoji: string): string {
  return withoutInvisible(
    emoji.replace(/\u200d[\u2640\u2642]/g, '').replace(/(?<=.)[\u{1f3fb}-\u{1f3ff}]/gu, ''),
  );
}

function withoutInvisible(word: string): string {
  return word.replace(/\p{Default_Ignorable_Code_Point}/gu, '').normalize('NFKC');
}

/**
 * Returns true if the last of several terms of a word is its compound. A word with an apostrophe has none: `l'index` means
 * `index`, and the article before it says nothing.
 */
export function hasCompound(word: string): boolean {
  return !HAS_APOSTROPHE.test(withoutInvisible(word).replace(ENDING, ''));
}

/**
 * The version of the analysis. Raise it whenever any text gives other terms, another stream or other weights: kept indexes
 * are then rebuilt.
 */
const ANALYSIS_VERSION = 7;

/** Letters of Unicode 15.1, 16 and 17: a host that does not know them splits some texts differently. */
const RECENT_LETTERS = ['\u{2ebf0}', '\u{1c89}', '\u{323b0}'];

/** Returns a number that is equal on all hosts where every text gives the same terms. */
export function analysisEdition(): number {
  const known = RECENT_LETTERS.map((letter): number => (/\p{L}/u.test(letter) ? 1 : 0));
  return known.reduce((bits, bit) => bits * 2 + bit, ANALYSIS_VERSION);
}

/** The maximum number of distinct words in the cache; rare words gain nothing from a larger one. */
const MAX_REMEMBERED = 50_000;

const ONE_PART: readonly number[] = [0];

/** The terms of a word, with the span of each. */
interface Analysed {
  /** By stem: what two forms of a word share. */
  readonly terms: readonly string[];
  /** As an index holds them: folded, with their endings. */
  readonly forms: readonly string[];
  readonly spans: readonly number[];
}

/**
 * Turns text into search terms: NFKC, folded, identifiers as parts and compound, scripts without spaces as pairs of
 * characters; Latin words also by their English stem. It caches each distinct word, so it should live as long as its index.
 */
export class Analyser {
  readonly #remembered = new Map<string, Analysed>();

  /** Returns the stems of the terms of a word, from the cache if possible. */
  terms(word: string): readonly string[] {
    return this.analysed(word).terms;
  }

  /** Returns the terms of a word by stem and by form, and of each the number of its parts; 0 for a part. */
  analysed(word: string): Analysed {
    const known = this.#remembered.get(word);
    if (known !== undefined) return known;
    if (this.#remembered.size >= MAX_REMEMBERED) this.#remembered.clear();
    // A slice would keep the whole note in memory; a joined copy does not.
    const copy = Array.from(word).join('');
    const forms = termsOf(copy);
    // The reader still holds the word that `termsOf` split.
    const spans = forms.length < 2 ? ONE_PART : forms.map((_, place) => reader.span(place));
    const terms = forms.map(stemOf);
    const analysed = { terms: terms.every((term, at) => term === forms[at]) ? forms : terms, forms, spans };
    this.#remembered.set(copy, analysed);
    return analysed;
  }

  /** Calls `visit` with the stem of every term of a text in order and the bounds of its word. */
  eachTerm(text: string, visit: (term: string, from: number, to: number) => void): void {
    eachWord(text, (from, to) => {
      for (const term of this.terms(text.slice(from, to))) visit(term, from, to);
    });
  }

  /** Returns the stems of all terms of a text in order. */
  all(text: string): string[] {
    const terms: string[] = [];
    this.eachTerm(text, (term) => terms.push(term));
    return terms;
  }
}

const reader = new WordTerms();

/** Room for two words that are tried as one. */
const scratch = new Uint16Array(2 * MAX_WORD);

/**
 * Returns the term of a word with a single term, as most have; null for any other word. Takes a quarter of the time of
 * `termsOf`.
 */
export function onlyTermOf(word: string): string | null {
  if (word.length > scratch.length) return null;
  copyUnits(word, scratch);
  reader.read(scratch, 0, word.length);
  return reader.count === 1 ? reader.text(0) : null;
}

/** Returns the terms of one word as they are written, as `eachWord` bounds it: its parts first, then its compounds. */
export function termsOf(word: string): string[] {
  reader.read(unitsOf(word), 0, word.length);
  return Array.from({ length: reader.count }, (_, place) => reader.text(place));
}
