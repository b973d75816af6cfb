import { foldLatin } from '../rules/text';
import { unitAt } from './unit-at';
import { textIn } from './unit-text';

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
const CAPITAL = 4;
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
  kinds[unit] = KNOWN | (isCapital ? CAPITAL : isPlain ? 0 : LONG_WAY);
  folded[unit] = letter.toLowerCase().charCodeAt(0);
}

// Ideographs, syllables and kana stand for themselves, and there are too many to ask for each.
for (const [first = '', last = ''] of ['\u4e00\u9fff', '\uac00\ud7a3', '\u3041\u3096', '\u30a1\u30fa']) {
  for (let unit = unitAt(first, 0); unit <= unitAt(last, 0); unit += 1) {
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
  return (kinds[unit] = KNOWN | (fold.length === 1 ? kindOf(letter) | accent : LONG_WAY));
}

function kindOf(letter: string): number {
  if (letter.normalize('NFKC') !== letter || /\p{Default_Ignorable_Code_Point}/u.test(letter))
    return LONG_WAY;
  // These are taken away behind letters of Latin and Greek, and stay elsewhere.
  if (/\p{M}/u.test(letter)) return /[\u0300-\u036f]/.test(letter) ? LONG_WAY : MARK;
  if (!/[\p{L}\p{N}]/u.test(letter) || IS_PART.test(letter)) return LONG_WAY;
  return /\p{Lu}/u.test(letter) ? CAPITAL : 0;
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
    if ((kind & LONG_WAY) !== 0 || ((kind & CAPITAL) !== 0 && at > from)) return false;
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
