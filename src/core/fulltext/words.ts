import { DENSE_SCRIPTS } from '../base/text';
import { hasGroups, isDigit, numberEnd } from './numbers';

/**
 * Returns the UTF-16 code unit at an offset within a text. It equals `text.charCodeAt(at)` and is four times as fast in loops
 * that process many texts: V8 repeats the method lookup at every call once it has met more than four internal string
 * representations (one-byte, two-byte, slice, name …).
 */
export const codeUnitAt: (text: string, at: number) => number = Function.prototype.call.bind(
  Reflect.get(String.prototype, 'charCodeAt'),
);

/** Returns the set of letters of a term as a bit mask: letter `u` sets bit `u mod 32`. */
export function lettersIn(units: Uint16Array, start: number, length: number): number {
  let letters = 0;
  for (let at = start; at < start + length; at += 1) letters |= 1 << ((units[at] ?? 0) & 31);
  return letters;
}

/** The number of code units that one call turns into a string. All calls share one array, so that none leaves garbage. */
const AT_ONCE = 1024;
const codes = new Array<number>(AT_ONCE).fill(0);

/** Returns code units as a string. */
export function textIn(units: Uint16Array, start: number, length: number): string {
  let text = '';
  for (let done = 0; done < length; done += AT_ONCE) {
    const size = Math.min(AT_ONCE, length - done);
    for (let at = 0; at < size; at += 1) codes[at] = units[start + done + at] ?? 0;
    // Spreading a plain array is many times faster than spreading a typed array.
    text += String.fromCharCode(...(size === AT_ONCE ? codes : codes.slice(0, size)));
  }
  return text;
}

/** Copies the code units of a text into an array, which must have room for them. */
export function copyUnits(text: string, into: Uint16Array, from = 0): void {
  for (let at = 0, end = text.length; at < end; at += 1) into[from + at] = codeUnitAt(text, at);
}

/** Returns true if units begin with others at an offset. */
export function begins(units: Uint16Array, start: number, wanted: Uint16Array): boolean {
  for (let at = 0; at < wanted.length; at += 1) if (units[start + at] !== wanted[at]) return false;
  return true;
}

/** Returns the first code unit of a character. */
function unitOf(character = ''): number {
  return character.charCodeAt(0);
}

/** Returns the code units of a text. */
export function unitsOf(text: string): Uint16Array {
  const units = new Uint16Array(text.length);
  copyUnits(text, units);
  return units;
}

/** English endings after an apostrophe, which analysis cuts off: `user's`, `don't`. */
export const ENDING = /['’](?:s|d|m|t|ll|re|ve)$/i;

const APOSTROPHE = "'".charCodeAt(0);

/** Classes of the code units of an ASCII word. */
export const SIGN = 0;
export const DIGIT = 1;
export const SMALL = 2;
export const CAPITAL = 3;

export function kindOf(unit: number): number {
  if (unit >= 0x61 && unit <= 0x7a) return SMALL;
  if (unit >= 0x41 && unit <= 0x5a) return CAPITAL;
  return unit >= 0x30 && unit <= 0x39 ? DIGIT : SIGN;
}

export function isAscii(word: Uint16Array, from: number, to: number): boolean {
  for (let at = from; at < to; at += 1) if ((word[at] ?? 0) > 0x7e || (word[at] ?? 0) < 0x21) return false;
  return true;
}

/** Returns true for a sign of an ASCII word that its compound leaves out: any but one between two digits. */
export function isLooseJoint(word: Uint16Array, at: number): boolean {
  if (kindOf(word[at] ?? 0) !== SIGN) return false;
  return kindOf(word[at - 1] ?? 0) !== DIGIT || kindOf(word[at + 1] ?? 0) !== DIGIT;
}

export function areSmall(units: Uint16Array, from: number, to: number): boolean {
  for (let at = from; at < to; at += 1) if (kindOf(units[at] ?? 0) !== SMALL) return false;
  return true;
}

export function hasSign(units: Uint16Array, from: number, to: number): boolean {
  for (let at = from; at < to; at += 1) if (kindOf(units[at] ?? 0) === SIGN) return true;
  return false;
}

export function hasApostrophe(word: Uint16Array, from: number, to: number): boolean {
  for (let at = from; at < to; at += 1) if (word[at] === APOSTROPHE) return true;
  return false;
}

/** Returns the length of the English ending of an ASCII word; 0 if it has none. */
export function endingIn(word: Uint16Array, from: number, to: number): number {
  for (let size = 2; size <= 3 && size <= to - from; size += 1)
    if (word[to - size] === APOSTROPHE) return ENDING.test(textIn(word, to - size, size)) ? size : 0;
  return 0;
}

/**
 * Classes of code points for word segmentation. PAIRED scripts put no spaces between words, so words cannot be found without
 * a dictionary; every two neighbouring characters stand for them instead.
 */
const WORD = 1;
const PAIRED = 2;
/** A character that neither begins nor continues a word. */
const OTHER = 3;
/** A mark of the character before it: an accent, a vowel sign, the later parts of a decomposed syllable. */
const MARK = 4;
/** An invisible character within a word: soft hyphen, joiner, variation selector. */
const UNSEEN = 5;
/** A sign that joins the parts of an identifier, version or name when a letter or digit is on both sides. */
const JOINT = 6;
/** A pictograph or the letter of a flag; its modifiers, and others that a joiner joins to it, belong to it. */
const EMOJI = 7;

/**
 * The maximum length of a word (UTF-16 units), with room for a SHA-256 and long identifiers. Normalising a longer run could
 * take quadratic time.
 */
export const MAX_WORD = 100;
/** The maximum length of a character of a paired script with its marks (UTF-16 units); real ones have at most eight. */
const MAX_CHARACTER = 16;

/** The initial size of the buffer of a walk, and the size above which `begin` releases it (UTF-16 units). */
const FIRST_UNITS = 1 << 10;
const MAX_UNUSED = 1 << 14;

const IS_UNSEEN = /\p{Default_Ignorable_Code_Point}/u;
const IS_MARK = /[\p{M}\u1160-\u11ff\ud7b0-\ud7ff\uff9e\uff9f]/u;
const IS_LETTER = /[\p{L}\p{N}]/u;
const IS_PAIRED = new RegExp(String.raw`[${DENSE_SCRIPTS}\u3031-\u3035\u303c\u30fc\uff70]`, 'u');
/** Signs such as © and ↔, and shapes that begin lines of lists, are no emoji. */
const IS_EMOJI =
  /\p{Emoji_Presentation}|(?=[\u2300-\u23ff\u2600-\u27bf\u{1f000}-\u{1ffff}])\p{Extended_Pictographic}/u;
const IS_JOINT = /[_.\-'’\u2010\u2011]/;

function classify(character: string): number {
  if (IS_UNSEEN.test(character)) return UNSEEN;
  if (IS_MARK.test(character)) return MARK;
  if (IS_LETTER.test(character)) return IS_PAIRED.test(character) ? PAIRED : WORD;
  if (IS_JOINT.test(character)) return JOINT;
  return IS_EMOJI.test(character) ? EMOJI : OTHER;
}

/**
 * The class of each code unit of the basic plane, filled in on first use; 0 means unknown. ASCII is filled in at load,
 * because the first use of the expressions above takes longer than a search.
 */
const classes = new Uint8Array(0x10000).fill(OTHER, 0, 0x80);
for (const [first, last] of ['09', 'AZ', 'az']) classes.fill(WORD, unitOf(first), unitOf(last) + 1);
for (const joint of "_.-'") classes[unitOf(joint)] = JOINT;

/**
 * The ideographs, syllables and kana of nearly all such texts are filled in at load too: there are too many to classify one
 * by one.
 */
for (const [first, last] of ['\u4e00\u9fff', '\uac00\ud7a3', '\u3041\u3096', '\u30a1\u30fa']) {
  classes.fill(PAIRED, unitOf(first), unitOf(last) + 1);
}

function classOf(point: number): number {
  if (point > 0xffff || (point >= 0xd800 && point < 0xe000)) return classBeyond(point);
  const known = classes[point] ?? 0;
  return known === 0 ? (classes[point] = classify(String.fromCharCode(point))) : known;
}

/** The classes of code points of the other planes and of lone surrogates, by page, filled in on first use. */
const PAGE_BITS = 8;
const pages = new Array<Uint8Array | undefined>(0x110000 >>> PAGE_BITS);

function classBeyond(point: number): number {
  const page = (pages[point >>> PAGE_BITS] ??= new Uint8Array(1 << PAGE_BITS));
  const place = point & ((1 << PAGE_BITS) - 1);
  const known = page[place] ?? 0;
  return known === 0 ? (page[place] = classify(String.fromCodePoint(point))) : known;
}

// The functions below take offsets in `units`, whose text ends at `end`.

function classAt(units: Uint16Array, at: number, end: number): number {
  const known = classes[units[at] ?? 0] ?? 0;
  return known === 0 ? classOf(pointAt(units, at, end)) : known;
}

/** Returns the code point that begins at an offset; a lone surrogate as it is. */
function pointAt(units: Uint16Array, at: number, end: number): number {
  const first = units[at] ?? 0;
  const second = at + 1 < end ? (units[at + 1] ?? 0) : 0;
  const isPair = first >>> 10 === 0xd800 >>> 10 && second >>> 10 === 0xdc00 >>> 10;
  return isPair ? 0x10000 + ((first & 0x3ff) << 10) + (second & 0x3ff) : first;
}

/** Returns the length of the code point at an offset: two units for a surrogate pair, else one. */
function unitsAt(units: Uint16Array, at: number, end: number): number {
  return pointAt(units, at, end) > 0xffff ? 2 : 1;
}

/** Returns true if the slice is one or two characters of a script without spaces. */
export function isPaired(slice: string): boolean {
  return classOf(slice.codePointAt(0) ?? 0) === PAIRED;
}

/** Returns true if the slice is a single character, with its marks, of a script without spaces. */
export function isLonePaired(slice: string): boolean {
  return isPaired(slice) && characterEnd(unitsOf(slice), 0, slice.length) === slice.length;
}

/** Returns true if the slice begins with an emoji. */
export function isEmoji(slice: string): boolean {
  return classOf(slice.codePointAt(0) ?? 0) === EMOJI;
}

/**
 * Iterates over the words of a text in order, in any script. A word is a run of letters, digits and marks, with single signs
 * of `_ . - '` between them (`BRAIN_PG_DSN`, `v1.2`, `don't`), or a letter with `++` or `#` (`c++`, `c#`). In scripts without
 * spaces it is every two neighbouring characters, overlapping, or a lone character. An emoji is a word with all its modifiers
 * and all that joiners join to it; so is a number in groups (`+49 30 123456`, `1,299.00`). Takes linear time for any text.
 */
export class WordWalk {
  /** The bounds of the current word (UTF-16 units). */
  from = 0;
  to = 0;
  /**
   * True if this word and the previous one are of scripts without spaces and other characters separate them: `京都` in `東京 京都`.
   */
  isAfterGap = false;
  /** True if the last word was of a script without spaces. */
  #wasPaired = false;
  /** A copy of the text, followed by leftovers of longer texts. Reading it is several times as fast as reading a string. */
  #units = new Uint16Array(FIRST_UNITS);
  #end = 0;
  /** The offset at which the search for the next word begins. */
  #at = 0;
  /** The start of the last character within a run of paired characters, else -1. */
  #last = -1;

  /** Starts over with a text; `next` finds its first word. */
  begin(text: string): void {
    if (text.length > this.#units.length || this.#units.length > MAX_UNUSED)
      this.#units = new Uint16Array(Math.max(text.length, FIRST_UNITS));
    copyUnits(text, this.#units);
    this.#end = text.length;
    this.#at = 0;
    this.#last = -1;
    this.#wasPaired = false;
  }

  /** The buffer that `from` and `to` refer to; valid until the next `begin`. */
  get units(): Uint16Array {
    return this.#units;
  }

  /** Advances to the next word; returns false if there is none. */
  next(): boolean {
    const units = this.#units;
    const end = this.#end;
    let at = this.#at;
    if (this.#last >= 0) {
      this.isAfterGap = false;
      if (at < end && classAt(units, at, end) === PAIRED) return this.#secondOfPair(at);
      this.#last = -1;
    }
    for (;;) {
      if (at >= end) {
        this.#at = at;
        return false;
      }
      const known = classes[units[at] ?? 0] ?? 0;
      const kind = known === 0 ? classAt(units, at, end) : known;
      if (kind === WORD) return this.#word(at);
      if (kind !== OTHER) {
        if (kind === PAIRED) return this.#firstOfPair(at);
        if (kind === EMOJI) return this.#emoji(at);
      }
      at += known === 0 ? unitsAt(units, at, end) : 1;
    }
  }

  #word(from: number): boolean {
    const units = this.#units;
    const most = Math.min(this.#end, from + MAX_WORD);
    let at = from;
    for (;;) {
      // Most units of most words are plain letters; a surrogate has no class of its own.
      while (at < most && classes[units[at] ?? 0] === WORD) at += 1;
      if (at >= most || classes[units[at] ?? 0] === OTHER || !continuesWord(units, at, this.#end)) break;
      at += unitsAt(units, at, this.#end);
    }
    if (at - from === 1) at = nameEnd(units, at, this.#end);
    this.isAfterGap = false;
    this.#wasPaired = false;
    // Most words begin with a letter, and what follows is for the others.
    return isDigit(units[from] ?? 0) ? this.#digits(from, at) : this.#found(from, at);
  }

  /** Finds a word of digits, or the number in groups that it begins. */
  #digits(from: number, to: number): boolean {
    return (hasGroups(this.#units, from, this.#end) && this.#number(from, to)) || this.#found(from, to);
  }

  /** Finds the number in groups that a word of digits begins, after a `+` or `(` if it has one; returns false if there is none. */
  #number(from: number, to: number): boolean {
    const units = this.#units;
    const before = from > this.#at ? units[from - 1] : 0;
    const isSigned = before === PLUS || before === BRACKET;
    for (const begin of isSigned ? [from - 1, from] : [from]) {
      const end = numberEnd(units, begin, this.#end);
      // A word that ends later holds letters too.
      if (end < to || (end === to && begin === from) || this.#goesOn(end)) continue;
      return this.#found(begin, end);
    }
    return false;
  }

  #goesOn(at: number): boolean {
    return at < this.#end && continuesWord(this.#units, at, this.#end);
  }

  #emoji(from: number): boolean {
    this.isAfterGap = false;
    this.#wasPaired = false;
    return this.#found(from, emojiEnd(this.#units, from, this.#end));
  }

  #firstOfPair(from: number): boolean {
    this.isAfterGap = this.#wasPaired;
    this.#wasPaired = true;
    const units = this.#units;
    const end = characterEnd(units, from, this.#end);
    if (end < this.#end && classAt(units, end, this.#end) === PAIRED) {
      this.#last = from;
      return this.#secondOfPair(end);
    }
    return this.#found(from, end);
  }

  #secondOfPair(second: number): boolean {
    const first = this.#last;
    this.#last = second;
    return this.#found(first, characterEnd(this.#units, second, this.#end));
  }

  #found(from: number, to: number): boolean {
    this.from = from;
    this.to = to;
    this.#at = to;
    return true;
  }
}

/** Unused walks: allocating the buffer of one takes as long as reading the words of a query. */
const unusedWalks: WordWalk[] = [];

/**
 * Calls `visit` with the bounds of every word of a text in order and with its `isAfterGap`, as `WordWalk` gives them, and with
 * the units of the text, which are valid during the call.
 */
export function eachWord(
  text: string,
  visit: (from: number, to: number, isAfterGap: boolean, units: Uint16Array) => void,
): void {
  const walk = unusedWalks.pop() ?? new WordWalk();
  walk.begin(text);
  while (walk.next()) visit(walk.from, walk.to, walk.isAfterGap, walk.units);
  unusedWalks.push(walk);
}

/** Returns true if the character at `at`, which is no plain letter, continues a word. */
function continuesWord(units: Uint16Array, at: number, end: number): boolean {
  const kind = classAt(units, at, end);
  if (kind === JOINT) return at + 1 < end && classAt(units, at + 1, end) === WORD;
  return kind === WORD || kind === MARK || kind === UNSEEN;
}

const PLUS = unitOf('+');
const SHARP = unitOf('#');
const BRACKET = unitOf('(');
const JOINER = 0x200d;

/** Returns the end of a one-letter word, after `++` or `#` if it has one. */
function nameEnd(units: Uint16Array, at: number, end: number): number {
  if (at + 1 < end && units[at] === PLUS && units[at + 1] === PLUS) return at + 2;
  return at < end && units[at] === SHARP ? at + 1 : at;
}

function characterEnd(units: Uint16Array, from: number, end: number): number {
  let at = from + unitsAt(units, from, end);
  while (at < end && at - from < MAX_CHARACTER) {
    const kind = classAt(units, at, end);
    if (kind !== MARK && kind !== UNSEEN) break;
    at += unitsAt(units, at, end);
  }
  return at;
}

/** Returns the end of an emoji with its modifiers and others that joiners join to it; the two letters of a flag are one. */
function emojiEnd(units: Uint16Array, from: number, end: number): number {
  const isFlag = isFlagLetter(pointAt(units, from, end));
  let at = from + unitsAt(units, from, end);
  if (isFlag && at < end && isFlagLetter(pointAt(units, at, end))) at += unitsAt(units, at, end);
  while (at < end && at - from < MAX_WORD) {
    const kind = classAt(units, at, end);
    const isModifier = !isFlag && isSkinTone(pointAt(units, at, end));
    const isJoined = kind === EMOJI && units[at - 1] === JOINER;
    if (kind !== MARK && kind !== UNSEEN && !isModifier && !isJoined) break;
    at += unitsAt(units, at, end);
  }
  return at;
}

function isFlagLetter(point: number): boolean {
  return point >= 0x1f1e6 && point <= 0x1f1ff;
}

function isSkinTone(point: number): boolean {
  return point >= 0x1f3fb && point <= 0x1f3ff;
}
