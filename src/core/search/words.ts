/**
 * What a code point is to the splitter. PAIRED scripts are written without spaces between words, so their
 * words cannot be told apart without a dictionary; every two neighbouring characters stand for them instead.
 */
const OTHER = 1;
const WORD = 2;
const PAIRED = 3;
/** Belongs to the character before it: accents, vowel signs, the later parts of a decomposed syllable. */
const MARK = 4;
/** Invisible inside a word: soft hyphen, joiners, variation selectors. */
const UNSEEN = 5;
/** Holds an identifier, a version or a name together when it stands between two letters or digits. */
const JOINT = 6;

/**
 * Longest word in UTF-16 units, room for a SHA-256 and long identifiers. Normalising a longer run could cost
 * quadratic time.
 */
export const MAX_WORD = 100;
/** Longest character of a paired script with its marks, in UTF-16 units; real ones have at most eight. */
const MAX_CHARACTER = 16;

const IS_UNSEEN = /\p{Default_Ignorable_Code_Point}/u;
const IS_MARK = /[\p{M}\u1160-\u11ff\ud7b0-\ud7ff\uff9e\uff9f]/u;
const IS_LETTER = /[\p{L}\p{N}]/u;
const IS_PAIRED =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}\u3031-\u3035\u303c\u30fc\uff70]/u;
const IS_JOINT = /[_.\-'’\u2010\u2011]/;

function classify(character: string): number {
  if (IS_UNSEEN.test(character)) return UNSEEN;
  if (IS_MARK.test(character)) return MARK;
  if (IS_LETTER.test(character)) return IS_PAIRED.test(character) ? PAIRED : WORD;
  return IS_JOINT.test(character) ? JOINT : OTHER;
}

/**
 * Class of each code unit of the basic plane, filled in as units are met; 0 = not met yet. ASCII is there from the beginning:
 * to ask the expressions above for the first time takes longer than a search.
 */
const classes = new Uint8Array(0x10000).fill(OTHER, 0, 0x80);
for (const [first, last] of ['09', 'AZ', 'az']) classes.fill(WORD, unitOf(first), unitOf(last) + 1);
for (const joint of "_.-'") classes[unitOf(joint)] = JOINT;

function unitOf(character = ''): number {
  return character.charCodeAt(0);
}

function classAt(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  if (unit >= 0xd800 && unit < 0xe000) return classify(String.fromCodePoint(text.codePointAt(at) ?? 0));
  const known = classes[unit];
  return known === undefined || known === 0 ? (classes[unit] = classify(String.fromCharCode(unit))) : known;
}

/** Two units for a surrogate pair, else one. */
function unitsAt(text: string, at: number): number {
  return (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
}

/** True when the slice is a character or a pair of characters of a script without spaces. */
export function isPaired(slice: string): boolean {
  return classAt(slice, 0) === PAIRED;
}

/** True when the slice is a single character of such a script, with its marks. */
export function isLonePaired(slice: string): boolean {
  return isPaired(slice) && characterEnd(slice, 0) === slice.length;
}

const FIRST_HASH = 0x811c9dc5;

/** FNV-1a over UTF-16 units, its high bits brought down for whoever takes the low ones. Signed. */
export function hashOf(text: string, from: number, to: number): number {
  let hash = FIRST_HASH;
  for (let at = from; at < to; at += 1) hash = mixed(hash, text.charCodeAt(at));
  return hash ^ (hash >>> 15);
}

function mixed(hash: number, unit: number): number {
  return Math.imul(hash ^ unit, 0x01000193);
}

/**
 * Calls `visit` with the bounds, in UTF-16 units, of every word of a text in order, in any script: runs of
 * letters, digits and marks, kept whole over a single `_ . - '` (`BRAIN_PG_DSN`, `v1.2`, `don't`) and over
 * the `++` or `#` of `c++` and `c#`; of scripts without spaces every two neighbouring characters,
 * overlapping, or one that stands alone. Also tells what `hashOf` gives for it. Linear, whatever the text.
 */
export function eachWord(text: string, visit: (from: number, to: number, hash: number) => void): void {
  let at = 0;
  while (at < text.length) {
    const kind = classAt(text, at);
    if (kind === WORD) {
      // Most words are plain letters, so they are looked at once for both: where they end, and their hash.
      let hash = FIRST_HASH;
      let end = at;
      const most = Math.min(text.length, at + MAX_WORD);
      while (end < most) {
        const unit = text.charCodeAt(end);
        if (classes[unit] !== WORD) break;
        hash = mixed(hash, unit);
        end += 1;
      }
      const isWhole = end - at > 1 && isOver(text, end);
      if (!isWhole) end = wordEnd(text, at);
      visit(at, end, isWhole ? hash ^ (hash >>> 15) : hashOf(text, at, end));
      at = end;
    } else if (kind === PAIRED) {
      at = eachPair(text, at, visit);
    } else {
      at += unitsAt(text, at);
    }
  }
}

/** True when a word of letters cannot go on here. */
function isOver(text: string, at: number): boolean {
  if (at === text.length) return true;
  const kind = classAt(text, at);
  if (kind === JOINT) return at + 1 === text.length || classAt(text, at + 1) !== WORD;
  return kind === OTHER || kind === PAIRED;
}

function wordEnd(text: string, from: number): number {
  let at = from + unitsAt(text, from);
  while (at < text.length && at - from < MAX_WORD) {
    // Most of most words is plain letters, and a surrogate has no class of its own.
    if (classes[text.charCodeAt(at)] === WORD) {
      at += 1;
      continue;
    }
    const kind = classAt(text, at);
    if (kind === JOINT) {
      if (at + 1 >= text.length || classAt(text, at + 1) !== WORD) break;
    } else if (kind !== WORD && kind !== MARK && kind !== UNSEEN) {
      break;
    }
    at += unitsAt(text, at);
  }
  if (at - from === 1) {
    if (text.startsWith('++', at)) return at + 2;
    if (text[at] === '#') return at + 1;
  }
  return at;
}

function eachPair(
  text: string,
  from: number,
  visit: (from: number, to: number, hash: number) => void,
): number {
  let previous = from;
  let end = characterEnd(text, from);
  if (end >= text.length || classAt(text, end) !== PAIRED) visit(from, end, hashOf(text, from, end));
  while (end < text.length && classAt(text, end) === PAIRED) {
    const next = characterEnd(text, end);
    visit(previous, next, hashOf(text, previous, next));
    previous = end;
    end = next;
  }
  return end;
}

function characterEnd(text: string, from: number): number {
  let at = from + unitsAt(text, from);
  while (at < text.length && at - from < MAX_CHARACTER) {
    const kind = classAt(text, at);
    if (kind !== MARK && kind !== UNSEEN) break;
    at += unitsAt(text, at);
  }
  return at;
}
