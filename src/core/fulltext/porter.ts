import { unitOf, unitsOf } from './words';

// M. F. Porter, An algorithm for suffix stripping (Program 14, 1980), in the wording of lunr, with which the tests compare it
// word for word. lunr uses regular expressions over strings; this works on code units in place, which takes a quarter of the
// time, and a vault has many words.

/** A suffix and its replacement. */
interface Rule {
  readonly ending: Uint16Array;
  /** The number of units of the suffix that count as stem when it is measured. */
  readonly measured: number;
  readonly replacement: Uint16Array;
}

/** A step replaces the longest suffix that a word has, if the stem before it is long enough. */
interface Step {
  /**
   * The minimum measure of the stem, which is the number of times that a consonant follows a vowel; -1 if the stem may be
   * empty.
   */
  readonly least: number;
  /** By the last unit of the suffix, longer suffixes first. */
  readonly rules: ReadonlyMap<number, readonly Rule[]>;
}

const PLURAL = stepOf(0, 'sses ss', 'ies i', 'ss ss', 's');
const EED = stepOf(1, 'eed ee');
const PAST = stepOf(0, 'ed', 'ing');
const RESTORE_E = stepOf(-1, 'at ate', 'bl ble', 'iz ize');
const DOUBLE_SUFFIX = stepOf(
  1,
  ...['ational ate', 'tional tion', 'enci ence', 'anci ance', 'izer ize', 'bli ble', 'alli al', 'entli ent'],
  ...['eli e', 'ousli ous', 'ization ize', 'ation ate', 'ator ate', 'alism al', 'iveness ive', 'fulness ful'],
  ...['ousness ous', 'aliti al', 'iviti ive', 'biliti ble', 'logi log'],
);
const ADJECTIVE = stepOf(1, 'icate ic', 'ative', 'alize al', 'iciti ic', 'ical ic', 'ful', 'ness');
const SUFFIX = stepOf(
  2,
  ...['al', 'ance', 'ence', 'er', 'ic', 'able', 'ible', 'ant', 'ement', 'ment', 'ent', 'ou', 'ism', 'ate'],
  ...['iti', 'ous', 'ive', 'ize', 'sion s 1', 'tion t 1'],
);

/**
 * @param rules a suffix, its replacement (default: nothing), and how many of its units are measured with the stem (default:
 * 0)
 */
function stepOf(least: number, ...rules: readonly string[]): Step {
  const byLast = new Map<number, Rule[]>();
  for (const rule of rules) {
    const [ending = '', replacement = '', measured = '0'] = rule.split(' ');
    const last = ending.charCodeAt(ending.length - 1);
    const others = byLast.get(last) ?? [];
    others.push({ ending: unitsOf(ending), measured: Number(measured), replacement: unitsOf(replacement) });
    byLast.set(last, others);
  }
  for (const others of byLast.values()) others.sort((a, b) => b.ending.length - a.ending.length);
  return { least, rules: byLast };
}

const [E, I, L, S, Y, Z] = [unitOf('e'), unitOf('i'), unitOf('l'), unitOf('s'), unitOf('y'), unitOf('z')];
const [W, X] = [unitOf('w'), unitOf('x')];

/** By unit below 128, 1 for the letters that are always vowels. */
const vowels = new Uint8Array(0x80);
for (const vowel of 'aeiou') vowels[unitOf(vowel)] = 1;

/** Replaces the word between two offsets, of letters a to z, by its English stem; returns the end of the stem. */
export function stem(units: Uint16Array, from: number, to: number): number {
  if (to - from < 3) return to;
  let end = applyStep(PLURAL, units, from, to);
  end = removePastEnding(units, from, end);
  if (end - from > 2 && units[end - 1] === Y && !isPlainVowel(units, end - 2)) units[end - 1] = I;
  end = applyStep(DOUBLE_SUFFIX, units, from, end);
  end = applyStep(ADJECTIVE, units, from, end);
  end = applyStep(SUFFIX, units, from, end);
  return removeLastLetter(units, from, end);
}

/** Removes a past or progressive ending: `hop` for `hopping`, `hope` for `hoping`, `agree` for `agreed`. */
function removePastEnding(units: Uint16Array, from: number, to: number): number {
  if (ruleFor(EED, units, from, to) !== null) return applyStep(EED, units, from, to);
  const end = applyStep(PAST, units, from, to);
  if (end === to || !hasVowel(units, from, end)) return to;
  const whole = applyStep(RESTORE_E, units, from, end);
  if (whole > end) return whole;
  const last = units[end - 1] ?? 0;
  const isDouble = end - from > 1 && units[end - 2] === last && !isPlainVowel(units, end - 1);
  if (isDouble && last !== Y && last !== L && last !== S && last !== Z) return end - 1;
  if (!isShort(units, from, end)) return end;
  units[end] = E;
  return end + 1;
}

/** Removes a last e or l: `probat` for `probate`, `control` for `controll`; `rate` stays. */
function removeLastLetter(units: Uint16Array, from: number, to: number): number {
  let end = to;
  if (end - from > 1 && units[end - 1] === E) {
    const size = measure(units, from, end - 1);
    if (size > 1 || (size === 1 && !isShort(units, from, end - 1))) end -= 1;
  }
  const isDouble = end - from > 1 && units[end - 1] === L && units[end - 2] === L;
  return isDouble && measure(units, from, end) > 1 ? end - 1 : end;
}

/**
 * Applies a step; returns the new end of the word. No replacement exceeds its suffix by more than an earlier step removed.
 */
function applyStep(step: Step, units: Uint16Array, from: number, to: number): number {
  const rule = ruleFor(step, units, from, to);
  if (rule === null) return to;
  const { ending, measured, replacement } = rule;
  const begin = to - ending.length;
  if (step.least > 0 && measure(units, from, begin + measured) < step.least) return to;
  for (let at = 0; at < replacement.length; at += 1) units[begin + at] = replacement[at] ?? 0;
  return begin + replacement.length;
}

/** Returns the rule for the longest suffix of the word, or null. */
function ruleFor({ least, rules }: Step, units: Uint16Array, from: number, to: number): Rule | null {
  const candidates = rules.get(units[to - 1] ?? 0);
  if (candidates === undefined) return null;
  const first = least < 0 ? from : from + 1;
  for (const rule of candidates) {
    const { ending } = rule;
    const begin = to - ending.length;
    if (begin < first) continue;
    // The last unit fits already.
    let at = ending.length - 2;
    while (at >= 0 && units[begin + at] === ending[at]) at -= 1;
    if (at < 0) return rule;
  }
  return null;
}

/** Returns the number of times that a consonant follows a vowel. A `y` is a vowel after a consonant. */
function measure(units: Uint16Array, from: number, to: number): number {
  let count = 0;
  let wasVowel = isPlainVowel(units, from);
  for (let at = from + 1; at < to; at += 1) {
    const isVowel = isPlainVowel(units, at) || (units[at] === Y && !wasVowel);
    if (wasVowel && !isVowel) count += 1;
    wasVowel = isVowel;
  }
  return count;
}

/** A `y` that is not the first letter is a vowel or follows one. */
function hasVowel(units: Uint16Array, from: number, to: number): boolean {
  for (let at = from; at < to; at += 1)
    if (isPlainVowel(units, at) || (units[at] === Y && at > from)) return true;
  return false;
}

/** Returns true for consonants, one vowel, and a consonant that is pronounced: `hop`, not `snow`. */
function isShort(units: Uint16Array, from: number, to: number): boolean {
  const last = units[to - 1] ?? 0;
  return (
    to - from > 2 &&
    last !== W &&
    last !== X &&
    last !== Y &&
    !hasVowel(units, from, to - 2) &&
    measure(units, from, to) === 1
  );
}

function isPlainVowel(units: Uint16Array, at: number): boolean {
  return vowels[units[at] ?? 0] === 1;
}

/** By last letter, the letters that may precede it in a word that the stemmer shortens; `.` for any. */
const ENDINGS = [
  ['s', '.'],
  ['e', '.'],
  ['y', '.'],
  ['d', 'e'],
  ['g', 'n'],
  ['l', 'aul'],
  ['i', 'clgt'],
  ['r', 'eo'],
  ['n', 'o'],
  ['m', 's'],
  ['c', 'i'],
  ['t', 'n'],
  ['u', 'o'],
] as const;

/** By unit below 128, the set of letters that may precede it. */
const before = new Uint32Array(0x80);
for (const [last, letters] of ENDINGS) {
  const bits = Array.from(letters, (letter) => (letter === '.' ? ~0 : bitOf(letter.charCodeAt(0))));
  before[last.charCodeAt(0)] = bits.reduce((all, bit) => all | bit);
}

function bitOf(unit: number): number {
  return 1 << (unit & 31);
}

/** Returns false if the stemmer certainly leaves a word of letters a to z as it is, which saves most calls. */
export function hasEnding(units: Uint16Array, from: number, to: number): boolean {
  if (to - from < 3) return false;
  const letters = before[units[to - 1] ?? 0] ?? 0;
  return (letters & bitOf(units[to - 2] ?? 0)) !== 0;
}
